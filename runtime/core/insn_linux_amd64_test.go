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

// TestPollsOfAllRegisters has the assembler encode polls in all ways that the compiler may
// use, and checks that the runtime knows their lengths.
func TestPollsOfAllRegisters(t *testing.T) {
	var text strings.Builder
	text.WriteString("TEXT ·polls(SB), 4, $0\n")
	n := 0
	for _, r := range strings.Fields("AX BX CX DX SI DI BP SP R8 R9 R10 R11 R12 R13 R14 R15") {
		for _, disp := range []int{0, 1, -1, 127, 128, 1 << 20} {
			fmt.Fprintf(&text, "\tTESTB\tAX, %d(%s)\n\tTESTB\tR9, %d(%s)(R10*1)\n", disp, r, disp, r)
			n += 2
		}
	}
	text.WriteString("\tTESTB\tAX, (0x60000140)\n")
	n++
	for _, line := range assembled(t, text.String(), "TESTB") {
		n--
		if got := decoded(line.code); got != len(line.code) {
			t.Errorf("%d bytes understood of %s", got, line.text)
		}
	}
	if n != 0 {
		t.Errorf("%d instructions are missing", n)
	}
}

// TestNumbersOfFlagPolls has the assembler encode the NOPLs of flag polls, and compares the addresses that the runtime
// reads in them with those of the source, for registers that hold a million times their number.
func TestNumbersOfFlagPolls(t *testing.T) {
	var text strings.Builder
	var want []uintptr
	var regs [16]uintptr
	text.WriteString("TEXT ·polls(SB), 4, $0\n")
	for n, r := range strings.Fields("AX CX DX BX SP BP SI DI R8 R9 R10 R11 R12 R13 R14 R15") {
		if r == "SP" || r == "BP" {
			continue
		}
		regs[n] = uintptr(n+1) * 1_000_000
		for _, disp := range []int{0, 1, -1, 127, 128, -129, 1 << 20} {
			fmt.Fprintf(&text, "\tNOPL\t%d(%s)\n", disp, r)
			want = append(want, regs[n]+uintptr(disp))
		}
	}
	text.WriteString("\tNOPL\t(0x60000140)\n")
	want = append(want, 0x60000140)
	for _, line := range assembled(t, text.String(), "NOPL") {
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

// assembled assembles a text and returns its instructions of a name.
func assembled(t *testing.T, text, name string) (list []assembly) {
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
		if !strings.Contains(line, name) {
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

func decoded(code []byte) int {
	padded := append(code, make([]byte, 16)...)
	return int(pollLen(unsafe.Pointer(&padded[0])))
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
