package describe_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/describe"
)

// names writes a register set as a list of names.
func names(set capture.Registers) string {
	var list []string
	for i, name := range strings.Fields("ax cx dx bx sp bp si di r8 r9 r10 r11 r12 r13 r14 r15 x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15") {
		if set>>i&1 != 0 {
			list = append(list, name)
		}
	}
	if set&capture.FlagsRegister != 0 {
		list = append(list, "flags")
	}
	return strings.Join(list, " ")
}

func TestInstruction(t *testing.T) {
	const (
		load  = capture.Load
		store = capture.Store
	)
	// The code is that of the GNU assembler, the rest is from the processor's manual.
	for _, c := range []struct {
		code, text    string
		reads, writes string
		memory        capture.Access
		width, float  uint8
		flow          capture.Flow
	}{
		{"488b0cd0", "mov rcx, [rax+rdx*8]", "ax dx", "cx", load, 8, 0, capture.Next},
		{"44894c2410", "mov [rsp+0x10], r9d", "sp r9", "", store, 4, 0, capture.Next},
		{"488d3d00010000", "lea rdi, [rip+0x100]", "", "di", 0, 8, 0, capture.Next},
		{"48830301", "add qword ptr [rbx], 1", "bx", "flags", load | store, 8, 0, capture.Next},
		{"410300", "add eax, [r8]", "ax r8", "ax flags", load, 4, 0, capture.Next},
		{"493b6610", "cmp rsp, [r14+0x10]", "sp r14", "flags", load, 8, 0, capture.Next},
		{"84c0", "test al, al", "ax", "flags", 0, 1, 0, capture.Next},
		{"31c0", "xor eax, eax: no dependence", "", "ax flags", 0, 4, 0, capture.Next},
		{"31d1", "xor ecx, edx", "cx dx", "cx flags", 0, 4, 0, capture.Next},
		{"b105", "mov cl, 5: the rest of rcx stays", "cx", "cx", 0, 1, 0, capture.Next},
		{"0f94c2", "sete dl", "dx flags", "dx", 0, 1, 0, capture.Next},
		{"480f45c3", "cmovne rax, rbx", "ax bx flags", "ax", 0, 8, 0, capture.Next},
		{"4811c8", "adc rax, rcx", "ax cx flags", "ax flags", 0, 8, 0, capture.Next},
		{"7510", "jne", "flags", "", 0, 0, 0, capture.Branch},
		{"e800010000", "call", "sp", "sp", store, 8, 0, capture.Call},
		{"ffe0", "jmp rax", "ax", "", 0, 8, 0, capture.Jump},
		{"c3", "ret", "sp", "sp", load, 8, 0, capture.Return},
		{"55", "push rbp", "sp bp", "sp", store, 8, 0, capture.Next},
		{"5d", "pop rbp", "sp", "sp bp", load, 8, 0, capture.Next},
		{"48f7e9", "imul rcx", "ax cx", "ax dx flags", 0, 8, 0, capture.Next},
		{"486bc107", "imul rax, rcx, 7", "cx", "ax flags", 0, 8, 0, capture.Next},
		{"48f7f6", "div rsi", "ax dx si", "ax dx flags", 0, 8, 0, capture.Next},
		{"4899", "cqo", "ax", "dx", 0, 0, 0, capture.Next},
		{"4893", "xchg rax, rbx", "ax bx", "ax bx", 0, 8, 0, capture.Next},
		{"f20f1008", "movsd xmm1, [rax]", "ax", "x1", load, 8, 8, capture.Next},
		{"f20f11442408", "movsd [rsp+8], xmm0", "sp x0", "", store, 8, 8, capture.Next},
		{"f30f585204", "addss xmm2, [rdx+4]", "dx x2", "x2", load, 4, 4, capture.Next},
		{"660f2e00", "ucomisd xmm0, [rax]", "ax x0", "flags", load, 8, 8, capture.Next},
		{"f2480f2a00", "cvtsi2sd xmm0, [rax]: an integer", "ax x0", "x0", load, 8, 0, capture.Next},
		{"660fefdb", "pxor xmm3, xmm3", "", "x3", 0, 16, 0, capture.Next},
		{"440f113f", "movups [rdi], xmm15", "di x15", "", store, 16, 0, capture.Next},
		{"48d3e0", "shl rax, cl", "ax cx", "ax flags", 0, 8, 0, capture.Next},
		{"f30f1efa", "endbr64", "", "", 0, 0, 0, capture.Next},
		{"660f1f0400", "nop word ptr [rax+rax]", "ax", "", 0, 2, 0, capture.Next},
		{"f00fc101", "lock xadd [rcx], eax", "ax cx", "ax flags", load | store, 4, 0, capture.Next},
		{"0fb6040e", "movzx eax, byte ptr [rsi+rcx]", "cx si", "ax", load, 1, 0, capture.Next},
		{"f2480f2cc1", "cvttsd2si rax, xmm1", "x1", "ax", 0, 8, 8, capture.Next},
		{"c5fb1008", "vmovsd xmm1, [rax]", "ax", "x1", load, 8, 8, capture.Next},
		{"c5fd6f08", "vmovdqa ymm1, [rax]", "ax", "x1", load, 32, 0, capture.Next},
		{"c9", "leave", "sp bp", "sp bp", load, 8, 0, capture.Next},
		{"480fbae003", "bt rax, 3", "ax", "flags", 0, 8, 0, capture.Next},
	} {
		code, err := hex.DecodeString(c.code)
		if err != nil {
			t.Fatal(err)
		}
		image := &capture.Image{}
		in, err := describe.Instruction(image, 0x1000, append(code, 0xcc, 0xcc))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if in.Image != image || in.PC != 0x1000 || string(in.Code) != string(code) {
			t.Errorf("%s: image %p, PC %#x, code % x, want %p, 0x1000, % x", c.text, in.Image, in.PC, in.Code, image, code)
		}
		if r, w := names(in.Reads), names(in.Writes); r != c.reads || w != c.writes {
			t.Errorf("%s: reads %q, writes %q, want %q, %q", c.text, r, w, c.reads, c.writes)
		}
		if in.Memory != c.memory || in.Width != c.width || in.Float != c.float || in.Flow != c.flow {
			t.Errorf("%s: memory %d, width %d, float %d, flow %d, want %d, %d, %d, %d", c.text, in.Memory, in.Width, in.Float,
				in.Flow, c.memory, c.width, c.float, c.flow)
		}
	}
}

func TestUndecodableCode(t *testing.T) {
	for _, code := range [][]byte{nil, {0x48}, {0x06}, {0xff, 0xff}} {
		if in, err := describe.Instruction(nil, 0, code); err == nil {
			t.Errorf("% x: got %+v, want an error", code, in)
		} else if !errors.Is(err, x86asm.ErrUnrecognized) && !errors.Is(err, x86asm.ErrTruncated) {
			t.Errorf("% x: got error %v, which does not wrap one of x86asm's", code, err)
		}
	}
}
