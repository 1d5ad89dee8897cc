package core

import (
	hexenc "encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

var registers = strings.Fields("AX CX DX BX SP BP SI DI R8 R9 R10 R11 R12 R13 R14 R15")

// assembled has the assembler encode instructions, and returns them with their
// code.
func assembled(t *testing.T, insns []string) (code [][]byte) {
	t.Helper()
	dir := t.TempDir()
	src, obj := filepath.Join(dir, "polls.s"), filepath.Join(dir, "polls.o")
	text := "TEXT ·polls(SB), 4, $0\n\tNOP\n\t" + strings.Join(insns, "\n\t") + "\n"
	if err := os.WriteFile(src, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "tool", "asm", "-p", "p", "-o", obj, src).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "objdump", obj).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "TESTB") && !strings.Contains(line, "CMPQ") {
			continue
		}
		b, err := hexenc.DecodeString(strings.Fields(line)[2])
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, b)
	}
	if len(code) != len(insns) {
		t.Fatalf("%d instructions of %d in\n%s", len(code), len(insns), out)
	}
	return code
}

// memory returns operands in all ways that the compiler may address memory.
func memory() (operands []string) {
	for _, r := range registers {
		for _, disp := range []int{0, 1, -1, 127, 128, 1 << 20} {
			operands = append(operands, fmt.Sprintf("%d(%s)", disp, r), fmt.Sprintf("%d(%s)(R10*1)", disp, r))
		}
	}
	return append(operands, "(0x60000140)")
}

func TestPollsOfAllRegisters(t *testing.T) {
	var insns []string
	for i, m := range memory() {
		insns = append(insns, "TESTB\t"+[]string{"AX", "R9"}[i%2]+", "+m)
	}
	for i, code := range assembled(t, insns) {
		if got := decoded(code); got != len(code) {
			t.Errorf("%d bytes understood of %s, % x", got, insns[i], code)
		}
	}
}

func TestComparisonsOfAllRegisters(t *testing.T) {
	var insns []string
	var want []operand
	for _, m := range memory() {
		for i, r := range registers {
			insns = append(insns, "CMPQ\t"+r+", "+m, "CMPQ\t"+m+", "+r)
			want = append(want, operand{reg: uintptr(i)}, operand{reg: uintptr(i)})
		}
		for _, v := range []int32{0, 1, -1, 127, -128, 128, 1 << 30, -1 << 30} {
			insns = append(insns, fmt.Sprintf("CMPQ\t%s, $%d", m, v))
			want = append(want, operand{noRegister, uint64(v)})
		}
	}
	for i, code := range assembled(t, insns) {
		got, n := comparison(padded(code))
		if got != want[i] || int(n) != len(code) {
			t.Errorf("%v and %d bytes understood of %s, % x", got, n, insns[i], code)
		}
	}
}

func decoded(code []byte) int { return int(pollLen(padded(code))) }

// padded returns a pointer to code with room behind it.
func padded(code []byte) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(append(code[:len(code):len(code)], make([]byte, 16)...)))
}

func TestOtherInstructionsAreNotPolls(t *testing.T) {
	for name, code := range map[string][]byte{
		"TESTB AX, AX":    {0x84, 0xc0},
		"TESTL AX, (AX)":  {0x85, 0x00},
		"TESTB $1, (AX)":  {0xf6, 0x00, 0x01},
		"MOVB (AX), CX":   {0x8a, 0x08},
		"MOVQ (AX), CX":   {0x48, 0x8b, 0x08},
		"MOVBLZX (AX), C": {0x0f, 0xb6, 0x08},
	} {
		if n := decoded(code); n != 0 {
			t.Errorf("%s is taken for a poll of %d bytes", name, n)
		}
	}
}

func TestOtherInstructionsAreNotComparisons(t *testing.T) {
	for name, code := range map[string][]byte{
		"CMPQ AX, CX":    {0x48, 0x39, 0xc8},
		"CMPL AX, (CX)":  {0x39, 0x01},
		"ADDQ $1, (AX)":  {0x48, 0x83, 0x00, 0x01},
		"MOVQ (AX), CX":  {0x48, 0x8b, 0x08},
		"TESTB AX, (AX)": {0x84, 0x00},
	} {
		if _, n := comparison(padded(code)); n != 0 {
			t.Errorf("%s is taken for a comparison of %d bytes", name, n)
		}
	}
}
