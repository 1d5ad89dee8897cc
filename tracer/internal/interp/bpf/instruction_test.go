package bpf_test

import (
	hexadecimal "encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"

	"github.com/pepgo/pep/tracer/internal/interp/bpf"
	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/interp/steptest"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
)

// Instructions of further kinds, or of kinds that are rare among the encodings.
const (
	// XOR EAX, EAX; SUB RCX, RCX; MOVSXD, MOVSX and MOVZX of 1 to 4 bytes; LEA without and with index, of 8 and 4 bytes,
	// with 67; MOV RAX, FS:[RBX] and FS:[RBX+RSI]; CMPXCHG RAX, RCX, which are equal; MUL CX, DIV CX.
	general = `31c0 4829c9 48634304 480fbe4301 480fbf4302 4863c1 480fb6c1 480fb7c1 488d430c 488d4c73f0 8d430c 8d4c7304 678d4801
	64488b03 64488b0433 480fb1c8 66f7e1 66f7f1`
	// CVTDQ2PD, PSRLQ, AESENC, PCMPESTRI, PACKUSWB, PMOVMSKB
	vectors = "f30fe6c1 660fd3c1 660f38dcc1 660f3a61c10c 660f67c1 660fd7c1"
	// VMOVDQU64 to and from memory, VPCOMPRESSQ, KANDQ, KORTESTQ and KMOVQ
	avx512 = "62f1fe496f03 62f1fe497f03 62f2fd498bc9 c4e1ec41cb c4e1f898c1 c4e1fb93c1"
)

// TestInstructionsInTheKernel is VSAMP-11: random instructions of each encoding, on random registers, are executed by
// the program in the kernel, by package interp, and by the processor. All registers, flags and notes must agree.
func TestInstructionsInTheKernel(t *testing.T) {
	rlimit.RemoveMemlock()
	var objs bpf.StepsObjects
	skipWithout(t, bpf.LoadStepsObjects(&objs, nil))
	defer objs.Close()
	bench, r := steptest.Begin(t)
	c := instructions{t: t, objs: &objs, bench: bench, rand: r, m: ops.NewMachine(), claims: claimed(t),
		kinds: map[uint32]int{}, subs: map[uint32]int{}, stopped: map[ops.Stop]int{}}
	times := 150
	if testing.Short() {
		times = 30
	}
	for _, e := range append(steptest.Encodings(), steptest.Integers()...) {
		for range times {
			c.one(e.Random(r), e.MayStop())
			if t.Failed() {
				return
			}
		}
	}
	list := general + " " + vectors
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil && strings.Contains(string(info), " avx512_vbmi2 ") {
		list += " " + avx512
	} else {
		maps.DeleteFunc(c.claims, func(name string, _ uint32) bool {
			return strings.HasSuffix(name, "_MASK") || name == "K_VPRESS" || name == "K_VMASK"
		})
	}
	for _, hex := range strings.Fields(list) {
		code, err := hexadecimal.DecodeString(hex)
		if err != nil {
			t.Fatal(err)
		}
		for range times {
			c.one(code, hex == "66f7f1") // a division can trap
		}
	}
	t.Logf("%d steps compared, %d of them with all registers known; %d notes; not interpreted: %v",
		c.compared, c.whole, c.notes, c.stopped)
	if c.whole < c.compared*6/10 {
		t.Errorf("all registers are known after %d of %d steps only", c.whole, c.compared)
	}
	for _, name := range slices.Sorted(maps.Keys(c.claims)) {
		met := c.kinds
		if strings.HasPrefix(name, "A_") {
			met = c.subs
		}
		if met[c.claims[name]] == 0 {
			t.Errorf("no instruction had %s", name)
		}
	}
}

// without are operations for which the programs in C have no code: package interp does not make them of single
// instructions, or they read clocks, where runs end.
var without = regexp.MustCompile(`^K_(ACT|ACT_AT|ACT_IF|NOTE|NOTE_V|NOTE_A|[A-Z]+_Q\d+|(CMP|TEST)\w*J|VECTOR|CLOCK)$|^A_XADD$`)

// claimed returns the operations for which the programs in C have code, and their numbers.
func claimed(t *testing.T) map[string]uint32 {
	numbers, claims := map[string]uint32{}, map[string]uint32{}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, m := range regexp.MustCompile(`\t([KA]_\w+) = (\d+),`).FindAllStringSubmatch(read("ops.h"), -1) {
		n, err := strconv.ParseUint(m[2], 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		numbers[m[1]] = uint32(n)
	}
	for _, m := range regexp.MustCompile(`case ([KA]_\w+):`).FindAllStringSubmatch(read("interp.h")+read("run.h"), -1) {
		n, ok := numbers[m[1]]
		if !ok {
			t.Fatalf("%s is in no enumeration", m[1])
		}
		claims[m[1]] = n
	}
	for name := range numbers {
		if _, ok := claims[name]; ok == without.MatchString(name) {
			t.Errorf("%s has code: %v", name, ok)
		}
	}
	delete(claims, "K_STOP") // TestStops has these
	delete(claims, "K_STRING")
	return claims
}

// All registers and flags are known before.
const allKnown, allFlags = 1<<16 - 1, 0x8c5

type instructions struct {
	t      *testing.T
	objs   *bpf.StepsObjects
	bench  *steptest.Bench
	rand   *rand.Rand
	m      *ops.Machine
	claims map[string]uint32

	compared, whole, notes int
	kinds, subs            map[uint32]int // of what kAlu does
	stopped                map[ops.Stop]int
}

// one compares an instruction.
func (c *instructions) one(code []byte, mayStop bool) {
	t, th, bench := c.t, c.bench.Thread, c.bench
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatalf("% x: %v", code, err)
		}
	}
	must(bench.Set(code, c.rand))
	table := ops.NewTable()
	table.Add(ops.Bytes{Base: bench.Entry, Code: code}, bench.Entry, 1)
	table.Ops[1].Named = uint8(c.rand.IntN(16))
	for i := 1; i < len(table.Ops); i++ {
		must(c.objs.Ops.Put(uint32(i), &table.Ops[i]))
	}
	what := fmt.Sprintf("% x, registers %x, flags %#x", code, th.General(), th.Regs.Eflags)
	cx, before := th.Regs.Rcx, th.Regs.Eflags
	q := bpf.StepsRequest{Regs: th.General(), FsBase: th.Regs.Fs_base, Flags: before, Pc: bench.Entry, Index: 1, N: 1}
	q.Tid, q.Known, q.FlagsKnown = uint32(th.TID), allKnown, allFlags
	part := c.rand.IntN(3) == 0
	if part { // what is not known has other values
		q.Known, q.FlagsKnown = uint32(c.rand.IntN(1<<16)|c.rand.IntN(1<<16)), c.rand.Uint64()&allFlags
		for i := range q.Regs {
			if q.Known>>i&1 == 0 {
				q.Regs[i] = steptest.Number(c.rand)
			}
		}
		q.Flags ^= c.rand.Uint64() & allFlags &^ q.FlagsKnown
	}
	given, known, flagsKnown := q.Regs, q.Known, q.FlagsKnown
	_, err := c.objs.RunSteps.Run(&ebpf.RunOptions{Context: &q, ContextOut: &q})
	must(err)
	m := c.m
	m.Forget()
	x, err := th.XState()
	must(err)
	m.Begin(th.General(), before, bench.Entry, th.Regs.Fs_base, th.Read)
	copy(m.Vectors[:], x.Vectors[:])
	*m.Masks() = x.Masks
	var step ops.Step
	why := m.Run(table, 1, func(s *ops.Step) { step = *s })
	if q.Steps == 0 {
		stop := ops.Stop(q.Stop)
		c.stopped[stop]++
		unknown := stop == ops.UnknownFlags || stop == ops.UnknownAddress || stop == ops.UnknownTarget
		if part && unknown {
			return
		}
		if why == ops.Done && !mayStop || why != ops.Done && why != stop {
			t.Errorf("%s: the program in the kernel stops: %v; package interp: %v", what, stop, why)
		}
		for i, v := range given {
			if q.Regs[i] != v || q.Pc != bench.Entry {
				t.Errorf("%s: the program in the kernel has stopped, and has register %d %#x, PC %#x", what, i, q.Regs[i], q.Pc)
			}
		}
		return
	}
	if why != ops.Done && (part || mayStop) {
		return // what the program in the kernel does not know
	}
	if why != ops.Done {
		t.Errorf("%s: package interp stops, and the program in the kernel does not: %v", what, why)
		return
	}
	for i := range table.Instruction(1) {
		op := &table.Ops[1+i]
		c.kinds[uint32(op.Kind)]++
		switch uint32(op.Kind) {
		case c.claims["K_ALU"]:
			c.subs[op.L0]++
		case c.claims["K_CMP"]:
			c.subs[c.claims["A_CMP"]]++
		case c.claims["K_TEST"]:
			c.subs[c.claims["A_TEST"]]++
		}
	}
	if part {
		what = fmt.Sprintf("%s, of these known %#x, %#x", what, known, flagsKnown)
	}
	c.compared++
	whole := q.Known&allKnown == allKnown
	if whole {
		c.whole++
	}
	for i := range q.Regs {
		if q.Known>>i&1 != 0 && q.Regs[i] != m.R[i] {
			t.Errorf("%s: register %d is %#x in the kernel, package interp has %#x", what, i, q.Regs[i], m.R[i])
		}
	}
	if d := (q.Flags ^ m.Flags()) & q.FlagsKnown; d != 0 || q.Pc != m.PC {
		t.Errorf("%s: flags %#x (known %#x) and PC %#x in the kernel, package interp has %#x, %#x",
			what, q.Flags, q.FlagsKnown, q.Pc, m.Flags(), m.PC)
	}
	c.compareNotes(what, &q.Last, &step, whole && q.FlagsKnown == allFlags && !part && !steptest.Vector(code))
	page := make([]byte, 0x2000)
	must(th.Read(bench.Data, page))
	if err := th.Step(); err == ptrace.ErrFault && q.Pc-bench.Entry > 16 {
		return // a jump to an impossible address
	} else if err != nil {
		t.Fatalf("%s: %v, and the program does not\n%+v", what, err, q)
	}
	got := result{"the program in the kernel", q.Regs, q.Known, q.Flags, q.FlagsKnown &^ steptest.Undefined(code, cx),
		q.Pc, 1}
	for _, diff := range got.compare(th) {
		t.Errorf("%s: %s", what, diff)
	}
	c.compareStores(what, &q, page)
}

// compareNotes compares what the two interpreters say of the instruction, as far as the one in the kernel knows it. If
// whole is set, it must know everything.
func (c *instructions) compareNotes(what string, k *bpf.StepsTuple, s *ops.Step, whole bool) {
	if k.Pc != s.PC {
		c.t.Errorf("%s: noted as of %#x in the kernel, of %#x by package interp", what, k.Pc, s.PC)
	}
	for _, f := range []struct {
		name   string
		have   ops.Have
		kernel uint64
		here   uint64
	}{
		{"result", ops.HaveResult, k.Result, s.Result}, {"address", ops.HaveAddr, k.Addr, s.Addr},
		{"first", ops.HaveFirst, k.First, s.First}, {"second", ops.HaveSecond, k.Second, s.Second},
		{"named", ops.HaveNamed, k.Named, s.Named},
	} {
		kernel, here := ops.Have(k.Have)&f.have != 0, s.Have&f.have != 0
		if kernel && (!here || f.kernel != f.here) {
			c.t.Errorf("%s: %s is %#x in the kernel, package interp has %#x (%v)", what, f.name, f.kernel, f.here, here)
		}
		if kernel {
			c.notes++
		} else if here && whole {
			c.t.Errorf("%s: %s is not known in the kernel, package interp has %#x", what, f.name, f.here)
		}
	}
}

// compareStores compares what the program in the kernel stored with what the processor did.
func (c *instructions) compareStores(what string, q *bpf.StepsRequest, before []byte) {
	after := make([]byte, len(before))
	if err := c.bench.Thread.Read(c.bench.Data, after); err != nil {
		c.t.Fatal(err)
	}
	for _, s := range q.Stores[:q.Nstores] {
		for i := range uint64(s.Width) {
			at := s.Addr + i - c.bench.Data
			if at >= uint64(len(after)) {
				continue // on the stack below
			}
			if s.Known != 0 && after[at] != byte(s.Value>>(8*i)) {
				c.t.Errorf("%s: the program in the kernel has stored %#x of %d bytes at %#x, the processor %#x as byte %d",
					what, s.Value, s.Width, s.Addr, after[at], i)
			}
			before[at] = after[at]
		}
	}
	for i := range after {
		if before[i] != after[i] {
			c.t.Errorf("%s: the processor has stored %#x at %#x, and the program in the kernel nothing",
				what, after[i], c.bench.Data+uint64(i))
		}
	}
}
