// Package branches proves that the tables of branches are right that pepbuild build -peptable writes. It runs the plain program
// under valgrind, which counts how often each instruction is executed and each conditional jump taken, and computes through the
// table how often each outcome of the source happened. Then it compares these counts with those that the same program, built
// with go build -cover -covermode=count, counts itself.
//
// The compiler moves and removes branches, so outcomes without a machine branch have no count: the table names them, and they
// are not compared. All others must be equal.
//
// It follows complete runs through the table of actions, too, and compares the paths with those that the program counts in exact mode. A
// tool for valgrind, which testdata/tracer has, writes down which rows of the table the program comes by, in order.
package branches

import (
	"bufio"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/branches"
)

// A Key is an outcome in the source, of all functions that the compiler has inlined it into.
type Key struct {
	Kind branches.Kind // an entry is of inlined calls, too
	Pos  branches.Pos
}

// A Count is how often an outcome happened.
type Count struct {
	N    int64
	Lost branches.Loss // a reason why N may be too small, if there is one
}

// WithRoot replaces $GOROOT in the names of files, which stands there in packages of std.
func WithRoot(pkgs []branches.Package, goroot string) {
	for _, p := range pkgs {
		for _, f := range p.Funcs {
			for i := range f.Outcomes {
				file := &f.Outcomes[i].Pos.File
				if rest, ok := strings.CutPrefix(*file, "$GOROOT"); ok {
					*file = goroot + rest
				}
			}
		}
	}
}

// A trace has how often instructions were executed.
type trace struct {
	executed map[uint64]int64
	taken    map[uint64]int64 // conditional jumps
}

// Run runs a program under valgrind and returns the counts of the outcomes that a table knows.
func Run(exe string, pkgs []branches.Package, dir string, args ...string) (map[Key]Count, error) {
	t, err := run(exe, dir, args...)
	if err != nil {
		return nil, err
	}
	symbols, err := readSymbols(exe)
	if err != nil {
		return nil, err
	}
	return t.count(pkgs, symbols)
}

// run runs a program under callgrind.
func run(exe, dir string, args ...string) (*trace, error) {
	out := filepath.Join(dir, "callgrind.out")
	cmd := exec.Command("valgrind", append([]string{"--tool=callgrind", "--dump-instr=yes", "--collect-jumps=yes", "--compress-pos=no", "--compress-strings=no", "--callgrind-out-file=" + out, exe}, args...)...)
	cmd.Env = append(os.Environ(), Env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("valgrind %s: %w: %s", exe, err, text)
	}
	f, err := os.Open(out)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parse(bufio.NewScanner(f))
}

// Env has what makes runs of a program alike.
var Env = []string{"GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1", "GOGC=off"}

// parse reads callgrind's output: lines "0xaddress line cost". In front of such a line may stand what the cost is, if it is not
// that of the instruction: of a call, or the numbers of a jump.
func parse(sc *bufio.Scanner) (*trace, error) {
	t := &trace{map[uint64]int64{}, map[uint64]int64{}}
	call, jump := false, int64(-1)
	for sc.Scan() {
		line := sc.Text()
		switch {
		case strings.HasPrefix(line, "calls="):
			call = true
			continue
		case strings.HasPrefix(line, "jcnd="):
			n, _, _ := strings.Cut(line[5:], "/")
			taken, err := strconv.ParseInt(n, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("callgrind's line %q: %w", line, err)
			}
			jump = taken
			continue
		case strings.HasPrefix(line, "jump="):
			jump = 0
			continue
		case !strings.HasPrefix(line, "0x"):
			continue
		}
		fields := strings.Fields(line)
		pc, err := strconv.ParseUint(fields[0], 0, 64)
		if err != nil {
			return nil, fmt.Errorf("callgrind's line %q: %w", line, err)
		}
		switch {
		case call:
		case jump >= 0:
			t.taken[pc] += jump
		default:
			n, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("callgrind's line %q: %w", line, err)
			}
			t.executed[pc] += n
		}
		call, jump = false, -1
	}
	return t, sc.Err()
}

// readSymbols returns the functions of an executable.
func readSymbols(exe string) (symbols []branches.Symbol, err error) {
	f, err := elf.Open(exe)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.Symbols()
	for _, s := range list {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			symbols = append(symbols, branches.Symbol{Name: s.Name, Addr: s.Value, Size: s.Size})
		}
	}
	return symbols, err
}

// Code returns how many bytes of the functions of a program a table knows, and how many there are. The others are in assembly or C,
// or the table does not say which of several functions they are.
func Code(exe string, pkgs []branches.Package) (known, all uint64, err error) {
	symbols, err := readSymbols(exe)
	if err != nil {
		return 0, 0, err
	}
	funcs, _, err := branches.Link(pkgs, symbols)
	for _, s := range symbols {
		all += s.Size
	}
	for _, f := range funcs {
		known += f.Size
	}
	return known, all, err
}

func (t *trace) count(pkgs []branches.Package, symbols []branches.Symbol) (map[Key]Count, error) {
	funcs, unlike, err := branches.Link(pkgs, symbols)
	if err != nil {
		return nil, err
	}
	entries := map[string]branches.Pos{}
	for _, p := range pkgs {
		for _, f := range p.Funcs {
			for _, o := range f.Outcomes {
				if o.Kind == branches.Entry {
					entries[f.Name] = o.Pos
				}
			}
		}
	}
	counts := map[Key]Count{}
	add := func(f *branches.Func, o branches.Outcome, n int64) {
		k := Key{o.Kind, o.Pos}
		if o.Kind == branches.Inline {
			k = Key{branches.Entry, entries[f.Calls[o.Call-1].Func]}
		}
		c := counts[k]
		c.N += n
		c.Lost = max(c.Lost, o.Lost)
		counts[k] = c
	}
	for _, f := range funcs {
		lost := make([]branches.Loss, len(f.Outcomes))
		ns := make([]int64, len(f.Outcomes))
		for _, r := range f.Rows {
			pc := f.Addr + r.PC
			n := t.executed[pc]
			switch r.Way {
			case branches.Taken:
				n = t.taken[pc]
			case branches.NotTaken:
				n -= t.taken[pc]
			}
			for _, o := range r.Outcomes {
				ns[o] += n
				if r.Way == branches.Jump && n > 0 {
					lost[o] = branches.NoPlace // callgrind does not say which entry of the table it is
				}
			}
		}
		for i, o := range f.Outcomes {
			o.Lost = max(o.Lost, lost[i])
			add(&f.Func, o, ns[i])
		}
	}
	for _, s := range unlike {
		for _, p := range pkgs {
			for _, f := range p.Funcs {
				for _, o := range f.Outcomes {
					if f.Name == s.Name {
						o.Lost = branches.Twice // which of them the linker has taken, nobody knows
						add(&f, o, 0)
					}
				}
			}
		}
	}
	return counts, nil
}
