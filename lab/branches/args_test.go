package branches

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
	"golang.org/x/arch/x86/x86asm"
)

// The names of registers in gdb, by their numbers in tables.
var registers = [valuetable.FirstX]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10",
	"r11", "r12", "r13", "r14", "r15"}

// A stop is an instruction at which registers have arguments or results.
type stop struct {
	fn     branches.Placed
	what   string // "half A" of the arguments of main.half, "half R" of its results
	pc     uint64
	values []branches.Value
}

// stops returns those of package main.
func stops(funcs []branches.Placed) (list []stop) {
	for _, f := range funcs {
		name, ok := strings.CutPrefix(f.Name, "main.")
		if name, _, _ = strings.Cut(name, "["); !ok || name == "log" || name == "word" {
			continue
		}
		var last *stop
		for _, v := range f.Values {
			what := fmt.Sprintf("%s %c", name, v.What)
			switch {
			case v.What != branches.Passed && v.What != branches.Result || v.Lost != 0:
			case last != nil && last.what == what && last.pc == f.Addr+v.PC:
				last.values = append(last.values, v)
			default:
				list = append(list, stop{f, what, f.Addr + v.PC, []branches.Value{v}})
				last = &list[len(list)-1]
			}
		}
	}
	return list
}

// watch runs a program under gdb, and returns what registers have at stops, as the program writes it down, and what the
// program does write down.
func watch(t *testing.T, exe string, stops []stop) (got, want map[string][]string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "truth")
	var script strings.Builder
	// a signal makes gdb stop twice
	script.WriteString("set pagination off\nset width 0\nset environment GODEBUG asyncpreemptoff=1\n")
	for i, s := range stops {
		words := ""
		fmt.Fprintf(&script, "break *%#x\ncommands\nsilent\nprintf \"stop %d", s.pc, i)
		for _, v := range s.values {
			script.WriteString(" %lx")
			if v.Reg >= valuetable.FirstX {
				words += fmt.Sprintf(", $xmm%d.v2_int64[0]", v.Reg-valuetable.FirstX)
			} else {
				words += ", $" + registers[v.Reg]
			}
		}
		fmt.Fprintf(&script, "\\n\"%s\ncontinue\nend\n", words)
	}
	fmt.Fprintf(&script, "run %s\n", file)
	commands := filepath.Join(dir, "commands")
	if err := os.WriteFile(commands, []byte(script.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("gdb", "-nx", "-batch", "-x", commands, exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	got, want = map[string][]string{}, map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "stop" {
			continue
		}
		i, err := strconv.Atoi(words[1])
		if err != nil || len(words)-2 != len(stops[i].values) {
			t.Fatalf("gdb says %q", line)
		}
		s, text := &stops[i], ""
		for k, v := range s.values {
			word, err := strconv.ParseUint(words[2+k], 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			name := v.Expr
			if v.What == branches.Result {
				name = ""
			}
			text += fmt.Sprintf(" %s=%x", name, word&(1<<(8*v.Width)-1))
		}
		got[s.what] = append(got[s.what], text)
	}
	truth, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(truth) {
		at := bytes.IndexByte(line, ' ') + 2
		what := string(line[:at])
		want[what] = append(want[what], strings.TrimRight(string(line[at:]), "\n"))
	}
	return got, want
}

// differences returns what differs, and how.
func differences(got, want map[string][]string) (list []string) {
	for what := range want {
		a, b := got[what], want[what]
		if i := firstOther(a, b); i >= 0 {
			list = append(list, fmt.Sprintf("%s: %d times, want %d; call %d: %q, want %q", what, len(a), len(b), i, at(a, i),
				at(b, i)))
		}
	}
	for what := range got {
		if want[what] == nil {
			list = append(list, what+": the program does not write it down")
		}
	}
	slices.Sort(list)
	return list
}

func firstOther(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if at(a, i) != at(b, i) {
			return i
		}
	}
	return -1
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "none"
}

// later returns the address behind the next call or return from pc on.
func later(t *testing.T, code *code, s *stop) uint64 {
	t.Helper()
	text, err := code.from(s.pc, int(s.fn.Addr+s.fn.Size-s.pc))
	if err != nil {
		t.Fatal(err)
	}
	for pc := 0; pc < len(text); {
		inst, err := x86asm.Decode(text[pc:], 64)
		if err != nil {
			t.Fatal(err)
		}
		if pc += inst.Len; inst.Op == x86asm.CALL || inst.Op == x86asm.RET {
			return s.pc + uint64(pc)
		}
	}
	t.Fatalf("%s ends behind %#x without a return", s.fn.Name, s.pc)
	return 0
}

// Registers have the arguments and results that the program itself has, each time that the instruction of a row is
// executed, and it is executed once in each call: gdb stops there. That is so with no other register, width or
// instruction.
func TestArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much of std")
	}
	if out, _ := exec.Command("gdb", "-nx", "-batch", "-ex", "run", "/bin/true").Output(); !bytes.Contains(out,
		[]byte("exited normally")) {
		t.Skip("gdb is not there, or may not trace")
	}
	pepbuild, err := pepbuildtest.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := build(t, pepbuild, "testdata/args", ".", "-pepvalues=all")
	exe, err := executable.Linked(p.exe)
	if err != nil {
		t.Fatal(err)
	}
	funcs, _, err := branches.Link(p.table, exe)
	if err != nil {
		t.Fatal(err)
	}
	list := stops(funcs)
	for _, s := range list {
		for _, v := range s.values {
			if rest, ok := strings.CutPrefix(v.Expr, "result "); ok && !strings.Contains(rest, " of ") {
				t.Errorf("%s: %s: no statement returns %q", s.what, v.Pos, v.Expr)
			}
		}
	}
	got, want := watch(t, p.exe, list)
	for _, d := range differences(got, want) {
		t.Error(d)
	}
	if len(want) < 30 || len(want["deep A"]) != 121 {
		t.Errorf("the program writes down %v", slices.Sorted(maps.Keys(want)))
	}
	code, err := readCode(p.exe)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(s *stop)
		wrong  int // of so many kinds of calls
	}{
		"register": {func(s *stop) {
			for i := range s.values {
				s.values[i].Reg = s.values[i].Reg/valuetable.FirstX*valuetable.FirstX + 12
			}
		}, 25},
		"width": {func(s *stop) {
			for i := range s.values {
				s.values[i].Width = 8
			}
		}, 6},
		"instruction, behind the next call or return": {func(s *stop) { s.pc = later(t, code, s) }, 20},
		"instruction, the first of the function":      {func(s *stop) { s.pc = s.fn.Addr }, 10},
	} {
		changed := slices.Clone(list)
		for i := range changed {
			changed[i].values = slices.Clone(changed[i].values)
			test.change(&changed[i])
		}
		got, want := watch(t, p.exe, changed)
		d := differences(got, want)
		if t.Logf("%s: %d differ", name, len(d)); len(d) < test.wrong {
			t.Errorf("with another %s only these differ: %q", name, d)
		}
	}
}
