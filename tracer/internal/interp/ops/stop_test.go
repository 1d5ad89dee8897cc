package ops_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/pepgo/pep/tracer/internal/interp/ops"
)

// memory is a piece of memory for tests.
type memory map[uint64]uint64 // words at multiples of 8

func (m memory) read(code ops.Bytes) func(addr uint64, to []byte) error {
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

// run interprets code, given in hexadecimal. SP is 0x8000, BP 0x8008, and X3 0x333.
func run(t *testing.T, text string, n int, mem memory) (*ops.Machine, ops.Stop, []ops.Step) {
	t.Helper()
	code, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	table, bytes := ops.NewTable(), ops.Bytes{Base: base, Code: code}
	table.Add(bytes, base, 100)
	regs := [16]uint64{}
	for i := range regs {
		regs[i] = uint64(0x1000 * (i + 1))
	}
	regs[ops.SP], regs[ops.BP] = 0x8000, 0x8008
	m := ops.NewMachine()
	m.Begin(regs, 0, base, 0, mem.read(bytes))
	m.Vectors[3][0] = 0x333
	var steps []ops.Step
	stop := m.Run(table, n, func(s *ops.Step) { steps = append(steps, *s) })
	return m, stop, steps
}

// TestStops is VSAMP-12. It has code for reasons to stop: how many instructions are executed before, and
// which is next.
func TestStops(t *testing.T) {
	good := memory{0x7ff8: 1, 0x8000: base, 0x8008: 7}
	for _, c := range []struct {
		name, code string
		n          int
		stop       ops.Stop
		steps      int
		pc         uint64
	}{
		{"as long as wanted", "90 90 90", 2, ops.Done, 2, base + 2},
		{"cpuid", "90 0fa2", 9, ops.Unsupported, 1, base + 1},
		{"no instruction", "90 06", 9, ops.Unsupported, 1, base + 1},
		{"lock xadd [rsp], rcx", "90 f0480fc10c24", 2, ops.Done, 2, base + 7},
		{"xor ecx, ecx; rep movsq", "31c9 f348a5", 2, ops.Done, 2, base + 5},
		{"mov rax, gs:[8] without its base", "65488b042508000000", 9, ops.Fault, 0, base},
		{"syscall", "90 0f05", 9, ops.Syscall, 1, base + 1},
		{"int3", "cc", 9, ops.Trap, 0, base},
		{"ud2", "0f0b", 9, ops.Trap, 0, base},
		{"mov rsp, [rsp] switches stacks", "90 488b2424", 9, ops.StackSwitch, 1, base + 1},
		{"mov rsp, rax", "4889c4", 9, ops.StackSwitch, 0, base},
		{"mov rsp, rbp does not", "4889ec", 1, ops.Done, 1, base + 3},
		{"pop rsp", "5c", 9, ops.StackSwitch, 0, base},
		{"mov rax, [rax]: nothing is there", "90 488b00", 9, ops.Fault, 1, base + 1},
		{"add [rax], rcx faults", "480108", 9, ops.Fault, 0, base},
		{"ret to code that is not there", "c3", 1, ops.Done, 1, base},
		{"jmp rax", "ffe0", 9, ops.NotDecoded, 1, 0x1000},
		{"xor ecx, ecx; xor edx, edx; div ecx", "31c9 31d2 f7f1", 9, ops.Divide, 2, base + 4},
		{"div rcx with a quotient that is too large", "48f7f1", 9, ops.Divide, 0, base},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, stop, steps := run(t, c.code, c.n, good)
			if stop != c.stop || len(steps) != c.steps || m.Steps != c.steps || m.PC != c.pc {
				t.Errorf("stop %q after %d (%d) steps at %#x, want %q after %d at %#x", stop, len(steps), m.Steps, m.PC, c.stop,
					c.steps, c.pc)
			}
		})
	}
	for _, s := range ops.Stops() {
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
		want       ops.Step
	}{
		{"add rax, rcx", "4801c8", ops.Step{Result: 0x3000, First: 0x1000, Second: 0x2000}},
		{"add [rsp+8], cx", "66014c2408", ops.Step{Result: 0x1f07, First: 0xff07, Second: 0x2000, Addr: 0x8008}},
		{"movsx eax, byte [rsp+9]", "0fbe442409", ops.Step{Result: 0xffffffff, Second: ^uint64(0), Addr: 0x8009}},
		{"cmp rax, rcx", "4839c8", ops.Step{First: 0x1000, Second: 0x2000}},
		{"test eax, 0x1800", "a900180000", ops.Step{First: 0x1000, Second: 0x1800}},
		{"mov ah, ch", "88ec", ops.Step{Result: 0x20, Second: 0x20}},
		{"push rcx", "51", ops.Step{First: 0x2000, Addr: 0x7ff8}},
		{"push [rsp+8]", "ff742408", ops.Step{First: 0xff07, Addr: 0x7ff8}},
		{"pop rcx", "59", ops.Step{Result: base, Addr: 0x8000}},
		{"ret", "c3", ops.Step{Result: base, Addr: 0x8000}},
		{"call", "e800000000", ops.Step{Addr: 0x7ff8}},
		{"je, not taken", "7400", ops.Step{Result: 0}},
		{"jne, taken", "7502", ops.Step{Result: 1}},
		{"jmp rcx", "ffe1", ops.Step{Result: 0x2000, First: 0x2000}},
		{"mul rcx", "48f7e1", ops.Step{Result: 0x2000000, First: 0x2000}},
		{"shl rax, cl", "48d3e0", ops.Step{Result: 0x1000, First: 0x1000, Second: 0}},
		{"shl rax, 3", "48c1e003", ops.Step{Result: 0x8000, First: 0x1000, Second: 3}},
		{"shld rax, rcx, 4", "480fa4c804", ops.Step{Result: 0x10000, First: 0x1000, Second: 0x2000}},
		{"xchg rax, rcx", "4891", ops.Step{Result: 0x1000, First: 0x2000, Second: 0x1000}},
		{"xchg [rsp+8], rcx", "48874c2408", ops.Step{Result: 0x2000, First: 0xff07, Second: 0x2000, Addr: 0x8008}},
		{"lock xadd [rsp+8], cx", "66f00fc14c2408", ops.Step{Result: 0x1f07, First: 0xff07, Second: 0x2000, Addr: 0x8008}},
		{"cmpxchg [rsp+8], rcx, which differ", "480fb14c2408",
			ops.Step{Result: 0xff07, First: 0xff07, Second: 0x2000, Addr: 0x8008}},
		{"neg word [rsp+8]", "66f75c2408", ops.Step{Result: 0xf9, First: 0xff07, Addr: 0x8008}},
		{"inc ah", "fec4", ops.Step{Result: 0x11, First: 0x10}},
		{"xor eax, eax", "31c0", ops.Step{Result: 0, First: 0x1000, Second: 0x1000}},
		{"test rax, rax", "4885c0", ops.Step{First: 0x1000, Second: 0x1000}},
		{"mov [rsp+8], cx", "66894c2408", ops.Step{Result: 0x2000, Second: 0x2000, Addr: 0x8008}},
		{"mov [rsp+8], ch", "886c2408", ops.Step{Result: 0x20, Second: 0x20, Addr: 0x8008}},
		{"mov byte [rsp+8], -1", "c6442408ff", ops.Step{Result: 0xff, Second: 0xff, Addr: 0x8008}},
		{"mov rcx, [rsp+8]", "488b4c2408", ops.Step{Result: 0xff07, Second: 0xff07, Addr: 0x8008}},
		{"mov ch, [rsp+9]", "8a6c2409", ops.Step{Result: 0xff, Second: 0xff, Addr: 0x8009}},
		{"mov cx, -2", "66b9feff", ops.Step{Result: 0xfffe, Second: 0xfffe}},
		{"movzx ecx, word [rsp+8]", "0fb74c2408", ops.Step{Result: 0xff07, Second: 0xff07, Addr: 0x8008}},
		{"movsx cx, ah", "660fbecc", ops.Step{Result: 0x10, Second: 0x10}},
		{"cdqe", "4898", ops.Step{Result: 0x1000, Second: 0x1000}},
		{"cqo", "4899", ops.Step{Result: 0, Second: 0x1000}},
		{"lea rcx, [rax+rax*8-1]", "488d4cc0ff", ops.Step{Result: 0x8fff, Second: 0x8fff}},
		{"lea ecx, [eax+1]", "678d4801", ops.Step{Result: 0x1001, Second: 0x1001}},
		{"imul rcx, rax", "480fafc8", ops.Step{Result: 0x2000000, First: 0x2000, Second: 0x1000}},
		{"imul cx, ax, 3", "666bc803", ops.Step{Result: 0x3000, Second: 0x1000}},
		{"popcnt rcx, rax", "f3480fb8c8", ops.Step{Result: 1, Second: 0x1000}},
		{"bsf rcx, rax", "480fbcc8", ops.Step{Result: 12, First: 0x2000, Second: 0x1000}},
		{"bswap rax", "480fc8", ops.Step{Result: 0x10000000000000, Second: 0x1000}},
		{"movbe [rsp+8], cx", "660f38f14c2408", ops.Step{Result: 0x20, Second: 0x2000, Addr: 0x8008}},
		{"cmovne cx, ax", "660f45c8", ops.Step{Result: 0x1000, First: 0x2000, Second: 0x1000}},
		{"cmove ecx, eax", "0f44c8", ops.Step{Result: 0x2000, First: 0x2000, Second: 0x1000}},
		{"setne [rsp+8]", "0f95442408", ops.Step{Result: 1, Addr: 0x8008}},
		{"bts word [rsp+8], 3", "660fba6c240803", ops.Step{Result: 0xff0f, First: 0xff07, Second: 3, Addr: 0x8008}},
		{"div r9d", "41f7f1", ops.Step{Result: 0x4ccccccc, First: 0xa000}},
		{"shlx rcx, rax, rdi", "c4e2c1f7c8", ops.Step{Result: 0x1000, First: 0x1000, Second: 0x8000}},
		{"andn rcx, rax, rdi", "c4e2f8f2cf", ops.Step{Result: 0x8000, First: 0x1000, Second: 0x8000}},
		{"leave", "c9", ops.Step{Second: 0x8008, Result: 0xff07, Addr: 0x8008}},
		{"movsd xmm0, [rsp+8]", "f20f10442408", ops.Step{Second: 0xff07, Addr: 0x8008}},
		{"cvtsi2sd xmm0, dword [rsp+8]", "f20f2a442408", ops.Step{Second: 0xff07, Addr: 0x8008}},
		{"movq rcx, xmm3", "66480f7ed9", ops.Step{Result: 0x333}},
		{"movsd [rsp+8], xmm3", "f20f115c2408", ops.Step{Addr: 0x8008, Vector: 0x333}},
		{"addsd xmm0, xmm3", "f20f58c3", ops.Step{Vector: 0x333}},
		{"vfmadd231sd xmm1, xmm2, xmm3", "c4e2e9b9cb", ops.Step{Vector: 0x333}},
	} {
		_, stop, steps := run(t, c.code, 1, mem)
		if len(steps) != 1 {
			t.Errorf("%s: %v", c.name, stop)
			continue
		}
		got := steps[0]
		w := c.want
		have := map[ops.Have][2]uint64{ops.HaveResult: {got.Result, w.Result}, ops.HaveFirst: {got.First, w.First},
			ops.HaveSecond: {got.Second, w.Second},
			ops.HaveAddr:   {got.Addr, w.Addr}}
		for field, v := range have {
			if v[0] != v[1] || v[0] != 0 && got.Have&field == 0 {
				t.Errorf("%s: got %+v, want %+v", c.name, got, w)
			}
		}
		if w.Vector != 0 && got.Vector != w.Vector {
			t.Errorf("%s: vector register %#x, want %#x", c.name, got.Vector, w.Vector)
		}
	}
}
