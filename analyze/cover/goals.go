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
			return nil, fmt.Errorf("%q: want one of %s, a colon and a percentage, as in branch:80", item,
				strings.Join(goals, ", "))
		}
		list = append(list, Goal{of, percent})
	}
	return list, nil
}

// Missed returns what is below a goal, in words; "" if nothing is. There is nothing to cover of what there
// is none of. Of decisions that the source has and the profiles do not, nothing is known: that is below a goal, too.
func (c *Coverage) Missed(list []Goal, shown func(*Decision) []Shown) string {
	t := c.Totals(shown)
	var missed []string
	for _, g := range list {
		p := map[string]Part{"function": t.Functions, "statement": t.Statements, "branch": t.Branches, "mcdc": t.MCDC}[g.Of]
		unknown := ""
		if g.Of == "mcdc" {
			unknown = c.unknownDecisions(p)
		}
		if got := 100 * float64(p.Covered) / float64(max(p.All, 1)); unknown != "" {
			missed = append(missed, "mcdc coverage is not known: "+unknown)
		} else if p.All > 0 && got < g.Percent {
			missed = append(missed, fmt.Sprintf("%s coverage is %.1f%% (%d of %d), want %g%%", g.Of, got, p.Covered, p.All,
				g.Percent))
		}
	}
	return strings.Join(missed, "; ")
}

// unknownDecisions says why totals of MC/DC say nothing, if so.
func (c *Coverage) unknownDecisions(mcdc Part) string {
	if len(c.unknown) > 0 {
		return "there are decisions in files whose source is not found, such as " + c.unknown[0] +
			"; -source_path says where to look"
	}
	decisions := 0
	for _, u := range c.Uncounted {
		if u.Col > 0 {
			decisions++
		}
	}
	if mcdc.All == 0 && decisions > 0 {
		return fmt.Sprintf("the source has decisions (%d), and the profiles count none of them", decisions)
	}
	return ""
}
