//go:build linux && amd64

package site

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/pepgo/pep/machine/insn"
)

// What the kernel does with instructions, from arch/x86/kernel/uprobes.c: branch_setup_xol_ops
// and push_setup_xol_ops emulate, the tables good_insns_64 and good_2byte_insns and
// is_prefix_bad refuse. The costs of those marked * were measured with Linux 6.18.
func TestClassify(t *testing.T) {
	for _, test := range []struct {
		code  string
		class Class
		what  string
	}{
		{"0f1f440000", Nop5, "* nop of five bytes"},
		{"90", Emulated, "* nop"},
		{"6690", Emulated, "* nop of two bytes"},
		{"0f1f00", Emulated, "* nop of three bytes"},
		{"0f1f4000", Emulated, "* nop of four bytes"},
		{"660f1f440000", Emulated, "* nop of six bytes"},
		{"0f1f8000000000", Emulated, "* nop of seven bytes"},
		{"0f1f840000000000", Emulated, "nop of eight bytes"},
		{"0f1f4100", Stepped, "a nop that is not in the kernel's list"},
		{"0f1f440001", Stepped, "the same, of five bytes"},
		{"760a", Emulated, "* jbe, short"},
		{"0f8600010000", Emulated, "* jbe, near"},
		{"eb10", Emulated, "* jmp, short"},
		{"e900010000", Emulated, "* jmp, near"},
		{"e800010000", Emulated, "* call"},
		{"55", Emulated, "* push rbp"},
		{"4150", Emulated, "* push r8"},
		{"4850", Stepped, "push with another REX prefix"},
		{"6650", Stepped, "push of 16 bits"},
		{"5d", Stepped, "* pop rbp"},
		{"c3", Stepped, "* ret"},
		{"493b6610", Stepped, "* cmp rsp, 16(r14)"},
		{"4889e5", Stepped, "* mov rbp, rsp"},
		{"4883ec10", Stepped, "* sub rsp, 16"},
		{"6a01", Stepped, "* push of a constant"},
		{"488d0500000000", Stepped, "* lea, relative to the next instruction"},
		{"ffd1", Stepped, "call rcx"},
		{"ff24c8", Stepped, "jmp (rax)(rcx*8)"},
		{"e310", Stepped, "jrcxz"},
		{"f30f1efa", Stepped, "* endbr64"},
		{"f390", Stepped, "pause"},
		{"4190", Stepped, "xchg r8, rax"},
		{"f20f10c1", Stepped, "movsd"},
		{"f0480fb10b", Refused, "* lock cmpxchg"},
		{"f048ff03", Refused, "lock inc"},
		{"2e90", Refused, "cs nop"},
		{"662e0f1f840000000000", Refused, "cs nopw"},
		{"f348ab", Refused, "rep stosq"},
		{"f3a4", Refused, "rep movsb"},
		{"a4", Stepped, "movsb"},
		{"c5f877", Refused, "vzeroupper"},
		{"62f17c481007", Refused, "vmovups zmm"},
		{"0f0b", Refused, "ud2"},
		{"0f05", Refused, "syscall"},
		{"0fa2", Stepped, "cpuid"},
		{"0f31", Stepped, "rdtsc"},
		{"cc", Refused, "int3"},
		{"f4", Refused, "hlt"},
		{"e460", Refused, "in"},
		{"660f3800c1", Refused, "pshufb"},
		{"0fae38", Refused, "clflush"},
		{"64488b0425f8ffffff", Stepped, "mov rax, fs:-8"},
	} {
		code, err := hex.DecodeString(test.code)
		if err != nil {
			t.Fatal(err)
		}
		in, err := insn.Decode(code, 0x1000)
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
			continue
		}
		class, reason := Classify(&in, code)
		if class != test.class || (reason != "") != (class == Refused) {
			t.Errorf("%s (%s): %v %q, want %v", test.what, test.code, class, reason, test.class)
		}
	}
}

// The direction of a jump is that of its name, for all flags.
func TestTaken(t *testing.T) {
	type flags struct{ c, p, z, s, o bool }
	names := []struct {
		name string
		want func(f flags) bool
	}{
		{"jo", func(f flags) bool { return f.o }}, {"jno", func(f flags) bool { return !f.o }},
		{"jb", func(f flags) bool { return f.c }}, {"jae", func(f flags) bool { return !f.c }},
		{"je", func(f flags) bool { return f.z }}, {"jne", func(f flags) bool { return !f.z }},
		{"jbe", func(f flags) bool { return f.c || f.z }}, {"ja", func(f flags) bool { return !f.c && !f.z }},
		{"js", func(f flags) bool { return f.s }}, {"jns", func(f flags) bool { return !f.s }},
		{"jp", func(f flags) bool { return f.p }}, {"jnp", func(f flags) bool { return !f.p }},
		{"jl", func(f flags) bool { return f.s != f.o }}, {"jge", func(f flags) bool { return f.s == f.o }},
		{"jle", func(f flags) bool { return f.z || f.s != f.o }}, {"jg", func(f flags) bool { return !f.z && f.s == f.o }},
	}
	for i, n := range names {
		for bits := range 32 {
			f := flags{bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0, bits&16 != 0}
			var rflags uint64 = 0x202
			for mask, on := range map[uint64]bool{1: f.c, 4: f.p, 64: f.z, 128: f.s, 2048: f.o} {
				if on {
					rflags |= mask
				}
			}
			for _, code := range [][]byte{{0x70 | byte(i), 0x10}, {0x0f, 0x80 | byte(i), 0, 1, 0, 0}} {
				in, err := insn.Decode(code, 0)
				if err != nil {
					t.Fatal(err)
				}
				if got, ok := Taken(&in, rflags); !ok || got != n.want(f) {
					t.Errorf("%s with %+v: %v, %v", n.name, f, got, ok)
				}
			}
		}
	}
	in, err := insn.Decode([]byte{0xe3, 0x10}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := Taken(&in, 0); ok {
		t.Error("jrcxz does not depend on flags")
	}
}

func TestStrings(t *testing.T) {
	if s := ArgRegs.String(); !strings.HasPrefix(s, "AX CX BX SI DI R8 R9 R10 R11 X0 ") || !strings.HasSuffix(s, " X14") {
		t.Errorf("registers of arguments: %s", s)
	}
}
