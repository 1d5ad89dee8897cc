package window

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/runtime/follow"
)

// called has what handlers call, so that the linker keeps it though it is inlined elsewhere.
var called = []any{(*Rows).Actions, (*Rows).Event, (*follow.Machine).Step, (*follow.Machine).Reset, (*follow.Machine).Ended}

var away = regexp.MustCompile(`\t(?:CALL|JMP) (\S+)\(SB\)\s*$`)

// TestMachineCode looks at the machine code of what signal handlers call, as the test of package interp does: it must not
// allocate, panic or store pointers with write barriers.
func TestMachineCode(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "window.test")
	if out, err := exec.Command("go", "test", "-c", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "objdump", "-s", `runtime/(window\.\(\*Rows|follow\.\(\*Machine)\)`, exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range strings.Split("\n"+string(out), "\nTEXT ")[1:] {
		name, text, _ := strings.Cut(f, "(SB) ")
		n++
		for line := range strings.Lines(text) {
			m := away.FindStringSubmatch(line)
			switch {
			case strings.Contains(line, "FS:"), strings.Contains(line, "runtime.writeBarrier"):
				t.Errorf("%s: %s", name, line)
			case m == nil, strings.Contains(m[1], "runtime/window.("), strings.Contains(m[1], "runtime/follow.("):
			case !strings.HasPrefix(m[1], "runtime.morestack_noctxt"):
				t.Errorf("%s calls %s", name, m[1])
			}
		}
	}
	if n < len(called) {
		t.Errorf("%d functions are there, want %d at least", n, len(called))
	}
}
