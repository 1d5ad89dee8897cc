package branches

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/values"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
	"golang.org/x/arch/x86/x86asm"
)

// Each call through a register or memory in a function of the table has one value, and no other instruction has one.
func checkCalls(t *testing.T, exe string, funcs []branches.Placed) {
	t.Helper()
	code, err := readCode(exe)
	if err != nil {
		t.Fatal(err)
	}
	n, positions := 0, 0
	for _, f := range funcs {
		var want, got []uint64
		text, err := code.from(f.Addr, int(f.Size))
		if err != nil {
			t.Fatal(err)
		}
		for pc := 0; pc < len(text); {
			inst, err := x86asm.Decode(text[pc:], 64)
			if err != nil {
				inst.Len = 1 // an instruction that x86asm does not know: it is no call
			} else if _, direct := inst.Args[0].(x86asm.Rel); inst.Op == x86asm.CALL && !direct {
				want = append(want, uint64(pc))
			}
			pc += inst.Len
		}
		for _, v := range f.Values {
			if v.What == branches.Called {
				if got = append(got, v.PC); v.Pos.Line > 0 {
					positions++
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: values of calls at %d, and calls at %d", f.Name, got, want)
		}
		n += len(want)
	}
	t.Logf("%d calls through registers and memory, %d with a position", n, positions)
	if n < 150 || positions < n*99/100 {
		t.Errorf("%d calls, want 150, and %d of them have a position", n, positions)
	}
}

// lineOf is a line of a file.
type lineOf struct {
	file string
	line int
}

// looks counts how often instructions were executed that have types, by line, and returns the losses of other places
// there.
func looks(t *testing.T, p *program, funcs []branches.Placed, tracer string, args ...string) (counts map[lineOf]int64,
	lost map[lineOf][]string) {
	t.Helper()
	rows := map[uint64][]row{}
	var at []lineOf
	counts, lost = map[lineOf]int64{}, map[lineOf][]string{}
	for _, f := range funcs {
		for _, v := range f.Values {
			line := lineOf{v.Pos.File, v.Pos.Line}
			switch {
			case v.What != branches.TypeOf && v.What != branches.ItabOf:
			case v.Lost != 0:
				lost[line] = append(lost[line], fmt.Sprintf("%s in %s", v.Lost, f.Name))
			default:
				counts[line] += 0
				rows[f.Addr+v.PC] = append(rows[f.Addr+v.PC], row{actiontable.At, 0, len(at)})
				at = append(at, line)
			}
		}
	}
	if _, err := trace(p.exe, rows, tracer, t.TempDir(), func(_ *moment, n int) error { counts[at[n]]++; return nil },
		args...); err != nil {
		t.Fatal(err)
	}
	return counts, lost
}

// Instructions with the type of an interface are executed as often as coverage says that the statements are which look
// at it, whatever their form is.
func TestValues(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much of std")
	}
	tracer := buildTracer(t)
	pepbuild := pepbuildtest.Pepbuild(t)
	p := build(t, pepbuild, "testdata/values", ".")
	exe, err := executable.Linked(p.exe)
	if err != nil {
		t.Fatal(err)
	}
	funcs, _, err := branches.Link(p.table, exe)
	if err != nil {
		t.Fatal(err)
	}
	checkCalls(t, p.exe, funcs)
	table, err := values.Link(p.table, exe, func(file string) string { return file })
	if err != nil {
		t.Fatal(err)
	}
	data, err := table.Append(nil, exe.Text)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(p.exe)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of table, %d of executable", len(data), info.Size())
	counts, lost := looks(t, p, funcs, tracer)
	coverage := p.coverage(t)
	file := filepath.Join(p.source, "main.go")
	text, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	n := 0
	for line, sc := 1, bufio.NewScanner(text); sc.Scan(); line++ {
		at := lineOf{file, line}
		got, ok := counts[at]
		if !strings.Contains(sc.Text(), "// looks") {
			if ok {
				t.Errorf("%s:%d: %q has a type", file, line, sc.Text())
			}
			continue
		}
		n++
		want, known := executed(coverage, at), strings.Contains(sc.Text(), "if x is not nil")
		if known {
			want = want / 14 * 13
		}
		if got != want || len(lost[at]) > 0 != known || !ok {
			t.Errorf("%s:%d: %s: instructions with a type are executed %d times, and it %d times; lost: %q", file, line,
				strings.TrimSpace(sc.Text()), got, want, lost[at])
		}
	}
	if n < 30 {
		t.Errorf("%d lines look at types", n)
	}
}

// executed returns how often coverage says that a line is: that is the count of the last block that begins there, or
// before.
func executed(coverage map[branches.Pos]int64, at lineOf) (n int64) {
	last := branches.Pos{}
	for p, c := range coverage {
		before := p.Line < at.line || p.Line == at.line && p.Col < 4 // the body of an if begins behind what it looks at
		if p.File == at.file && before && (p.Line > last.Line || p.Line == last.Line && p.Col > last.Col) {
			last, n = p, c
		}
	}
	return n
}
