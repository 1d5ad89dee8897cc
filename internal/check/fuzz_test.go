package check

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTargetsOf(t *testing.T) {
	const list = "FuzzA\nFuzzB\nok  \tp\t0.004s\nok  \tq\t0.010s\n?   \tr\t[no test files]\nFuzzA\nok  \ts/t\t0.004s\n"
	want := []Target{{"p", "FuzzA"}, {"p", "FuzzB"}, {"s/t", "FuzzA"}}
	if d := cmp.Diff(want, targetsOf(list)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestExecutions(t *testing.T) {
	const out = "fuzz: elapsed: 0s, gathering baseline coverage: 0/7 completed\nfuzz: elapsed: 0s, gathering baseline coverage: 7/7 completed, now fuzzing with 2 workers\n" +
		"fuzz: elapsed: 3s, execs: 100 (33/sec), new interesting: 0 (total: 7)\nfuzz: elapsed: 5s, execs: 234 (60/sec), new interesting: 0 (total: 7)\nPASS\n"
	if got := executions(out); got != "234" {
		t.Errorf("got %s, want 234", got)
	}
	if got := executions("PASS\n"); got != "0" {
		t.Errorf("nothing executed: got %s", got)
	}
}
