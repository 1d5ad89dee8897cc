package core

import (
	"regexp"
	"strconv"
	"testing"
)

var tookBudget = regexp.MustCompile(`, (\d+) ticks, .*, sampling took \d+ms, \d+\.\d\d%( \(budget 0\.05%\))?`)

// A burst of 64 samples takes far more than 30 µs. With a budget of
// 0.05 % ticks are then more than 60 ms apart. The program runs for 720 ms of CPU time and
// would have 180 ticks if the kernel looks at timers every 4 ms.
func TestBudgetSetsTheTimer(t *testing.T) {
	t.Parallel()
	exe := newLinker(t, "", target{}).program("loop.go", loopTables())
	ticks := map[string]int{}
	for _, budget := range []string{"off", "0.05%"} {
		r := execute(t, exe, []string{"PEPOPTS=tick=2ms,budget=" + budget}, "burn")
		comment := r.profile(t, "paths").Comments[0]
		m := tookBudget.FindStringSubmatch(comment)
		if m == nil || (m[2] == "") != (budget == "off") {
			t.Fatalf("budget %s: comment %q", budget, comment)
		}
		ticks[budget], _ = strconv.Atoi(m[1])
	}
	if ticks["off"] < 60 || ticks["0.05%"] < 2 || ticks["0.05%"] > 30 {
		t.Errorf("ticks by budget %v, want 60 or more and 2 to 30", ticks)
	}
}
