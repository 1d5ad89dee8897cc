package figure

// This file writes the page of a paper, its claims with ours beside each, and the details behind it. All is computed
// from what was measured, but for the claims themselves.

import (
	"fmt"
	"strings"

	"github.com/pepgo/pep/lab/wrap"
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

	Cannot string // why it cannot be shown here; then Of only has numbers to look at, or is nil
	// why it cannot be shown with the paper's rules; only the second column has numbers
	CannotRules string
	Why         func(m *Measured) string // what other experiments say about it; it may be nil
}

// A Beside is the page of a paper.
type Beside struct {
	Name      string // the argument of figures paper
	Title     string
	Columns   [2]string // of numbers: the paper's rules, and those with what the project has added to them
	Extended  string    // a sentence about the second
	Runs      string    // what runs are; the details have it
	Loads     uint64    // how many events of a recording are run if nothing else is said
	Measure   func(env *Env, m *Measured) error
	Claims    []Claim
	Surprises []func(m *Measured) string // a short paragraph each
	Tables    func(m *Measured) []Table
}

// Rules are the columns of a page about an engine of hardware.
var Rules = [2]string{"the paper's rules", "our rules"}

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

// judge judges all claims.
func (b *Beside) judge(m *Measured) ([]judged, error) {
	var list []judged
	for i := range b.Claims {
		j := judged{Claim: &b.Claims[i]}
		var err error
		if j.rules, j.rulesOurs, err = j.Judge(m, false); err != nil {
			return nil, err
		}
		j.extended, j.extendedOurs = j.rules, "the same"
		switch {
		case j.Only:
			j.extended, j.extendedOurs = "-", "-"
		case !j.Same && j.Of != nil:
			if j.extended, j.extendedOurs, err = j.Judge(m, true); err != nil {
				return nil, err
			}
		}
		list = append(list, j)
	}
	return list, nil
}

// Page returns the page in Markdown: what surprised, and the claims with the median of ours, bold where it differs.
//
//	| an event takes 4 cycles on average | **5.54** | **6.25** |
func (b *Beside) Page(m *Measured) (string, error) {
	list, err := b.judge(m)
	if err != nil {
		return "", err
	}
	var p strings.Builder
	fmt.Fprintf(&p, "# %s\n\n", b.Title)
	p.WriteString(wrap.Text("", summary(list, b.Columns)))
	p.WriteByte('\n')
	run := ""
	if len(m.Header) > 1 {
		run = fmt.Sprintf("`%s`, %s", m.Header[0], m.Header[1])
	}
	p.WriteString(wrap.Text("", fmt.Sprintf(
		"Claims have the paper's numbers, and the columns medians of our runs; **bold** ones differ "+
			"([how that is decided](../README.md#papers)). %s. The run is %s.", b.Extended, run)))
	p.WriteString("\n## What surprised\n\n")
	for _, surprise := range b.Surprises {
		p.WriteString(wrap.Text("* ", surprise(m)))
	}
	fmt.Fprintf(&p, "\n## Claims\n\n| claim | %s | %s |\n|---|---|---|\n", b.Columns[0], b.Columns[1])
	var cannot []string
	for _, j := range list {
		if j.rules == CannotBe && j.extended == CannotBe {
			cannot = append(cannot, j.Says)
			continue
		}
		second := ""
		if !j.Same && !j.Only {
			second = j.short(m, true)
		}
		writeCells(&p, []string{j.Says, j.short(m, false), second})
	}
	if cannot != nil {
		p.WriteByte('\n')
		p.WriteString(wrap.Text("", "These cannot be shown here: "+strings.Join(cannot, "; ")+"."))
	}
	return p.String(), nil
}

// short is our number as the page has it.
func (j judged) short(m *Measured, extended bool) string {
	verdict := j.rules
	if extended {
		verdict = j.extended
	}
	if verdict == CannotBe {
		return "-"
	}
	t := j.Of(m, extended)
	text := j.Unit(t.Median()).Text
	if text == "-" {
		text = "none"
	}
	if verdict != Differs {
		return text
	}
	if n := t.HowMany(j.Want.Holds); j.Want.Holds(t.Median()) {
		text += fmt.Sprintf("; %.0f of %d", n, len(t))
	}
	return "**" + text + "**"
}

// Details returns what stands behind the page, in Markdown: how ours is measured, ranges and verdicts of each claim,
// why it differs, what words of the paper mean, and tables.
func (b *Beside) Details(m *Measured) (string, error) {
	list, err := b.judge(m)
	if err != nil {
		return "", err
	}
	var p strings.Builder
	fmt.Fprintf(&p, "# %s: details\n\n", b.Title)
	for _, line := range m.Header {
		fmt.Fprintf(&p, "    %s\n", line)
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

// summary says how many claims hold.
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
	return fmt.Sprintf("Of %d claims %d agree with %s, %d differ, and %d cannot be shown here. With %s %d agree and %d differ.",
		len(list), count(Agrees, rules), columns[0], count(Differs, rules), count(CannotBe, rules),
		columns[1], count(Agrees, extended), count(Differs, extended))
}
