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

// TestNumbersOfPolls has the assembler encode the instructions behind the calls of polls, and compares the numbers that
// the runtime reads in them with those of the source, for registers that hold a million times their number.
func TestNumbersOfPolls(t *testing.T) {
	var text strings.Builder
	var want []uint32
	var regs [16]uintptr
	text.WriteString("TEXT ·polls(SB), 4, $0\n")
	for n, r := range strings.Fields("AX CX DX BX SP BP SI DI R8 R9 R10 R11 R12 R13 R14 R15") {
		if r == "SP" || r == "BP" {
			continue
		}
		regs[n] = uintptr(n+1) * 1_000_000
		for _, disp := range []int{0, 1, -1, 127, 128, -129, 1 << 20} {
			fmt.Fprintf(&text, "\tNOPL\t%d(%s)\n", disp, r)
			want = append(want, uint32(regs[n])+uint32(disp))
		}
	}
	for _, n := range []uint32{0, 5, 127, 128, 300, 1 << 28} {
		test, reg := "TESTL", "AX"
		if n < 128 {
			test, reg = "TESTB", "AL"
		}
		fmt.Fprintf(&text, "\t%s\t$%d, %s\n", test, n, reg)
		want = append(want, n)
	}
	for _, line := range assembled(t, text.String()) {
		padded := append(line.code, make([]byte, 16)...)
		if got := operand(unsafe.Pointer(&padded[0]), &regs); len(want) == 0 || got != want[0] {
			t.Fatalf("%#x is read, want %#x, in %s", got, want[:min(1, len(want))], line.text)
		}
		want = want[1:]
	}
	if len(want) != 0 {
		t.Errorf("%d instructions are missing", len(want))
	}
}

// An assembly is an instruction that the assembler has encoded.
type assembly struct {
	code []byte
	text string
}

// assembled assembles a text and returns its instructions.
func assembled(t *testing.T, text string) (list []assembly) {
	t.Helper()
	dir := t.TempDir()
	src, obj := filepath.Join(dir, "polls.s"), filepath.Join(dir, "polls.o")
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
		if !strings.Contains(line, "TEST") && !strings.Contains(line, "NOP") {
			continue
		}
		code, err := hexenc.DecodeString(strings.Fields(line)[2])
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, assembly{code, line})
	}
	return list
}
