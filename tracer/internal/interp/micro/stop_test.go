package micro_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/pepgo/pep/tracer/internal/interp/micro"
)

// memory is a piece of memory for tests.
type memory map[uint64]uint64 // words at multiples of 8

func (m memory) read(code micro.Bytes) func(addr uint64, to []byte) error {
	return func(addr uint64, to []byte) error {
		found := copy(to, code.Code[min(addr-code.Base, uint64(len(code.Code))):])
		if addr > code.Base+uint64(len(code.Code)) {
			found = 0
		}
		for i := range to {
			if w, ok := m[(addr+uint64(i))&^7]; ok {
				to[i], found = byte(w>>(8*((addr+uint64(i))&7))), 1
			}
		}
		if found == 0 {
			return os.ErrNotExist
		}
		return nil
	}
}

const base = 0x401000

// run interprets code, given in hexadecimal. SP is 0x8000.
func run(t *testing.T, text string, n int, mem memory) (*micro.Machine, micro.Stop, []micro.Step) {
	t.Helper()
	code, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	table, bytes := micro.NewTable(), micro.Bytes{Base: base, Code: code}
	table.Add(bytes, base, 100)
	regs := [16]uint64{}
	for i := range regs {
		regs[i] = uint64(0x1000 * (i + 1))
	}
	regs[micro.SP] = 0x8000
	m := micro.NewMachine()
	m.Begin(regs, 0, base, 0, mem.read(bytes))
	var steps []micro.Step
	stop := m.Run(table, n, func(s *micro.Step) { steps = append(steps, *s) })
	return m, stop, steps
}

// TestStops is VSAMP-12. It has code for reasons to stop: how many instructions are executed before, and
// which is next.
func TestStops(t *testing.T) {
	good := memory{0x7ff8: 1, 0x8000: base, 0x8008: 7}
	for _, c := range []struct {
		name, code string
		n          int
		stop       micro.Stop
		steps      int
		pc         uint64
	}{
		{"as long as wanted", "90 90 90", 2, micro.Done, 2, base + 2},
		{"cpuid", "90 0fa2", 9, micro.Unsupported, 1, base + 1},
		{"no instruction", "90 06", 9, micro.Unsupported, 1, base + 1},
		{"lock xadd [rsp], rcx", "90 f0480fc10c24", 2, micro.Done, 2, base + 7},
		{"xor ecx, ecx; rep movsq", "31c9 f348a5", 2, micro.Done, 2, base + 5},
		{"mov rax, gs:[8] without its base", "65488b042508000000", 9, micro.Fault, 0, base},
		{"syscall", "90 0f05", 9, micro.Syscall, 1, base + 1},
		{"int3", "cc", 9, micro.Trap, 0, base},
		{"ud2", "0f0b", 9, micro.Trap, 0, base},
		{"mov rsp, [rsp] switches stacks", "90 488b2424", 9, micro.StackSwitch, 1, base + 1},
		{"mov rsp, rax", "4889c4", 9, micro.StackSwitch, 0, base},
		{"mov rsp, rbp does not", "4889ec", 1, micro.Done, 1, base + 3},
		{"pop rsp", "5c", 9, micro.StackSwitch, 0, base},
		{"mov rax, [rax]: nothing is there", "90 488b00", 9, micro.Fault, 1, base + 1},
		{"add [rax], rcx faults", "480108", 9, micro.Fault, 0, base},
		{"ret to code that is not there", "c3", 1, micro.Done, 1, base},
		{"jmp rax", "ffe0", 9, micro.NotDecoded, 1, 0x1000},
		{"xor ecx, ecx; xor edx, edx; div ecx", "31c9 31d2 f7f1", 9, micro.Divide, 2, base + 4},
		{"div rcx with a quotient that is too large", "48f7f1", 9, micro.Divide, 0, base},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, stop, steps := run(t, c.code, c.n, good)
			if stop != c.stop || len(steps) != c.steps || m.Steps != c.steps || m.PC != c.pc {
				t.Errorf("stop %q after %d (%d) steps at %#x, want %q after %d at %#x", stop, len(steps), m.Steps, m.PC, c.stop, c.steps, c.pc)
			}
		})
	}
	for _, s := range micro.Stops() {
		if strings.HasPrefix(s.String(), "stop ") {
			t.Errorf("stop %d has no name", s)
		}
	}
}

// TestSteps has what steps say of instructions of several kinds. AX is 0x1000, CX 0x2000 and so on.
func TestSteps(t *testing.T) {
	mem := memory{0x7ff8: 1, 0x8000: base, 0x8008: 0xff07}
	for _, c := range []struct {
		name, code string
		want       micro.Step
	}{
		{"add rax, rcx", "4801c8", micro.Step{Result: 0x3000, First: 0x1000, Second: 0x2000}},
		{"add [rsp+8], cx", "66014c2408", micro.Step{Result: 0x1f07, First: 0xff07, Second: 0x2000, Addr: 0x8008}},
		{"movsx eax, byte [rsp+9]", "0fbe442409", micro.Step{Result: 0xffffffff, Second: ^uint64(0), Addr: 0x8009}},
		{"cmp rax, rcx", "4839c8", micro.Step{Result: ^uint64(0xfff), First: 0x1000, Second: 0x2000}},
		{"test eax, 0x1800", "a900180000", micro.Step{Result: 0x1000, First: 0x1000, Second: 0x1800}},
		{"mov ah, ch", "88ec", micro.Step{Result: 0x20, Second: 0x20}},
		{"push rcx", "51", micro.Step{Result: 0x2000, Second: 0x2000, Addr: 0x7ff8}},
		{"pop rcx", "59", micro.Step{Result: base, Addr: 0x8000}},
		{"ret", "c3", micro.Step{Result: base, Addr: 0x8000}},
		{"call", "e800000000", micro.Step{Addr: 0x7ff8}},
		{"je, not taken", "7400", micro.Step{Result: 0}},
		{"jne, taken", "7502", micro.Step{Result: 1}},
		{"jmp rcx", "ffe1", micro.Step{Result: 0x2000, Second: 0x2000}},
		{"mul rcx", "48f7e1", micro.Step{Result: 0x2000000, Second: 0x2000, First: 0x1000}},
		{"shl rax, cl", "48d3e0", micro.Step{Result: 0x1000, First: 0x1000, Second: 0}},
	} {
		_, stop, steps := run(t, c.code, 1, mem)
		if len(steps) != 1 {
			t.Errorf("%s: %v", c.name, stop)
			continue
		}
		got := steps[0]
		t.Logf("%s: have %05b", c.name, got.Have)
		if w := c.want; got.Result != w.Result || got.First != w.First || got.Second != w.Second || got.Addr != w.Addr {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}
