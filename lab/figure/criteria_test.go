package figure

import (
	"math"
	"testing"
)

// A row agrees if its median does and 8 of 10 runs do. The medians and counts are worked out
// by hand.
func TestVerdictsFollowOneRule(t *testing.T) {
	never, none := math.Inf(1), math.NaN()
	for _, x := range []struct {
		name    string
		t       tally
		u       unit
		want    relation
		ours    string
		agree   int
		differs bool
	}{
		{"all runs", tally{3, 2, 4}, times, atLeast(times(2)), "3.00x (2.00x to 4.00x)", 3, false},
		{"8 of 10 runs", tally{1, 1, 3, 3, 3, 3, 3, 3, 3, 3}, times, atLeast(times(2)), "3.00x (1.00x to 3.00x)", 8, false},
		{"7 of 10 runs", tally{1, 1, 1, 3, 3, 3, 3, 3, 3, 3}, times, atLeast(times(2)), "3.00x (1.00x to 3.00x)", 7, true},
		{"the median between those that agree", tally{0.5, 0.5, 1, 4, 5, 5}, times, between(times(2), times(3)), "2.50x (0.50x to 5.00x)", 0, true},
		{"runs that never reach it", tally{1e6, never, never}, after, about(1e6, 1e6, after), "never (1M to never)", 1, true},
		{"no run reaches it", tally{never, never}, times, atLeast(times(2)), "never", 2, false},
		{"runs without a number", tally{none, 2, 2, none}, times, atMost(times(2)), "2.00x", 2, true},
		{"no numbers", tally{none}, percent, below(percent(3)), "-", 0, true},
		{"a factor of 2 for events", tally{200_000, 800_000}, after, about(400_000, 400_000, after), "500K (200K to 800K)", 2, false},
		{"1.25 for other numbers", tally{3.9}, times, about(3, 3, times), "3.90x", 0, true},
	} {
		res := &Result{}
		res.compare("row", x.t, x.u, "paper", x.want)
		if r := res.Rows[0]; r.Ours != x.ours || r.Agree != x.agree || r.Runs != len(x.t) || r.Differs != x.differs || r.Differs == (r.Note == "") {
			t.Errorf("%s: %+v, want %q, %d runs that agree, differs %t", x.name, r, x.ours, x.agree, x.differs)
		}
	}
}

// Only recordings that all programs have count, one run for each seed.
func TestRunsAcrossPrograms(t *testing.T) {
	numbers := map[string]tally{"a1": {1, 2}, "b1": {10, 20}, "a2": {3, 4}, "b2": {30, 5}, "a3": {7, 7}}
	var list []*batch
	for _, name := range []string{"a1", "a2", "a3", "b1", "b2"} {
		list = append(list, &batch{origin: origin{Program{Name: name[:1]}, name[1:]}})
	}
	got := tallyAcross(list, func(b *batch) tally { return numbers[b.Name+b.recording] }, tally.most)
	if want := (tally{10, 20, 30, 5}); len(got) != len(want) || got[0] != 10 || got[1] != 20 || got[2] != 30 || got[3] != 5 {
		t.Errorf("got %v, want %v", got, want)
	}
}
