package bench

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
	n, err := countInstructions(dir, nil, true, exe)
	if err != nil {
		t.Fatal(err)
	}
	if n.instructions < 1_200_000 || n.misses <= 0 || n.misses > n.instructions/20 { // four loops of 300,000 rounds
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
	if n, err := counter(text, "D refs"); !errors.Is(err, ErrNoValgrind) {
		t.Errorf("got %d, %v, want an error", n, err)
	}
}

func TestReasonOfValgrind(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"==1== Command: ./x\n==1== \nusage: x\n==1== \n", "usage: x"},
		{"x\nCallgrind: threads.c:247 (f): Assertion 'a == b' failed.\n\nThanks.\n", "Callgrind: threads.c:247 (f): Assertion 'a == b' failed."},
		{"", "no message"},
	} {
		if got := reason(test.text); got != test.want {
			t.Errorf("reason(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

// Programs whose rounds are so long that one and five percent of the workload are the same have no counts.
func TestAdditionalInstructions(t *testing.T) {
	if n, err := additional(200, 900); n != 700 || err != nil {
		t.Errorf("got %d, %v, want 700", n, err)
	}
	if n, err := additional(1000, 1020); !errors.Is(err, ErrNoValgrind) {
		t.Errorf("got %d, %v, want an error", n, err)
	}
	if n, err := additional(1000, 990); !errors.Is(err, ErrNoValgrind) {
		t.Errorf("got %d, %v, want an error", n, err)
	}
}
