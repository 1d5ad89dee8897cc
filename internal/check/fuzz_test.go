package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestExecutions(t *testing.T) {
	const out = "fuzz: elapsed: 0s, gathering baseline coverage: 0/7 completed\nfuzz: elapsed: 0s, gathering baseline coverage: 7/7 completed, now fuzzing with 2 workers\n" +
		"fuzz: elapsed: 3s, execs: 100 (33/sec), new interesting: 0 (total: 7)\nfuzz: elapsed: 5s, execs: 234 (60/sec), new interesting: 0 (total: 7)\nPASS\n"
	if got := executions(out); got != 234 {
		t.Errorf("got %d, want 234", got)
	}
	if got := inputs(out); got != 7 {
		t.Errorf("got %d inputs, want 7", got)
	}
	if got := executions("PASS\n"); got != 0 {
		t.Errorf("nothing executed: got %d", got)
	}
}

func TestNextRound(t *testing.T) {
	for _, c := range []struct {
		executed    int
		spent, each time.Duration
		want        int
	}{
		{10000, 1 * time.Second, 10 * time.Second, 90000},
		{45000, 9 * time.Second, 10 * time.Second, 5000},
		{49900, 9980 * time.Millisecond, 10 * time.Second, firstRound},
		{100, 9 * time.Second, 10 * time.Second, firstRound},
	} {
		if got := nextRound(c.executed, c.spent, c.each); got != c.want {
			t.Errorf("after %d in %v of %v: %d, want %d", c.executed, c.spent, c.each, got, c.want)
		}
	}
}

// If a target fails for some input, Fuzz reports it with the name of the input. If it does
// not, Fuzz counts it as passed.
func TestFuzz(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.26\n",
		"x_test.go": "package m_test\n\nimport \"testing\"\n\nfunc FuzzOutside(f *testing.F) { f.Fuzz(func(t *testing.T, s string) {}) }\n",
		"m_test.go": `package m

import "testing"

func FuzzGood(f *testing.F) { f.Fuzz(func(t *testing.T, b []byte) {}) }

func Fuzzy(n int) {} // not a target

type F struct{}

func (F) FuzzMethod(f *testing.F) {}

func FuzzBad(f *testing.F) {
	f.Fuzz(func(t *testing.T, n int) {
		if n%3 == 1 {
			t.Error("planted")
		}
	})
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	targets, err := Targets(dir, "./...")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, t := range targets {
		names = append(names, t.Package+" "+t.Name)
	}
	if d := cmp.Diff([]string{"example.com/m FuzzGood", "example.com/m FuzzBad", "example.com/m FuzzOutside"},
		names); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	var out strings.Builder
	count := Fuzz(&out, targets, time.Second)
	if want := (Count{Passed: 2, Failed: 1}); count != want {
		t.Errorf("got %v, want %v\n%s", count, want, out.String())
	}
	for _, want := range []string{"ok    fuzz example.com/m FuzzGood", "FAIL  fuzz example.com/m FuzzBad", "planted",
		"testdata/fuzz/FuzzBad"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
