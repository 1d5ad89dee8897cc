package cover

// This file compares totals with goals.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Goal is a percentage that at least must be covered of something.
type Goal struct {
	Of      string // "function", "statement", "branch" or "mcdc"
	Percent float64
}

var goals = []string{"function", "statement", "branch", "mcdc"}

// ParseGoals reads goals: "branch:80,mcdc:60".
func ParseGoals(text string) (list []Goal, err error) {
	for item := range strings.SplitSeq(text, ",") {
		of, number, ok := strings.Cut(item, ":")
		percent, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil || !(0 <= percent && percent <= 100) || !slices.Contains(goals, of) {
			return nil, fmt.Errorf("%q: want one of %s, a colon and a percentage, as in branch:80", item, strings.Join(goals, ", "))
		}
		list = append(list, Goal{of, percent})
	}
	return list, nil
}

// Missed returns what is below a goal, in words; "" if nothing is. There is nothing to cover of what there
// is none of.
func (t Totals) Missed(list []Goal) string {
	var missed []string
	for _, g := range list {
		p := map[string]Part{"function": t.Functions, "statement": t.Statements, "branch": t.Branches, "mcdc": t.MCDC}[g.Of]
		if got := 100 * float64(p.Covered) / float64(max(p.All, 1)); p.All > 0 && got < g.Percent {
			missed = append(missed, fmt.Sprintf("%s coverage is %.1f%% (%d of %d), want %g%%", g.Of, got, p.Covered, p.All, g.Percent))
		}
	}
	return strings.Join(missed, "; ")
}
