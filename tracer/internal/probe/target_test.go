//go:build linux && amd64

package probe_test

// This file runs programs to trace, and finds instructions in them by means of its own.

import (
	"debug/elf"
	"errors"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/proc/process"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// A binary is a build of testdata/target.
type binary struct {
	path    string
	symbols map[string]elf.Symbol
	file    *elf.File
}

func TestMain(m *testing.M) { targettest.Main(m) }

// build builds testdata/target.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	return targettest.Build(t, "./testdata/target", flags...)
}

func open(t *testing.T, path string) *binary {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	b := &binary{path: path, file: f, symbols: map[string]elf.Symbol{}}
	symbols, err := f.Symbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		t.Fatal(err)
	}
	for _, s := range symbols {
		b.symbols[s.Name] = s
	}
	return b
}

// offset returns where an address is in the file.
func (b *binary) offset(t *testing.T, addr uint64) uint64 {
	t.Helper()
	for _, p := range b.file.Progs {
		if p.Type == elf.PT_LOAD && p.Vaddr <= addr && addr < p.Vaddr+p.Filesz {
			return addr - p.Vaddr + p.Off
		}
	}
	t.Fatalf("%#x is in no segment", addr)
	return 0
}

// An instruction is an instruction of a function.
type instruction struct {
	x86asm.Inst
	addr uint64
	code []byte
}

func (b *binary) instructions(t *testing.T, symbol string) (list []instruction) {
	t.Helper()
	s, ok := b.symbols[symbol]
	if !ok {
		t.Fatalf("%s has no symbol %s", b.path, symbol)
	}
	code := make([]byte, s.Size)
	text := b.file.Section(".text")
	if _, err := text.ReadAt(code, int64(s.Value-text.Addr)); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(code); {
		x, err := x86asm.Decode(code[at:], 64)
		if err != nil {
			t.Fatalf("%s+%#x: %v", symbol, at, err)
		}
		list = append(list, instruction{x, s.Value + uint64(at), code[at : at+x.Len]})
		at += x.Len
	}
	return list
}

// chosen returns the probes for a wish in a program that runs.
func chosen(t *testing.T, x *targettest.Target, wish probe.Wish) *probe.Plan {
	t.Helper()
	im, err := image.OpenProcess(x.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	plan, err := probe.Choose(im, wish)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// countsOf returns what the probes of a plan count while the program works, and checks that it
// lives without them.
func countsOf(t *testing.T, x *targettest.Target, plan *probe.Plan, limits probe.Limits) *probe.Counts {
	t.Helper()
	s, err := probe.Attach(openProcess(t, x), plan, limits)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x.Work()
	c := finish(t, s)
	x.Ends()
	return c
}

func openProcess(t *testing.T, x *targettest.Target) *process.Process {
	t.Helper()
	p, err := process.Open(x.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}
