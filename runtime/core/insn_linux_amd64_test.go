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
	dir := t.TempDir()
	src, obj := filepath.Join(dir, "polls.s"), filepath.Join(dir, "polls.o")
	if err := os.WriteFile(src, []byte(text.String()), 0o666); err != nil {
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
		if !strings.Contains(line, "TESTB") {
			continue
		}
		code, err := hexenc.DecodeString(strings.Fields(line)[2])
		if err != nil {
			t.Fatal(err)
		}
		n--
		if got := decoded(code); got != len(code) {
			t.Errorf("%d bytes understood of %s", got, line)
		}
	}
	if n != 0 {
		t.Errorf("%d instructions are missing in\n%s", n, out)
	}
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
