//go:build linux && amd64

package insn_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/machine/image/imagetest"
	"github.com/pepgo/pep/machine/insn"
)

// All instructions of a large program have the length that GNU objdump finds, and jump
// where it says. A wrong length is noticed in the next instruction at the latest.
func TestInstructionsAreThoseOfObjdump(t *testing.T) {
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("needs objdump of the GNU binutils: ", err)
	}
	// cmd/vet contains the assembly of package crypto, with AVX2 and AVX-512.
	cmd := exec.Command("objdump", "-d", "-w", "-Mintel", "-j", ".text", imagetest.Go(t, "cmd/vet"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n, bad, vex, targets := 0, 0, 0, 0
	s := bufio.NewScanner(out)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		// "  401000:	48 83 ec 08          	sub    rsp,0x8"
		f := strings.SplitN(s.Text(), "\t", 3)
		if len(f) < 3 || strings.Contains(f[2], "(bad)") {
			continue
		}
		pc, err1 := strconv.ParseUint(strings.Trim(f[0], " :"), 16, 64)
		code, err2 := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(f[1]), " ", ""))
		if err1 != nil || err2 != nil {
			t.Fatalf("objdump: %q", s.Text())
		}
		n++
		in, err := insn.Decode(append(code, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90), pc)
		if err != nil || in.Len != len(code) {
			if bad++; bad < 20 {
				t.Errorf("%s: length %d, want %d, %v", s.Text(), in.Len, len(code), err)
			}
			continue
		}
		if in.VEX {
			vex++
		}
		words := strings.Fields(f[2])
		if in.Flow == insn.Jump || in.Flow == insn.Cond || in.Flow == insn.Call {
			targets++
			if to, err := strconv.ParseUint(words[1], 0, 64); err != nil && words[1] != strconv.FormatUint(in.Target, 16) ||
				err == nil && to != in.Target && words[1] != strconv.FormatUint(in.Target, 16) {
				t.Errorf("%s: jumps to %#x", s.Text(), in.Target)
			}
		}
		want, ok := flowOf(words)
		if ok && want != in.Flow {
			t.Errorf("%s: flow %d, want %d", s.Text(), in.Flow, want)
		}
		cond := want == insn.Cond || strings.HasPrefix(words[0], "cmov") || strings.HasPrefix(words[0], "set")
		if ok && cond != in.Conditional() {
			t.Errorf("%s: conditional %v, want %v", s.Text(), in.Conditional(), cond)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if n < 100_000 || vex < 1000 || targets < 10_000 || bad > 0 {
		t.Errorf("%d instructions, %d with VEX, %d jumps, %d wrong; want 100000, 1000, 10000, 0", n, vex, targets, bad)
	}
	t.Logf("%d instructions, %d of them with VEX or EVEX, %d jumps and calls", n, vex, targets)
}

// flowOf returns the flow of an instruction by its mnemonic.
func flowOf(words []string) (insn.Flow, bool) {
	direct := len(words) > 1 && !strings.ContainsAny(words[1], "[") && strings.Trim(words[1], "0123456789abcdefx") == ""
	switch m := words[0]; {
	case m == "jmp" && direct:
		return insn.Jump, true
	case m == "jmp":
		return insn.IndirectJump, true
	case m == "call" && direct:
		return insn.Call, true
	case m == "call":
		return insn.IndirectCall, true
	case m == "ret":
		return insn.Return, true
	case m == "ud2", m == "int3", m == "hlt":
		return insn.Stop, true
	case m[0] == 'j':
		return insn.Cond, true
	case m == "data16", m == "rep", m == "lock", m == "cs", m == "notrack", m == "bnd":
		return 0, false
	}
	return insn.Next, true
}

// Registers that an instruction writes are among those of Writes. The oracle is the first
// operand of x/arch's disassembler, which instructions write unless they are in readers.
func TestWritesAreThoseOfTheFirstOperand(t *testing.T) {
	readers := map[x86asm.Op]bool{
		x86asm.CMP: true, x86asm.TEST: true, x86asm.PUSH: true, x86asm.BT: true, x86asm.UCOMISD: true, x86asm.UCOMISS: true,
		x86asm.COMISD: true, x86asm.COMISS: true, x86asm.NOP: true, x86asm.JMP: true, x86asm.MUL: true, x86asm.DIV: true,
		x86asm.IDIV: true,
	}
	out, err := exec.Command("go", "tool", "objdump", "-s",
		`^(fmt|strconv|math|go/types|runtime\.(gc|malloc|memclr|stack))`, imagetest.Go(t, "cmd/gofmt")).Output()
	if err != nil {
		t.Fatal(err)
	}
	n, unknown, both := 0, 0, map[insn.RegSet]bool{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) < 4 || !strings.HasPrefix(f[1], "0x") {
			continue
		}
		code, err := hex.DecodeString(f[2])
		if err != nil {
			continue
		}
		in, err := insn.Decode(code, 0)
		other, err2 := x86asm.Decode(code, 64)
		if err != nil || err2 != nil || other.Len != in.Len || in.Flow != insn.Next {
			continue
		}
		n++
		got, ok := in.Writes()
		if !ok {
			unknown++
			continue
		}
		want := insn.RegSet(0)
		oneOperand := other.Op == x86asm.IMUL && other.Args[1] == nil
		if reg, isReg := other.Args[0].(x86asm.Reg); isReg && !readers[other.Op] && !oneOperand {
			want = setOf(reg)
		}
		both[want] = true
		extra := got &^ want
		switch other.Op { // registers that the operands do not name
		case x86asm.PUSH, x86asm.POP:
			extra &^= insn.GPR(4)
		case x86asm.MUL, x86asm.IMUL, x86asm.DIV, x86asm.IDIV:
			extra &^= insn.GPR(0) | insn.GPR(2)
		case x86asm.XCHG, x86asm.XADD:
			if reg, ok := other.Args[1].(x86asm.Reg); ok {
				extra &^= setOf(reg)
			}
		case x86asm.CDQE, x86asm.CWDE, x86asm.CDQ, x86asm.CQO:
			extra &^= insn.GPR(0) | insn.GPR(2)
		}
		if want&^got != 0 || extra != 0 {
			t.Errorf("%s %v: writes %v, want %v", f[2], other, got, want)
		}
	}
	if n < 10_000 || len(both) < 20 || unknown > n/50 {
		t.Errorf("%d instructions, %d registers, %d unknown; want 10000, 20, at most 2%%", n, len(both), unknown)
	}
	t.Logf("%d instructions, %d of them with unknown effect", n, unknown)
}

func setOf(r x86asm.Reg) insn.RegSet {
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		return insn.GPR(int(r - x86asm.AL))
	case r >= x86asm.AH && r <= x86asm.BH:
		return insn.GPR(int(r - x86asm.AH))
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return insn.GPR(4 + int(r-x86asm.SPB))
	case r >= x86asm.AX && r <= x86asm.R15W:
		return insn.GPR(int(r - x86asm.AX))
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return insn.GPR(int(r - x86asm.EAX))
	case r >= x86asm.RAX && r <= x86asm.R15:
		return insn.GPR(int(r - x86asm.RAX))
	case r >= x86asm.X0 && r <= x86asm.X15:
		return insn.XMM(int(r - x86asm.X0))
	}
	return 0
}

// VEX and EVEX prefixes have the bits of REX, most of them inverted.
func TestBitsOfREXInVEX(t *testing.T) {
	for _, x := range []struct {
		code, text string
		rex        byte
		in         insn.Map
	}{
		{"c5f828c1", "vmovaps xmm0, xmm1", 0x40, insn.Map0F},
		{"c57828c1", "vmovaps xmm8, xmm1", 0x44, insn.Map0F},
		{"c4c17828c1", "vmovaps xmm0, xmm9", 0x41, insn.Map0F},
		{"c4a178280408", "vmovaps xmm0, [rax+r9]", 0x42, insn.Map0F},
		{"c461782801", "vmovaps xmm8, [rcx]", 0x44, insn.Map0F},
		{"c4e1f96ec0", "vmovq xmm0, rax", 0x48, insn.Map0F},
		{"c4427d1801", "vbroadcastss ymm8, [r9]", 0x45, insn.Map0F38},
		{"62f1fd486fc1", "vmovdqa64 zmm0, zmm1", 0x48, insn.Map0F},
		{"62517d486fc1", "vmovdqa32 zmm8, zmm9", 0x45, insn.Map0F},
	} {
		code, err := hex.DecodeString(x.code)
		if err != nil {
			t.Fatal(err)
		}
		in, err := insn.Decode(code, 0)
		if err != nil || in.Len != len(code) || !in.VEX || in.REX != x.rex || in.Map != x.in {
			t.Errorf("%s: %+v (%v), want REX %#x, map %d, length %d", x.text, in, err, x.rex, x.in, len(code))
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, test := range []struct {
		code string
		want error
	}{
		{"", insn.ErrTruncated},
		{"e8000000", insn.ErrTruncated},
		{"0f", insn.ErrTruncated},
		{"66", insn.ErrTruncated},
		{"666666666666666666666666666666666666", insn.ErrInvalid},
		{"06", insn.ErrInvalid},
		{"66e800000000", insn.ErrInvalid},
		{"0f0400000000", insn.ErrInvalid},
		{"ff38000000", insn.ErrInvalid},
	} {
		code, err := hex.DecodeString(test.code)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := insn.Decode(code, 0); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.code, err, test.want)
		}
	}
}

// x/arch's decoder has known faults, for which this package is the remedy. ENDBR64 is not
// one byte long, and displacements of four bytes are signed.
func TestKnownFaults(t *testing.T) {
	in, err := insn.Decode([]byte{0xf3, 0x0f, 0x1e, 0xfa}, 0)
	if err != nil || in.Len != 4 || in.Flow != insn.Next {
		t.Errorf("endbr64: %+v, %v", in, err)
	}
	in, err = insn.Decode([]byte{0x48, 0x8d, 0x05, 0xf0, 0xff, 0xff, 0xff}, 0x1000)
	if addr, ok := in.Address(); err != nil || !ok || addr != 0x1007-16 {
		t.Errorf("lea -16(rip): %#x, %v", addr, err)
	}
}

// FuzzDecode: no panic, and an instruction does not depend on what follows it.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{0x48, 0x83, 0xec, 0x08, 0xc3})
	f.Add([]byte{0x62, 0xf1, 0x7c, 0x48, 0x10, 0x07})
	f.Fuzz(func(t *testing.T, code []byte) {
		in, err := insn.Decode(code, 0x1000)
		if err != nil {
			return
		}
		if in.Len <= 0 || in.Len > len(code) {
			t.Fatalf("length %d of %d", in.Len, len(code))
		}
		in.Writes()
		again, err := insn.Decode(code[:in.Len], 0x1000)
		if err != nil || again != in {
			t.Errorf("alone: %+v, %v, with others: %+v", again, err, in)
		}
	})
}
