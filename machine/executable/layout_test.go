package executable_test

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/machine/executable"
)

// A symbol is a function in an executable.
type symbol struct {
	addr uint64
	name string
}

// symbolsOf returns the functions of an executable as go tool nm -n lists them: in the
// order of their addresses.
func symbolsOf(t *testing.T, exe string) (list []symbol) {
	t.Helper()
	out, err := exec.Command("go", "tool", "nm", "-n", exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(f) < 3 || !strings.EqualFold(f[1], "T") {
			continue
		}
		addr, err := strconv.ParseUint(f[0], 16, 64)
		if err != nil {
			t.Fatalf("go tool nm: %s", line)
		}
		list = append(list, symbol{addr, f[2]})
	}
	return list
}

// The taps of a program without inlining are in its functions, in the order in which the
// linker has put them. A stripped program says the same.
func TestLayoutIsThatOfTheLinker(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	text, err := os.ReadFile("../../runtime/taps/testdata/stacks/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"main.go": text, "go.mod": []byte("module stacks\n\ngo 1.26\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	flags := []string{"-pepmode=taps", "-peptaps=loads,pairs,args,entries,returns,directcalls", "-gcflags=-l"}
	prog := pepbuildtest.Program(t, dir, flags...)
	l, err := executable.OpenLayout(prog)
	if err != nil {
		t.Fatal(err)
	}
	symbols := symbolsOf(t, prog)
	at, functions := 0, map[string]bool{} // the function of the place before
	for i, p := range l.Places {
		for at+1 < len(symbols) && symbols[at+1].addr <= p.Addr {
			at++
		}
		name := sourceName(symbols[at].name)
		if want := sourceName(p.Tap.Func); symbols[at].addr > p.Addr || name != want {
			t.Errorf("place %d, a tap in %s, is at %#x, in %s", i, want, p.Addr, symbols[at].name)
		}
		functions[name] = true
	}
	taps := 0
	for _, p := range pepbuildtest.SiteTables(t, prog) {
		taps += len(p.Taps)
	}
	if len(l.Places)+l.Absent < taps || l.Absent > 0 || len(functions) < 20 {
		t.Errorf("%d of %d taps found, %d absent, in %d functions", len(l.Places), taps, l.Absent, len(functions))
	}

	stripped := pepbuildtest.Program(t, dir, append(flags, "-ldflags=-s -w")...)
	if f, err := elf.Open(stripped); err != nil || f.Section(".symtab") != nil || f.Section(".debug_line") != nil {
		t.Fatalf("%v, or it is not stripped", err)
	}
	again, err := executable.OpenLayout(stripped)
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	l.WriteTo(&a)
	again.WriteTo(&b)
	if a.String() != b.String() {
		t.Errorf("stripped, the layout is\n%s\nand not\n%s", &b, &a)
	}
}

// sourceName returns the name of the function in the source for a symbol. The symbol may be
// an instance of a generic function, or a wrapper that calls a deferred function.
func sourceName(symbol string) string {
	if i := strings.Index(symbol, ".deferwrap"); i >= 0 {
		symbol = symbol[:i]
	}
	if i := strings.IndexByte(symbol, '['); i >= 0 {
		symbol = symbol[:i] + symbol[strings.LastIndexByte(symbol, ']')+1:]
	}
	return symbol
}

// A tap in a function that is inlined twice has three addresses, one of them in the
// function itself.
func TestLayoutOfInlinedFunctions(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module inlined\n\ngo 1.26\n", "main.go": `package main

type node struct{ n int }

func get(p *node) int { return p.n }

//go:noinline
func one(p *node) int { return get(p) + 1 }

//go:noinline
func two(p *node) int { return get(p) + 2 }

var f = get

func main() {
	p := &node{3}
	println(one(p), two(p), f(p))
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog := pepbuildtest.Program(t, dir, "-pepmode=taps", "-peptaps=loads")
	l, err := executable.OpenLayout(prog)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range l.Places {
		if p.Tap.Func == "main.get" && p.Tap.Tag == uint8(tuple.Load) {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d addresses of the load in get, want those in get, one and two", n)
	}
}
