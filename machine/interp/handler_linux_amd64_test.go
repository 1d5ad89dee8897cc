package interp

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestInHandler runs a program that interprets windows in a signal handler, in its own memory. What it computes is what
// it computes without windows, and most windows are whole. One in eight loads from where nothing is, and a handler of
// SIGSEGV ends it. A program that looks at the clock after each hundred instructions has whole windows, too: they go
// through the vDSO. With -v the test prints what an instruction costs.
func TestInHandler(t *testing.T) {
	exe := filepath.Join(t.TempDir(), "handler.exe")
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/handler").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rounds := "150"
	if testing.Short() {
		rounds = "60"
	}
	// ends gives how many windows there are, and how many end in a way.
	ends := func(out, how string) (windows, n int) {
		number := func(pattern string) (n int) {
			if m := regexp.MustCompile(pattern).FindStringSubmatch(out); m != nil {
				n, _ = strconv.Atoi(m[1])
			}
			return n
		}
		return number(`windows (\d+)`), number(how + `:? (\d+)`)
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
	windows, done := ends(with, "done")
	_, calls := ends(with, "system call")
	_, faults := ends(with, "faults")
	if windows < 20 || done < windows/3 || done+calls+faults < windows*9/10 {
		t.Errorf("of %d windows %d are whole, %d end at a system call, and %d at a fault", windows, done, calls, faults)
	}
	if faults != windows/8 {
		t.Errorf("got %d faults, want one in each eighth of %d windows", faults, windows)
	}
	// With little memory for decoded code it is emptied now and then, and with ticks of all threads, others have windows
	// then.
	small := run("small")
	t.Log(small)
	if strings.Split(small, "\n")[1] != strings.Split(with, "\n")[1] {
		t.Errorf("with little memory it prints %q", small)
	}
	windows, done = ends(small, "done")
	_, emptied := ends(small, "emptied")
	_, full := ends(small, "code cache full")
	if emptied < 2 || full > windows/4 || done < 20 {
		t.Errorf("of %d windows with little memory %d are whole, and %d find it full; it was emptied %d times",
			windows, done, full, emptied)
	}
	if err := exec.Command(exe, "vdso").Run(); err != nil {
		t.Skip("the clock is a system call here, so windows end there: ", err)
	}
	out := run("clock")
	t.Log(out)
	windows, done = ends(out, "done")
	_, refused := ends(out, "code refused")
	_, clock := ends(out, "machine instruction")
	if windows < 20 || done < (windows-windows/8)*3/4 || refused+clock > windows/50 {
		t.Errorf("of %d windows that look at the clock, %d are whole, %d end where no code is known, and %d at a clock",
			windows, done, refused, clock)
	}
}
