package micro_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/pepgo/pep/tracer/internal/interp/micro"
)

// memory is a piece of memory for tests.
type memory map[uint64]uint64 // words at multiples of 8

func (m memory) Load(addr uint64, width uint8) (v uint64, ok bool) {
	for i := range uint64(width) {
		w, ok := m[(addr+i)&^7]
		if !ok {
			return 0, false
		}
		v |= w >> (8 * ((addr + i) & 7)) & 0xff << (8 * i)
	}
	return v, true
}

const base = 0x401000

// run interprets code, given in hexadecimal. SP is 0x8000.
func run(t *testing.T, text string, n int, mem memory) (*micro.Machine, micro.Stop, []micro.Step) {
	t.Helper()
	code, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	table := micro.NewTable()
	start, _ := table.Add(micro.Bytes{Base: base, Code: code}, base, 100)
	regs := [16]uint64{}
	for i := range regs {
		regs[i] = uint64(0x1000 * (i + 1))
	}
	regs[micro.SP] = 0x8000
	m := micro.NewMachine(regs, 0, mem)
	var steps []micro.Step
	stop := m.Run(table, start, n, func(s *micro.Step) { steps = append(steps, *s) })
	return m, stop, steps
}

// TestStops is VSAMP-12. It has code for each reason to stop: how many instructions are executed before, and
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
		{"no instruction", "90 06", 9, micro.Undecodable, 1, base + 1},
		{"lock xadd [rax], rcx", "90 f0480fc108", 9, micro.Lock, 1, base + 1},
		{"xchg [rax], rcx locks without a prefix", "488708", 9, micro.Lock, 0, base},
		{"rep movsq", "90 f348a5", 9, micro.String, 1, base + 1},
		{"mov rax, gs:[8]", "65488b042508000000", 9, micro.Segment, 0, base},
		{"mov rax, fs:[rcx+rdx]", "64488b0411", 9, micro.Segment, 0, base},
		{"syscall", "90 0f05", 9, micro.Syscall, 1, base + 1},
		{"int3", "cc", 9, micro.Trap, 0, base},
		{"ud2", "0f0b", 9, micro.Trap, 0, base},
		{"mov rsp, [rsp] switches stacks", "90 488b2424", 9, micro.StackSwitch, 1, base + 1},
		{"mov rsp, rax", "4889c4", 9, micro.StackSwitch, 0, base},
		{"mov rsp, rbp does not", "4889ec", 1, micro.Done, 1, base + 3},
		{"pop rsp", "5c", 9, micro.StackSwitch, 0, base},
		{"mov rax, [rax]: nothing is there", "90 488b00", 9, micro.Fault, 1, base + 1},
		{"add [rax], rcx faults", "480108", 9, micro.Fault, 0, base},
		{"ucomisd xmm0, xmm1; je", "660f2ec1 7402", 9, micro.UnknownFlags, 1, base + 4},
		{"cvttsd2si rax, xmm0; mov [rax], rcx", "f2480f2cc0 488908", 9, micro.UnknownAddress, 1, base + 5},
		{"cvttsd2si rax, xmm0; mov rcx, [rax] goes on", "f2480f2cc0 488b08", 2, micro.Done, 2, base + 8},
		{"cvttsd2si rax, xmm0; jmp rax", "f2480f2cc0 ffe0", 9, micro.UnknownTarget, 1, base + 5},
		{"cvttsd2si rax, xmm0; push rax; ret", "f2480f2cc0 50 c3", 9, micro.UnknownTarget, 2, base + 6},
		{"ret to code that is not there", "c3", 1, micro.Done, 1, base},
		{"jmp rax", "ffe0", 9, micro.NotDecoded, 1, 0x1000},
		{"17 times push rax", strings.Repeat("50", 17), 20, micro.StoresFull, 16, base + 16},
		{"xor ecx, ecx; xor edx, edx; div ecx", "31c9 31d2 f7f1", 9, micro.Divide, 2, base + 4},
		{"div rcx with a dividend of 128 bits", "48f7f1", 9, micro.Divide, 0, base},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, stop, steps := run(t, c.code, c.n, good)
			if stop != c.stop || len(steps) != c.steps || m.Steps != c.steps || m.PC != c.pc {
				t.Errorf("stop %q after %d (%d) steps at %#x, want %q after %d at %#x", stop, len(steps), m.Steps, m.PC, c.stop, c.steps, c.pc)
			}
		})
	}
	// The reasons without a row above would be dead code.
	seen := map[micro.Stop]bool{}
	for _, s := range micro.Stops() {
		if seen[s] = true; strings.HasPrefix(s.String(), "stop ") {
			t.Errorf("stop %d has no name", s)
		}
	}
}

// TestStopLeavesTheStateBetweenInstructions: an instruction that cannot be executed has
// changed nothing.
func TestStopLeavesTheStateBetweenInstructions(t *testing.T) {
	// push rax (16 times); call: there is no room for the return address
	m, stop, _ := run(t, strings.Repeat("50", 16)+"e800000000", 20, nil)
	if stop != micro.StoresFull || m.Reg[micro.SP] != 0x8000-16*8 || m.PC != base+16 {
		t.Errorf("%s: SP %#x, PC %#x", stop, m.Reg[micro.SP], m.PC)
	}
}

// TestStoreBuffer checks what loads see of earlier stores. Memory has 1 in each word.
func TestStoreBuffer(t *testing.T) {
	mem := memory{}
	for a := uint64(0x7f00); a < 0x8100; a += 8 {
		mem[a] = 0x0101010101010101
	}
	const raxInHex = 0x1122334455667788
	mov := "48b88877665544332211" // mov rax, 0x1122334455667788
	for _, c := range []struct {
		name, code string
		known      bool
		rcx        uint64
	}{
		{"the same word", "48890424 488b0c24", true, raxInHex},
		{"a part of it", "48890424 0fb64c2402", true, 0x66},
		{"another word", "48890424 488b4c2408", true, 0x0101010101010101},
		{"half stored, half in memory", "48890424 488b4c2404", false, 0},
		{"the newer of two", "48890424 66c704249999 0fb70c24", true, 0x9999},
		{"the newer of two to the same word", "48890424 48890c24 488b0c24", true, 0x2000},
		{"the same word again, over a part", "48890424 66c704249999 48890424 488b0c24", true, raxInHex},
		{"both of two", "48890424 66c704249999 488b0c24", false, 0},
		{"a vector", "0f110424 488b4c2408", false, 0},
		{"behind the vector", "0f110424 488b4c2410", true, 0x0101010101010101},
		{"an unknown word", "f2480f2cc0 48890424 488b0c24", false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, stop, _ := run(t, mov+c.code+"06", 20, mem)
			known := m.Known>>micro.CX&1 != 0
			if stop != micro.Undecodable || known != c.known || known && m.Reg[micro.CX] != c.rcx {
				t.Errorf("%s: rcx %#x, known %v; want %#x, %v", stop, m.Reg[micro.CX], known, c.rcx, c.known)
			}
		})
	}
	if mem[0x8000] != 0x0101010101010101 {
		t.Error("the memory of the program has changed")
	}
}

// TestStoresToTheSameWordNeedOneSlot stores more often than there are slots.
func TestStoresToTheSameWordNeedOneSlot(t *testing.T) {
	_, stop, steps := run(t, strings.Repeat("48890424", 40)+"06", 100, nil)
	if stop != micro.Undecodable || len(steps) != 40 {
		t.Errorf("%s after %d steps, want 40", stop, len(steps))
	}
}

// TestUnknown follows what is not known.
func TestUnknown(t *testing.T) {
	const unknown = "f2480f2cc0" // cvttsd2si rax, xmm0
	for _, c := range []struct {
		name, code string
		known      uint32 // registers AX, CX, DX that are known in the end
	}{
		{"nothing else", "", 0b110},
		{"mov rcx, rax", "4889c1", 0b100},
		{"mov ecx, eax", "89c1", 0b100},
		{"mov eax, ecx makes it known", "89c8", 0b111},
		{"mov al, cl does not", "88c8", 0b110},
		{"xor eax, eax does", "31c0", 0b111},
		{"sub rax, rax does", "4829c0", 0b111},
		{"and rax, rcx does not", "4821c8", 0b110},
		{"cmp rax, rcx; sete dl", "4839c8 0f94c2", 0b010},
		{"cmp rcx, rdx; cmove rcx, rax: not equal", "4839d1 480f44c8", 0b110},
		{"mul rax", "48f7e0", 0b010},
		{"xchg rax, rcx", "4891", 0b101},
		{"inc rax keeps the carry of cmp rcx, rdx; setb dl", "4839d1 48ffc0 0f92c2", 0b110},
		{"lea rcx, [rdx+rax]", "488d0c02", 0b100},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, stop, _ := run(t, unknown+c.code+"06", 20, memory{})
			if got := m.Known & 0b111; stop != micro.Undecodable || got != c.known {
				t.Errorf("%s: known %03b, want %03b", stop, got, c.known)
			}
		})
	}
}
