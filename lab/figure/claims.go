package figure

// This file writes the page of a paper: its claims, each with ours beside it. All of the page is computed from what was
// measured, but for the claims themselves.

import (
	"fmt"
	"strings"
)

// A Claim is a claim of a paper, and what would refute it.
type Claim struct {
	Key    string
	Where  string // in the paper
	Says   string
	Prints string // its number as printed; "" if our text has none

	Ours string   // what is measured
	Unit Unit     // of that
	Want Relation // all else refutes the claim
	// Of returns a number for each run, with the rules of the paper alone or with those that the project has added.
	Of   func(m *Measured, extended bool) Tally
	Same bool // the second column is the same
	Only bool // the second column has no such thing

	Cannot      string                   // why it cannot be shown here; then Of only has numbers to look at, or is nil
	CannotRules string                   // why it cannot be shown with the paper's rules; only the second column has numbers
	Why         func(m *Measured) string // what other experiments say about it; it may be nil
}

// A Beside is the page of a paper.
type Beside struct {
	Name     string // the argument of figures paper
	Title    string
	Columns  [2]string // of numbers: the paper's rules, and those with what the project has added to them
	Extended string    // a sentence about the second
	Runs     string    // what runs are
	Loads    uint64    // how many events of a recording are run if nothing else is said
	Measure  func(env *Env, m *Measured) error
	Claims   []Claim
	Answers  []Answer
	Tables   func(m *Measured) []Table
}

// Rules are the columns of a page about an engine of hardware.
var Rules = [2]string{"the paper's rules", "our rules"}

// An Answer answers a question of readers.
type Answer struct {
	Question string
	Text     func(m *Measured) string
}

// The verdicts about claims.
const (
	Agrees   = "agrees"
	Differs  = "differs"
	CannotBe = "cannot be shown"
)

// Judge returns the verdict, and our numbers as text. It is an error if nothing was measured.
func (c *Claim) Judge(m *Measured, extended bool) (verdict, ours string, err error) {
	if c.Of == nil || c.CannotRules != "" && !extended {
		return CannotBe, "-", nil
	}
	t := c.Of(m, extended)
	if len(t) == 0 {
		return "", "", fmt.Errorf("%s: nothing was measured; measure again without -again", c.Key)
	}
	want := c.Want
	if c.Cannot != "" {
		want = AtLeast(c.Unit(0)) // nobody asks
	}
	var r Result
	r.Compare(c.Key, c.Says, t, c.Unit, c.Prints, want)
	row := r.Rows[0]
	ours = row.Ours
	if c.Cannot != "" {
		return CannotBe, ours, nil
	}
	if row.Runs > 1 {
		ours += fmt.Sprintf("; %d of %d", row.Agree, row.Runs)
	}
	if row.Differs {
		return Differs, ours, nil
	}
	return Agrees, ours, nil
}

// A judged is a claim with its verdicts.
type judged struct {
	*Claim
	rules, extended         string // verdicts
	rulesOurs, extendedOurs string
}

// Page returns the page in Markdown.
func (b *Beside) Page(m *Measured) (string, error) {
	var list []judged
	for i := range b.Claims {
		j := judged{Claim: &b.Claims[i]}
		var err error
		if j.rules, j.rulesOurs, err = j.Judge(m, false); err != nil {
			return "", err
		}
		j.extended, j.extendedOurs = j.rules, "the same"
		switch {
		case j.Only:
			j.extended, j.extendedOurs = "-", "-"
		case !j.Same && j.Of != nil:
			if j.extended, j.extendedOurs, err = j.Judge(m, true); err != nil {
				return "", err
			}
		}
		list = append(list, j)
	}
	var p strings.Builder
	fmt.Fprintf(&p, "# %s\n\n%s\n\n", b.Title, summary(list, b.Columns))
	fmt.Fprintf(&p, "All of this page is output, made from the numbers in paper-%s.txt:\n\n", b.Name)
	for _, line := range m.Header {
		fmt.Fprintf(&p, "    %s\n", line)
	}
	for _, a := range b.Answers {
		fmt.Fprintf(&p, "\n## %s\n\n%s\n", a.Question, a.Text(m))
	}
	fmt.Fprintf(&p, "\n## Claims\n\n"+
		"The column \"paper\" has what our text of the paper prints, and nothing that follows from it. A verdict is about the "+
		"numbers before it:\n"+
		"the median of the runs, their least and greatest, and in how many the claim holds. Runs are %s.\n"+
		"%s.\n\n", b.Runs, b.Extended)
	fmt.Fprintf(&p, "| claim | where | paper | ours is | agrees if | with %s | verdict | with %s | verdict |\n"+
		"|---|---|---|---|---|---|---|---|---|\n", b.Columns[0], b.Columns[1])
	for _, j := range list {
		wants := j.Want.Text
		if j.Cannot != "" {
			wants = "-"
		}
		writeCells(&p, []string{j.Says, j.Where, j.Prints, j.Ours, wants, j.rulesOurs, j.rules, j.extendedOurs, j.extended})
	}
	p.WriteString("\n## Why\n\n")
	for i := 0; i < len(list); {
		reason, says := list[i].reason(m), []string(nil)
		for ; i < len(list) && list[i].reason(m) == reason; i++ {
			says = append(says, fmt.Sprintf("**%s** (%s)", list[i].Says, list[i].verdicts(b.Columns)))
		}
		if reason != "" {
			fmt.Fprintf(&p, "* %s. %s\n", strings.Join(says, "; "), reason)
		}
	}
	p.WriteString("\n## What words of the paper mean here\n\n| word | means | because |\n|---|---|---|\n")
	for _, t := range Tolerances {
		writeCells(&p, []string{t.Word, t.Means, t.Reason})
	}
	for _, t := range b.Tables(m) {
		fmt.Fprintf(&p, "\n## %s\n\n", t.Title)
		writeCells(&p, t.Columns)
		p.WriteString(strings.Repeat("|---", len(t.Columns)) + "|\n")
		for _, row := range t.Rows {
			var cells []string
			for _, v := range row {
				cells = append(cells, v.Text)
			}
			writeCells(&p, cells)
		}
	}
	return p.String(), nil
}

func writeCells(p *strings.Builder, cells []string) {
	for _, c := range cells {
		fmt.Fprintf(p, "| %s ", strings.ReplaceAll(c, "|", `\|`))
	}
	p.WriteString("|\n")
}

// reason says what else is known of a claim; "" if there is nothing to say.
func (j judged) reason(m *Measured) string {
	switch {
	case j.CannotRules != "":
		return "With the paper's rules it cannot be shown here: " + j.CannotRules + ". " + j.Why(m)
	case j.Cannot != "" && j.Why != nil:
		return "It cannot be shown here: " + j.Cannot + ". " + j.Why(m)
	case j.Cannot != "":
		return "It cannot be shown here: " + j.Cannot + "."
	case j.Why != nil:
		return j.Why(m)
	case j.rules == Differs || j.extended == Differs:
		return "No experiment of ours says why."
	}
	return ""
}

func (j judged) verdicts(columns [2]string) string {
	if j.Same || j.Only || j.Cannot != "" || j.rules == j.extended {
		return j.rules
	}
	return fmt.Sprintf("with %s: %s; with %s: %s", columns[0], j.rules, columns[1], j.extended)
}

// summary is the first paragraph: how many claims hold, and which do not.
func summary(list []judged, columns [2]string) string {
	count := func(verdict string, of func(j judged) string) (n int) {
		for _, j := range list {
			if of(j) == verdict {
				n++
			}
		}
		return n
	}
	rules, extended := func(j judged) string { return j.rules }, func(j judged) string { return j.extended }
	text := fmt.Sprintf("Of %d claims %d agree with %s, %d differ, and %d cannot be shown here. "+
		"With %s %d agree and %d differ.",
		len(list), count(Agrees, rules), columns[0], count(Differs, rules), count(CannotBe, rules),
		columns[1], count(Agrees, extended), count(Differs, extended))
	for _, group := range []struct {
		text string
		is   func(j judged) bool
	}{
		{"For Go programs these do not hold",
			func(j judged) bool {
				return j.rules == Differs && (j.extended == Differs || j.Only) || j.CannotRules != "" && j.extended == Differs
			}},
		{fmt.Sprintf("These do not hold with %s, and hold with %s", columns[0], columns[1]),
			func(j judged) bool { return j.rules == Differs && j.extended == Agrees }},
		{fmt.Sprintf("These hold with %s, and not with %s", columns[0], columns[1]),
			func(j judged) bool { return j.rules == Agrees && j.extended == Differs }},
	} {
		var says []string
		for _, j := range list {
			if group.is(j) {
				says = append(says, j.Says)
			}
		}
		if says != nil {
			text += fmt.Sprintf(" **%s:** %s.", group.text, strings.Join(says, "; "))
		}
	}
	return text
}
