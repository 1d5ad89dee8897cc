//go:build linux && amd64

package cold

// This file finds blocks and lines.

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/pclntab"
	"github.com/pepgo/pep/machine/site"
)

// A Plan says where probes are.
type Plan struct {
	Program *cold.Program
	Places  []Place // by block
	Text    Range   // of the executable
	panics  Place   // the entry of runtime.sigpanic
}

// A Range is a range of addresses of an executable, without End.
type Range struct{ Start, End uint64 }

// A Place is the place of a probe. The class is Refused if there is none.
type Place struct {
	Addr, Offset uint64
	Entry        uint64 // of the function
	Block        Range
	Byte         byte
	Class        site.Class
}

// Survey finds the blocks of the packages of a scope.
func Survey(im *image.Image, scope cold.Scope) (*Plan, error) {
	s := &survey{
		im: im, helpers: site.FindHelpers(im), names: scopeOf(im, scope),
		sources: make(map[cold.Source]int32), packages: make(map[string]string),
		plan: &Plan{Program: &cold.Program{
			BuildID: buildID(im), Path: im.Path, Go: im.GoVersion, Module: mainModule(im), Scope: scope,
		}},
	}
	var err error
	s.statements, err = im.AllStatements()
	if err != nil && !errors.Is(err, image.ErrStripped) {
		return nil, err
	}
	s.plan.Program.DWARF = err == nil && len(s.statements) > 0
	s.plan.Text.Start, s.plan.Text.End = im.Text()
	for f := range im.Functions() {
		if f.Name == "runtime.sigpanic" {
			if s.plan.panics, err = s.entry(f); err != nil {
				return nil, err
			}
		}
		if !s.names.has(f.Package) {
			continue
		}
		if why := unfit[f.Name]; why != "" {
			s.unprobed(f.Name, why)
			continue
		}
		if err := s.function(f); err != nil {
			return nil, err
		}
	}
	if len(s.plan.Places) == 0 {
		return nil, fmt.Errorf("%s: no code of the main module and of those that it needs; -pkg=std has the standard library, too", im.Path)
	}
	return s.plan, nil
}

// buildID is what tells builds apart.
func buildID(im *image.Image) string {
	if len(im.GNUID) > 0 {
		return fmt.Sprintf("%x", im.GNUID)
	}
	return im.GoBuildID
}

// unfit are functions of which probes say too little.
var unfit = map[string]string{
	"runtime.duffzero": "calls lead into the middle of it",
	"runtime.duffcopy": "calls lead into the middle of it",

	"syscall.forkAndExecInChild1":      vfork,
	"syscall.runtime_AfterForkInChild": vfork,
	"runtime.clearSignalHandlers":      vfork,
}

const vfork = "it runs in a child that shares the memory, of which the kernel says nothing"

type survey struct {
	im         *image.Image
	helpers    site.Helpers
	names      names
	statements []uint64
	sources    map[cold.Source]int32
	packages   map[string]string // by name of a function
	plan       *Plan
}

func (s *survey) unprobed(name, why string) {
	s.plan.Program.Unprobed = append(s.plan.Program.Unprobed, cold.Unprobed{Func: name, Reason: why})
}

// entry returns the first instruction of a function as a place.
func (s *survey) entry(f image.Function) (Place, error) {
	c, err := site.Read(s.im, f)
	if err != nil {
		return Place{}, err
	}
	p, err := c.At(f.Entry)
	if err != nil {
		return Place{}, err
	}
	offset, err := s.im.FileOffset(f.Entry)
	return Place{Addr: f.Entry, Offset: offset, Class: p.Class}, err
}

// function adds a function.
func (s *survey) function(f image.Function) error {
	c, err := site.Read(s.im, f)
	if errors.Is(err, site.ErrNoCode) {
		return nil
	}
	if errors.Is(err, site.ErrUndecodable) {
		s.unprobed(f.Name, "it has bytes that are no known instruction")
		return nil
	}
	if err != nil {
		return err
	}
	fn := cold.Function{Name: f.Name, Size: uint32(f.End - f.Entry)}
	hash := fnv.New64a()
	hash.Write(c.Masked())
	inlined := f.Inlined()
	pieces := s.pieces(f, inlined)
	for _, b := range c.Blocks(s.helpers) {
		switch b.Part {
		case site.Padding:
			s.plan.Program.LeftOut.Padding++
			continue
		case site.Growth:
			s.plan.Program.LeftOut.Growth++
			continue
		case site.Barrier:
			s.plan.Program.LeftOut.Barrier++
			continue
		}
		x := cold.Block{Start: uint32(b.Start - f.Entry), End: uint32(b.End - f.Entry), Probed: b.Probe.Class != site.Refused,
			One: b.Ways == 1}
		if b.Branch != 0 {
			x.Branch = uint32(b.Branch - f.Entry)
			if f.Contains(b.Taken) {
				x.Taken = uint32(b.Taken - f.Entry)
			}
		}
		var own []piece
		if own, pieces = cut(pieces, b.End); len(own) > 0 {
			x.Pieces = s.join(own, b.Start, f, inlined)
		}
		place := Place{Addr: b.Probe.PC, Entry: f.Entry, Block: Range{b.Start, b.End}, Byte: b.Byte, Class: b.Probe.Class}
		if x.Probed {
			if place.Offset, err = s.im.FileOffset(b.Probe.PC); err != nil {
				return err
			}
		} else {
			s.unprobed(f.Name, fmt.Sprintf("a block of %d bytes: %s", b.End-b.Start, b.Probe.Reason))
		}
		fn.Blocks = append(fn.Blocks, x)
		s.plan.Places = append(s.plan.Places, place)
		for _, p := range x.Pieces {
			hash.Write(binary.LittleEndian.AppendUint32(nil, uint32(int(p.Line)-s.plan.Program.Sources[p.Source].Line)))
			hash.Write([]byte(s.plan.Program.Sources[p.Source].Name))
		}
	}
	fn.Hash = hash.Sum64()
	s.plan.Program.Functions = append(s.plan.Program.Functions, fn)
	return nil
}

// A piece is a range of a function with its line.
type piece struct {
	pclntab.Range
	source int32 // -1 if it is of no package of the scope
	line   int32
	body   int32 // 1 + index of the inlined call, 0 for the function itself
}

// pieces returns the ranges of a function.
func (s *survey) pieces(f image.Function, inlined []pclntab.Inlined) (list []piece) {
	type call struct {
		pclntab.Range
		index int
	}
	var calls []call
	for i := range inlined {
		for _, r := range inlined[i].Ranges {
			calls = append(calls, call{r, i})
		}
	}
	slices.SortFunc(calls, func(a, b call) int { return cmp.Compare(a.Start, b.Start) })
	file := f.Position(f.Entry).File
	for r, at := range f.Lines() {
		add := func(start, end uint64, name string, line, body int) {
			if start >= end {
				return
			}
			p := piece{Range: pclntab.Range{Start: start, End: end}, line: int32(at.Line), body: int32(body)}
			// The tables leave the jump at the end of an inlined body to the function around it, with the line of the body.
			if i := len(list) - 1; name == f.Name && at.File != file && i >= 0 && list[i].source >= 0 &&
				s.plan.Program.Sources[list[i].source].File == at.File {
				p.source, p.body = list[i].source, list[i].body
			} else {
				p.source = s.source(name, at.File, line)
			}
			list = append(list, p)
		}
		for len(calls) > 0 && calls[0].End <= r.Start {
			calls = calls[1:]
		}
		pc := r.Start
		for _, c := range calls {
			if c.Start >= r.End {
				break
			}
			add(pc, max(c.Start, pc), f.Name, f.StartLine, 0)
			end := min(c.End, r.End)
			add(max(c.Start, pc), end, inlined[c.index].Func, inlined[c.index].StartLine, 1+c.index)
			pc = end
		}
		add(pc, r.End, f.Name, f.StartLine, 0)
	}
	return list
}

// source returns the index of a function of the source, -1 if its package has no probes.
func (s *survey) source(name, file string, line int) int32 {
	pkg, ok := s.packages[name]
	if !ok {
		pkg = image.PackageOf(name)
		s.packages[name] = pkg
	}
	if !s.names.has(pkg) {
		return -1
	}
	x := cold.Source{Name: name, Package: pkg, File: file, Line: line}
	i, ok := s.sources[x]
	if !ok {
		i = int32(len(s.plan.Program.Sources))
		s.sources[x] = i
		s.plan.Program.Sources = append(s.plan.Program.Sources, x)
	}
	return i
}

// cut splits pieces at an address.
func cut(list []piece, at uint64) (before, after []piece) {
	i := 0
	for i < len(list) && list[i].Start < at {
		i++
	}
	if i == 0 || list[i-1].End <= at {
		return list[:i], list[i:]
	}
	before = slices.Clone(list[:i])
	before[i-1].End = at
	return before, list[i-1:] // it goes on in the next block
}

// join makes the pieces of a block: each line is there once. What lies before the block belongs to blocks that are left
// out. The lines of the calls that are inlined there have a piece without code.
func (s *survey) join(list []piece, from uint64, f image.Function, inlined []pclntab.Inlined) (pieces []cold.Piece) {
	for _, p := range list {
		p.Start = max(p.Start, from)
		if p.Start >= p.End {
			continue
		}
		begins := !s.plan.Program.DWARF
		if !begins {
			i, _ := slices.BinarySearch(s.statements, p.Start)
			begins = i < len(s.statements) && s.statements[i] < p.End
		}
		add := func(source, line, body, size int32) {
			if source < 0 {
				return
			}
			i := slices.IndexFunc(pieces, func(q cold.Piece) bool {
				return q.Source == source && q.Line == line && q.Body == body && (q.Size == 0) == (size == 0)
			})
			if i < 0 {
				i = len(pieces)
				pieces = append(pieces, cold.Piece{Source: source, Line: line, Body: body})
			}
			pieces[i].Size += size
			pieces[i].Statement = pieces[i].Statement || begins
		}
		add(p.source, p.line, p.body, int32(p.End-p.Start))
		for i := int(p.body) - 1; i >= 0; {
			call := &inlined[i]
			name, line := f.Name, f.StartLine
			i = call.Parent
			if i >= 0 {
				name, line = inlined[i].Func, inlined[i].StartLine
			}
			add(s.source(name, call.Call.File, line), int32(call.Call.Line), int32(1+i), 0)
		}
	}
	return pieces
}

// names are the packages of a scope.
type names struct {
	scope   cold.Scope
	modules []string // import paths; nil if the executable does not say them
	known   map[string]bool
}

func scopeOf(im *image.Image, scope cold.Scope) names {
	n := names{scope: scope, known: make(map[string]bool)}
	if im.BuildInfo != nil {
		n.modules = append(n.modules, mainModule(im))
		for _, d := range im.BuildInfo.Deps {
			n.modules = append(n.modules, d.Path)
		}
	}
	return n
}

// mainModule is the import path of the main module. Commands of the Go distribution name none.
func mainModule(im *image.Image) string {
	switch {
	case im.BuildInfo == nil:
		return ""
	case im.BuildInfo.Main.Path != "":
		return im.BuildInfo.Main.Path
	case strings.HasPrefix(im.BuildInfo.Path, "cmd/"):
		return "cmd"
	}
	return ""
}

func (n *names) has(pkg string) bool {
	known, ok := n.known[pkg]
	if !ok {
		known = n.decide(pkg)
		n.known[pkg] = known
	}
	return known
}

func (n *names) decide(pkg string) bool {
	if n.scope == cold.All {
		return true
	}
	if pkg == "" { // functions that the compiler has made for types
		return false
	}
	if n.ofModules(pkg) {
		return true
	}
	return n.scope == cold.Std && !ofRuntime(pkg)
}

// ofModules reports whether a package is not of the standard library.
func (n *names) ofModules(pkg string) bool {
	if pkg == "main" {
		return true
	}
	if slices.ContainsFunc(n.modules, func(m string) bool {
		return m != "" &&
			(pkg == m || strings.HasPrefix(pkg, m+"/"))
	}) {
		return true
	}
	first, _, _ := strings.Cut(pkg, "/")
	return strings.Contains(first, ".")
}

func ofRuntime(pkg string) bool {
	switch pkg {
	case "runtime", "internal/bytealg", "internal/cpu", "internal/abi", "internal/chacha8rand":
		return true
	}
	return strings.HasPrefix(pkg, "runtime/") || strings.HasPrefix(pkg, "internal/runtime/")
}
