package valgrind

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
)

// Instructions can be counted in programs whose threads handle signals, as the threads of
// sampled programs do.
func TestSignalsDoNotStopTheCount(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skipf("needs valgrind: %v", err)
	}
	dir := t.TempDir()
	exe := filepath.Join(dir, "signals")
	if out, err := exec.Command("go", "build", "-o", exe, "testdata/signals.go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	n, err := Count(dir, []string{"GODEBUG=cpu.rdtscp=off"}, true, exe)
	if err != nil {
		t.Fatal(err)
	}
	if n.Instructions < 1_200_000 || n.Misses <= 0 || n.Misses > n.Instructions/20 { // four loops of 300,000 rounds
		t.Errorf("got %+v, want more instructions, and misses of few of them", n)
	}
}

func TestCounterOfCachegrind(t *testing.T) {
	const text = "==12== \n==12== I   refs:      1,142,857\n==12== I1  misses:        1,016\n==12== LLi misses:          996\n"
	for name, want := range map[string]int64{"I refs": 1_142_857, "I1 misses": 1016, "LLi misses": 996} {
		if n, err := counter(text, name); n != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", name, n, err, want)
		}
	}
	if n, err := counter(text, "D refs"); !errors.Is(err, ErrCannotCount) {
		t.Errorf("got %d, %v, want an error", n, err)
	}
}

func TestReasonOfValgrind(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"==1== Command: ./x\n==1== \nusage: x\n==1== \n", "usage: x"},
		{"x\nCallgrind: threads.c:247 (f): Assertion 'a == b' failed.\n\nThanks.\n",
			"Callgrind: threads.c:247 (f): Assertion 'a == b' failed."},
		{"", "no message"},
	} {
		if got := reason(test.text); got != test.want {
			t.Errorf("reason(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}
