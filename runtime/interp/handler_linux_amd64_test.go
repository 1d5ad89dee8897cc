package interp

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestInHandler runs a program that interprets windows in a signal handler, in its own memory. What it computes is what it
// computes without windows, and most windows are whole. One in eight loads from where nothing is, and a handler of SIGSEGV ends
// it.
func TestInHandler(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "handler.exe")
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/handler").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rounds := "150"
	if testing.Short() {
		rounds = "60"
	}
	run := func(windows string) string {
		out, err := exec.Command(exe, windows, rounds).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", windows, err, out)
		}
		return string(out)
	}
	with := run("on")
	if strings.HasPrefix(with, "no RDFSBASE") {
		t.Skip("the program needs RDFSBASE")
	}
	t.Log(with)
	if without := run("off"); !strings.HasPrefix(with, without) {
		t.Errorf("without windows it prints %q", without)
	}
	number := func(pattern string) int {
		m := regexp.MustCompile(pattern).FindStringSubmatch(with)
		if m == nil {
			return 0
		}
		n, _ := strconv.Atoi(m[1])
		return n
	}
	windows, done, calls, faults := number(`windows (\d+)`), number(`done: (\d+)`), number(`system call: (\d+)`), number(`faults (\d+)`)
	if windows < 20 || done < windows/3 || done+calls+faults < windows*9/10 {
		t.Errorf("of %d windows %d are whole, %d end at a system call, and %d at a fault", windows, done, calls, faults)
	}
	if faults != windows/8 {
		t.Errorf("got %d faults, want one in each eighth of %d windows", faults, windows)
	}
}
