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
var called = []any{(*Rows).Actions, (*Rows).Event, (*Rows).PC, (*Rows).Full, (*Rows).Clear, (*Rows).Leave,
	(*follow.Machine).Step, (*follow.Machine).Reset, (*follow.Machine).Ended,
	(*Values).Add}

var away = regexp.MustCompile(`\t(?:CALL|JMP) (\S+?)(?:\(SB\))?\s*$`)

// TestMachineCode follows all calls from what signal handlers call, as the test of package interp does: it must not
// allocate, panic or store pointers with write barriers.
func TestMachineCode(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "window.test")
	if out, err := exec.Command("go", "test", "-c", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "objdump", "-s",
		`^github.com/pepgo/pep/(runtime/window|runtime/follow|machine/interp|format/(actiontable|valuetable|bitcode))\.`,
		exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	code := map[string]string{}
	for _, f := range strings.Split("\n"+string(out), "\nTEXT ")[1:] {
		name, text, _ := strings.Cut(f, "(SB) ")
		code[name] = text
	}
	const here = "github.com/pepgo/pep/"
	var next []string
	for _, name := range []string{"runtime/window.(*Rows).Actions", "runtime/window.(*Rows).Event",
		"runtime/window.(*Rows).PC", "runtime/window.(*Rows).Full",
		"runtime/window.(*Rows).Clear", "runtime/window.(*Rows).Leave", "runtime/follow.(*Machine).Step",
		"runtime/follow.(*Machine).Reset",
		"runtime/follow.(*Machine).Ended", "runtime/window.(*Values).Add"} {
		next = append(next, here+name)
	}
	if len(next) != len(called) {
		t.Errorf("%d functions, want %d", len(next), len(called))
	}
	seen := map[string]bool{}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		if code[name] == "" {
			t.Errorf("there is no code of %s", name)
		}
		for line := range strings.Lines(code[name]) {
			m := away.FindStringSubmatch(line)
			switch {
			case strings.Contains(line, "FS:"), strings.Contains(line, "runtime.writeBarrier"):
				t.Errorf("%s: %s", name, line)
			case m == nil, strings.HasPrefix(m[1], "0x"): // within the function
			case strings.HasPrefix(m[1], here):
				next = append(next, m[1])
			case !strings.HasPrefix(m[1], "runtime.morestack_noctxt") &&
				!strings.HasPrefix(m[1], "runtime.memclrNoHeapPointers"):
				t.Errorf("%s calls %s", name, m[1])
			}
		}
	}
	for _, name := range []string{"runtime/window.(*Rows).decode", "format/actiontable.(*Table).Decode",
		"format/actiontable.(*decoder).instruction", "format/bitcode.(*Reader).Number"} {
		if !seen[here+name] {
			t.Errorf("Actions does not seem to reach %s", name)
		}
	}
	t.Logf("%d functions", len(seen))
}
