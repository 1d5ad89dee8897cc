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
		t       Tally
		u       Unit
		want    Relation
		ours    string
		agree   int
		differs bool
	}{
		{"all runs", Tally{3, 2, 4}, Times, AtLeast(Times(2)), "3.00x (2.00x to 4.00x)", 3, false},
		{"8 of 10 runs", Tally{1, 1, 3, 3, 3, 3, 3, 3, 3, 3}, Times, AtLeast(Times(2)), "3.00x (1.00x to 3.00x)", 8, false},
		{"7 of 10 runs", Tally{1, 1, 1, 3, 3, 3, 3, 3, 3, 3}, Times, AtLeast(Times(2)), "3.00x (1.00x to 3.00x)", 7, true},
		{"the median between those that agree", Tally{0.5, 0.5, 1, 4, 5, 5}, Times, Between(Times(2), Times(3)),
			"2.50x (0.50x to 5.00x)", 0, true},
		{"runs that never reach it", Tally{1e6, never, never}, After, About(1e6, 1e6, After), "never (1M to never)", 1, true},
		{"no run reaches it", Tally{never, never}, Times, AtLeast(Times(2)), "never", 2, false},
		{"runs without a number", Tally{none, 2, 2, none}, Times, AtMost(Times(2)), "2.00x", 2, true},
		{"no numbers", Tally{none}, Percent, Below(Percent(3)), "-", 0, true},
		{"a factor of 2 for events", Tally{200_000, 800_000}, After, About(400_000, 400_000, After), "500K (200K to 800K)", 2,
			false},
		{"1.25 for other numbers", Tally{3.9}, Times, About(3, 3, Times), "3.90x", 0, true},
	} {
		res := &Result{}
		res.Compare("key", "row", x.t, x.u, "paper", x.want)
		if r := res.Rows[0]; r.Ours != x.ours || r.Agree != x.agree || r.Runs != len(x.t) || r.Differs != x.differs ||
			r.Differs == (r.Note == "") {
			t.Errorf("%s: %+v, want %q, %d runs that agree, differs %t", x.name, r, x.ours, x.agree, x.differs)
		}
	}
}

// Only recordings that all programs have count, one run for each seed.
func TestRunsAcrossPrograms(t *testing.T) {
	numbers := map[string]Tally{"a1": {1, 2}, "b1": {10, 20}, "a2": {3, 4}, "b2": {30, 5}, "a3": {7, 7}}
	var list []*Batch
	for _, name := range []string{"a1", "a2", "a3", "b1", "b2"} {
		list = append(list, &Batch{Origin: Origin{Program{Name: name[:1]}, name[1:]}})
	}
	got := TallyAcross(list, func(b *Batch) Tally { return numbers[b.Name+b.Recording] }, Tally.Most)
	if want := (Tally{10, 20, 30, 5}); len(got) != len(want) || got[0] != 10 || got[1] != 20 || got[2] != 30 ||
		got[3] != 5 {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Ten numbers whose ranks differ by d have the correlation 1 - 6·Σd²/990. Two of the six orders of three are as strong
// as -1; a count of 100,000 orders is off by 1 % of these in less than one of 10^10 cases, and the seed is fixed.
func TestRankCorrelation(t *testing.T) {
	for _, c := range []struct {
		a, b               Tally
		rho, least, chance float64
	}{
		{Tally{1, 2, 3}, Tally{9, 5, 4}, -1, 32.3, 34.3},
		{Tally{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, Tally{20, 10, 30, 40, 50, 60, 70, 80, 99, 90}, 1 - 6*4/990., 0, 0.05},
		{Tally{1, 2, 3, 4}, Tally{2, 4, 1, 3}, 0, 100, 100},
		{Tally{1, 1, 2}, Tally{3, 3, 5}, 1, 32.3, 34.3},
	} {
		rho, chance := RankCorrelation(c.a, c.b)
		if math.Abs(rho-c.rho) > 1e-9 || chance < c.least || chance > c.chance {
			t.Errorf("%v and %v: %.4f with a chance of %.3f %%, want %.4f with %v to %v %%", c.a, c.b, rho, chance,
				c.rho, c.least, c.chance)
		}
	}
}
