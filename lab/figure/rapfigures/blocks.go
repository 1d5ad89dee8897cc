package rapfigures

// This file makes points of code: the basic blocks that a program executes, each as its
// address. So the points have the order of the code in memory.

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/lab/figure"
)

// tapCode is the length of the instruction whose address a layout has for a tap. No
// other tap is at one of the addresses of this instruction.
const tapCode = 10

// atAddresses returns an environment in which the words of blocks are their addresses.
func atAddresses(env *figure.Env) *figure.Env {
	if env.Layout == nil {
		return env
	}
	placed := *env
	placed.Source = func(program, taps string) (replay.Source, error) {
		source, err := env.Source(program, taps)
		if err != nil {
			return nil, err
		}
		return place(source, env.Layout(program, taps))
	}
	return &placed
}

// place returns the events of branches and of entries of functions. Their words
// are the addresses of the blocks. The layout is a file of pep sites -layout for the
// program that the events come from.
//
// A block begins where a function is entered or where a branch goes. A layout has only
// one address for a branch, so the number of the outcome is added to it. Outcomes from
// the tenth on are not told apart.
func place(s replay.Source, layout string) (replay.Source, error) {
	spec, err := engines.Parse("code("+strconv.Quote(layout)+")", os.ReadFile)
	if err != nil {
		return nil, err
	}
	return func(do func(trace.Block) error) error {
		known := map[uint64]uint64{}
		return s(func(b trace.Block) error {
			placed := b
			placed.Tuples = make([]tuple.Tuple, len(b.Tuples))
			for i, t := range b.Tuples {
				addr, ok := known[t.PC]
				if !ok {
					at := spec.View(t)
					if at.Site() != tuple.PoolCode {
						return fmt.Errorf("%s: no address of site %#x: it is the layout of another build; remove both and let make figures record them", layout, t.Site())
					}
					addr = at.W
					known[t.PC] = addr
				}
				if t.Tag() == tuple.Edge {
					addr += min(t.W, tapCode-1)
				}
				placed.Tuples[i] = tuple.New(t.Tag(), 0, addr)
			}
			return do(placed)
		})
	}, nil
}

// A codeMap has the functions of a program in the order of their code. The code of an
// inlined function is part of several functions.
type codeMap []function

// A function is code of a function, from an address on.
type function struct {
	addr uint64
	name string
}

// functionsIn returns the functions of a layout.
func functionsIn(layout string) (codeMap, error) {
	text, err := os.ReadFile(layout)
	if err != nil {
		return nil, err
	}
	var list codeMap
	for line := range strings.Lines(string(text)) {
		// 0x47a1c0 0x3ea90e208000003 # load p.next main.go:5:9 main.f
		site, note, _ := strings.Cut(strings.TrimSpace(line), " # ")
		addr, _, _ := strings.Cut(site, " ")
		at, err := strconv.ParseUint(addr, 0, 64)
		if err != nil {
			continue // such as the first line
		}
		list = append(list, function{at, note[strings.LastIndexByte(note, ' ')+1:]})
	}
	slices.SortStableFunc(list, func(a, b function) int { return cmp.Compare(a.addr, b.addr) })
	return list, nil
}

// in says which functions have code from lo to hi. It returns the name if there is one
// function. For several functions of one package it returns their number and the package,
// otherwise the numbers of functions and packages, and the first and the last function.
func (f codeMap) in(lo, hi uint64) string {
	var names []string
	seen := map[string]bool{}
	packages := map[string]bool{}
	from, _ := slices.BinarySearchFunc(f, lo, func(x function, at uint64) int { return cmp.Compare(x.addr, at) })
	for ; from < len(f) && f[from].addr <= hi; from++ {
		if name := f[from].name; !seen[name] {
			seen[name] = true
			names = append(names, name)
			packages[packageOf(name)] = true
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) == 1:
		return names[0]
	case len(packages) == 1:
		return fmt.Sprintf("%d functions of %s", len(names), packageOf(names[0]))
	}
	return fmt.Sprintf("%d functions of %d packages, %s to %s", len(names), len(packages), names[0], names[len(names)-1])
}

// packageOf returns the import path at the start of a function's name.
func packageOf(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return name
	}
	return name[:slash+dot]
}
