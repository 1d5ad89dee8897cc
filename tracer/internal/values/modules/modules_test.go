package modules_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/describe"
	"github.com/pepgo/pep/tracer/internal/values/modules"
)

// facts is a resolver of what a test says.
type facts struct {
	deltas  map[uint64]int
	symbols map[uint64]string
	types   map[uint64]string
	itabs   map[uint64]uint64 // the type of each
	lines   map[uint64]string
}

func (f facts) Type(_ *capture.Image, word uint64) (string, uint64) {
	if descriptor, ok := f.itabs[word]; ok {
		word = descriptor
	}
	return f.types[word], word
}

func (f facts) SPDelta(_ *capture.Image, pc uint64) (int, bool) {
	d, ok := f.deltas[pc]
	return d, ok
}

func (f facts) Symbol(_ *capture.Image, addr uint64) (string, uint64) {
	for offset := range uint64(64) {
		if name, ok := f.symbols[addr-offset]; ok {
			return name, offset
		}
	}
	return "", 0
}

func (f facts) Position(_ *capture.Image, pc uint64) string { return f.lines[pc] }

var image = &capture.Image{BuildID: "abcd", Path: "app"}

// insn is an instruction at pc, whose code is given in hexadecimal.
func insn(t *testing.T, pc uint64, code string) *capture.Instruction {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(code, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	in, err := describe.Instruction(image, pc, b)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// module returns a module by its description.
func module(t *testing.T, text string, r modules.Resolver) capture.Module {
	t.Helper()
	list, err := modules.Parse(text, r)
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// samples returns what a module makes of a run, each as "pc kind value". The tuples have
// only what the module wants.
func samples(m capture.Module, r capture.Run) (list []string) {
	r.Tuples = slices.Clone(r.Tuples)
	r.Tuples = slices.DeleteFunc(r.Tuples, func(t capture.Tuple) bool { return m.Capture(t.Insn).Fields == 0 })
	for i := range r.Tuples {
		t := &r.Tuples[i]
		t.Known &= m.Capture(t.Insn).Fields
	}
	m.Transform(&r, func(s capture.Sample) {
		list = append(list, fmt.Sprintf("%#x %s %s", s.Insn.PC, s.Kind, m.Format(s.Insn, s.Kind, s.Value)))
	})
	return list
}

func TestParse(t *testing.T) {
	for _, text := range []string{"operands", "operands,floats", "vreplay(window=40,modulo=4096), strides",
		"vreplay(machine=alpha)"} {
		list, err := modules.Parse(text, facts{})
		if want := strings.Count(text, "),") + 1 + strings.Count(strings.TrimSuffix(text, ")"), "s,"); err != nil ||
			len(list) != want {
			t.Errorf("%s: %d modules, %v, want %d", text, len(list), err, want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"", `no module ""; choose of operands, callsites, strides, types, vreplay, floats`},
		{"latency", `no module "latency"`},
		{"vreplay(window=40", "the ) is missing"},
		{"vreplay(window=0)", "window=0: want a number from 1"},
		{"vreplay(window=many)", "window=many"},
		{"vreplay(machine=arm)", "choose of x86, alpha"},
		{"operands(window=3)", `no option "window"`},
		{"operands,,floats", `no module ""`},
	} {
		if _, err := modules.Parse(c.text, facts{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got error %v, want one with %q", c.text, err, c.want)
		}
	}
}

// Each kind of value belongs to one module, which ForKind finds.
func TestKinds(t *testing.T) {
	owner := map[string]string{}
	for _, k := range modules.All {
		for _, v := range k.Values {
			if owner[v] != "" {
				t.Errorf("%s and %s both have values of the kind %q", owner[v], k.Name, v)
			}
			owner[v] = k.Name
			if _, ok := modules.ForKind(v, facts{}); !ok {
				t.Errorf("no module for the kind %q", v)
			}
		}
	}
	if m, ok := modules.ForKind("colour", facts{}); ok {
		t.Errorf("a module %v for the kind colour", m)
	}
}

func TestOperands(t *testing.T) {
	m := module(t, "operands", facts{symbols: map[uint64]string{0x402000: "main.f"}})
	all := capture.Result | capture.First | capture.Second | capture.Addr | capture.Taken | capture.Target
	tuple := func(pc uint64, code string, change func(x *capture.Tuple)) capture.Tuple {
		x := capture.Tuple{Insn: insn(t, pc, code), Known: all, Result: 0x77, First: 5, Second: 0xabc}
		if change != nil {
			change(&x)
		}
		return x
	}
	got := samples(m, capture.Run{Bias: 0x1000, Tuples: []capture.Tuple{
		tuple(1, "48 8b 0c d0", nil), // mov rcx, [rax+rdx*8]
		tuple(2, "48 85 c9", nil),    // test rcx, rcx
		tuple(3, "75 10", nil),       // jne
		tuple(4, "75 10", func(x *capture.Tuple) { x.Taken = true }),
		tuple(5, "44 89 4c 24 10", nil),                                   // mov [rsp+0x10], r9d
		tuple(6, "48 83 ec 20", nil),                                      // sub rsp, 0x20
		tuple(7, "e8 00 01 00 00", nil),                                   // call
		tuple(8, "ff d1", func(x *capture.Tuple) { x.Target = 0x403000 }), // call rcx
		tuple(9, "ff e1", func(x *capture.Tuple) { x.Target = 0x403010 }), // jmp rcx
		tuple(10, "c3", nil),
		tuple(11, "f2 0f 10 08", nil), // movsd xmm1, [rax]
		tuple(12, "5d", func(x *capture.Tuple) { x.Known = 0 }),
	}})
	want := []string{"0x1 result 0x77", "0x2 first 5", "0x2 second 0xabc", "0x3 taken not taken", "0x4 taken taken",
		"0x5 result 0x77", "0x8 target main.f", "0x9 target 0x402010"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// VSAMP-15: values are written as floating-point numbers.
func TestFloats(t *testing.T) {
	m := module(t, "floats", facts{})
	got := samples(m, capture.Run{Tuples: []capture.Tuple{
		// movsd xmm1, [rax]
		{Insn: insn(t, 1, "f2 0f 10 08"), Known: capture.Second, Second: math.Float64bits(1.5)},
		// addss xmm2, [rdx+4]
		{Insn: insn(t, 2, "f3 0f 58 52 04"), Known: capture.Second, Second: uint64(math.Float32bits(0.1))},
		// movsd [rsp+8], xmm0
		{Insn: insn(t, 3, "f2 0f 11 44 24 08"), Known: capture.Second, Second: 7},
		{Insn: insn(t, 4, "48 8b 0c d0"), Known: capture.Second, Second: 7},
		{Insn: insn(t, 5, "f2 0f 10 08"), Known: capture.Second, Second: math.Float64bits(math.Inf(-1))},
		{Insn: insn(t, 6, "f2 0f 10 08"), Known: 0},
	}})
	if d := cmp.Diff([]string{"0x1 float 1.5", "0x2 float 0.1", "0x3 float 3.5e-323", "0x5 float -Inf"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestStrides(t *testing.T) {
	m := module(t, "strides", facts{})
	load, other, push := insn(t, 1, "48 8b 0c d0"), insn(t, 2, "48 8b 0c d0"), insn(t, 3, "55")
	var run capture.Run
	for i, x := range []struct {
		in   *capture.Instruction
		addr uint64
	}{{load, 100}, {other, 7}, {push, 1}, {load, 164}, {push, 9}, {load, 160}, {other, 7}} {
		run.Tuples = append(run.Tuples, capture.Tuple{Insn: x.in, Known: capture.Addr, Addr: x.addr, Result: uint64(i)})
	}
	if d := cmp.Diff([]string{"0x1 stride +64", "0x1 stride -4", "0x2 stride 0"}, samples(m, run)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestTypes(t *testing.T) {
	m := module(t, "types", facts{
		types: map[uint64]string{0x5000: "main.circle", 0x5100: "*main.pair[int,string]"},
		itabs: map[uint64]uint64{0x6000: 0x5100},
	})
	load, compare, narrow := insn(t, 1, "48 8b 0c d0"), insn(t, 2, "48 39 c8"), insn(t, 3, "8b 0c d0")
	const bias = 0x100000
	got := samples(m, capture.Run{Bias: bias, Tuples: []capture.Tuple{
		{Insn: load, Known: capture.Result, Result: bias + 0x5000},
		{Insn: load, Known: capture.Result, Result: bias + 0x6000},
		{Insn: load, Known: capture.Result, Result: bias + 0x5100},
		{Insn: load, Known: capture.Result, Result: bias + 0x6008}, // in an itab
		{Insn: load, Known: capture.Result, Result: bias + 0x7000},
		{Insn: load, Known: capture.Result, Result: 0x5000},
		{Insn: compare, Known: capture.First, First: bias + 0x5000},
		{Insn: narrow, Known: capture.Result, Result: bias + 0x5000},
		{Insn: load},
	}})
	if d := cmp.Diff([]string{"0x1 type main.circle", "0x1 type *main.pair[int,string]", "0x1 type *main.pair[int,string]",
		"0x2 type main.circle"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// VSAMP-14: a function that gets 1 from one caller and 2 from the other. The runs begin at
// each instruction of its code, so each of the candidates is the right one for some, and for
// one there is none. The oracle is the stack of a machine that executes these instructions.
func TestCallSites(t *testing.T) {
	code := []struct {
		code  string
		delta int
	}{
		{"55", 0},           // push rbp
		{"48 89 e5", 8},     // mov rbp, rsp
		{"48 83 ec 10", 8},  // sub rsp, 0x10
		{"89 d8", 24},       // mov eax, ebx
		{"48 83 c4 10", 24}, // add rsp, 0x10
		{"5d", 8},           // pop rbp
		{"89 d8", 0},        // mov eax, ebx, outside of the frame
		{"c3", 0},           // ret
		{"89 d9", -1},       // mov ecx, ebx, in the caller
	}
	const bias = 0x70000000
	f := facts{deltas: map[uint64]int{}, lines: map[uint64]string{0x2004: "main.a x.go:10", 0x3004: "main.b x.go:20"}}
	var insns []*capture.Instruction
	pc := uint64(0x1000)
	for _, c := range code[:len(code)-1] {
		in := insn(t, pc, c.code)
		insns = append(insns, in)
		f.deltas[pc] = c.delta
		pc += uint64(len(in.Code))
	}
	m := module(t, "callsites", f)
	for _, caller := range []struct{ ret, value uint64 }{{0x2005, 1}, {0x3005, 2}} {
		// The caller's frame: its RBP points to 0x9100, and behind that is its own return address.
		memory := map[uint64]uint64{0x9108: bias + 0x4000, 0x9000: bias + caller.ret}
		sp, bp := uint64(0x9000), uint64(0x9100)
		after := insn(t, caller.ret, code[len(code)-1].code)
		known := 0
		for start := range insns {
			run := capture.Run{Bias: bias, TopOfStack: memory[sp], BehindFrame: memory[bp+8]}
			for _, in := range insns[start:] {
				run.Tuples = append(run.Tuples, capture.Tuple{Insn: in, Known: capture.Visit | capture.Result,
					Result: caller.value})
			}
			run.Tuples = append(run.Tuples, capture.Tuple{Insn: after, Known: capture.Visit | capture.Result, Result: 9})
			where := f.lines[caller.ret-1]
			for _, s := range samples(m, run) {
				if !strings.HasSuffix(s, fmt.Sprintf("result by caller %d from %s", caller.value, where)) {
					t.Errorf("run from instruction %d, called from %s: got %q", start, where, s)
				}
				known++
			}
			if got := len(samples(m, run)); (got == 0) != (start == 1 || start >= 7) {
				t.Errorf("run from instruction %d: %d samples", start, got)
			}
			switch start { // execute
			case 0:
				sp -= 8
				memory[sp] = bp
			case 1:
				bp = sp
			case 2:
				sp -= 16
			case 4:
				sp += 16
			case 5:
				bp = memory[sp]
				sp += 8
			}
		}
		if known < 10 {
			t.Errorf("only %d samples", known)
		}
	}
}

// Calls and returns within a run change the call site; behind a return to an unknown
// function nothing is known until the next call.
func TestCallSitesWithinARun(t *testing.T) {
	f := facts{deltas: map[uint64]int{0x1000: 16}}
	m := module(t, "callsites", f)
	result := capture.Visit | capture.Result
	move := insn(t, 0x1000, "89 d8")
	call := insn(t, 0x1010, "e8 00 01 00 00")
	ret := insn(t, 0x1020, "c3")
	tuples := func(list ...*capture.Instruction) (tuples []capture.Tuple) {
		for i, in := range list {
			tuples = append(tuples, capture.Tuple{Insn: in, Known: result, Result: uint64(i)})
		}
		return tuples
	}
	got := samples(m, capture.Run{BehindFrame: 0x5005, TopOfStack: 0x6666,
		Tuples: tuples(move, call, move, ret, move, ret, move, call, move)})
	want := []string{"0x1000 result by caller 0 from 0x5005", "0x1000 result by caller 2 from 0x1015",
		"0x1000 result by caller 4 from 0x5005", "0x1000 result by caller 8 from 0x1015"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := samples(m, capture.Run{Tuples: tuples(move)}); len(got) > 0 {
		t.Errorf("without a readable candidate: got %q", got)
	}
}

// A sampler that serves several modules notes what any of them wants.
func TestTogether(t *testing.T) {
	load, branch, ret := insn(t, 1, "48 8b 0c d0"), insn(t, 2, "75 10"), insn(t, 3, "c3")
	list, err := modules.Parse("operands,strides", facts{})
	if err != nil {
		t.Fatal(err)
	}
	both := modules.Together(append(list, named(3), named(5)))
	for _, c := range []struct {
		in   *capture.Instruction
		want capture.Want
	}{
		{load, capture.Want{Fields: capture.Result | capture.Addr | capture.Named, Register: 3}},
		{branch, capture.Want{Fields: capture.Taken | capture.Named, Register: 3}},
		{ret, capture.Want{Fields: capture.Named, Register: 3}},
	} {
		if got := both.Capture(c.in); got != c.want {
			t.Errorf("at %d: got %+v, want %+v", c.in.PC, got, c.want)
		}
	}
}

// named is a module that wants a register of each instruction.
type named uint8

func (n named) Capture(*capture.Instruction) capture.Want {
	return capture.Want{Fields: capture.Named, Register: uint8(n)}
}
func (named) Transform(*capture.Run, func(capture.Sample))              {}
func (named) Format(*capture.Instruction, string, capture.Value) string { return "" }
