package figure

// This file sums up the results of the co-processor's figures. Each sentence is made of the
// numbers of a run, and so is each verdict.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// find returns the first row whose name has a part, or an empty row.
func (r *Result) find(part string) Row {
	for _, row := range r.Rows {
		if strings.Contains(row.What, part) {
			return row
		}
	}
	return Row{What: part, Ours: "-", Differs: true}
}

// number returns a value of a row, NaN if it is not there.
func (r Row) number(i int) float64 {
	if i >= len(r.Values) {
		return math.NaN()
	}
	return r.Values[i].Number
}

// as returns the words for agreement with the paper.
func (r Row) as(yes, no string) string {
	if r.Differs {
		return no
	}
	return yes
}

// agreement says of how many rows the paper says the same. Rows without a statement of the paper do
// not count.
func (r *Result) agreement() string {
	n, agree := 0, 0
	for _, row := range r.Rows {
		if row.Paper != "-" && row.Paper != "lost" {
			n++
			agree += one01(!row.Differs)
		}
	}
	return fmt.Sprintf("%d of %d statements of the paper hold", agree, n)
}

func shortSize(r *Result) string {
	return fmt.Sprintf("Table 1: the base machine has %s transistors, %s of them in memory arrays; %s.", r.find("transistors").Ours, r.find("of these in memory arrays").Ours, r.agreement())
}

func shortRates(r *Result) string {
	random, recorded := r.find("in random order: errors at equal overhead"), r.find("as recorded: errors at equal overhead")
	say := func(row Row) string {
		return row.as("are one", "are not one") + " for all rates of the sampler (factors of " + row.Ours + ")"
	}
	return fmt.Sprintf("Figure 1: in random order the curves of error over overhead %s. As recorded they %s.", say(random), say(recorded))
}

func shortCurves(r *Result) string {
	var parts []string
	for _, order := range []string{"as recorded", "in random order"} {
		final, fade := r.find(order+": cycles to the simple sampler's final error"), r.find(order+": overhead in the first and the last tenth")
		parts = append(parts, fmt.Sprintf("%s the co-processor reaches the final error of the sampler of 1 in %d after %s: it converges %s. Its overhead, if masks stay, is %s in the first and the last tenth, "+
			"and its error to that of samplers at equal overhead is %s and %s",
			order, basePeriod, final.Ours, final.as("faster", "not faster"), fade.Ours,
			r.find(order+fmt.Sprintf(": error to that of simple, 1 of %d", basePeriod)).Ours, r.find(order+fmt.Sprintf(": error to that of simple, 1 of %d", basePeriod/4)).Ours))
	}
	return "Figure 8: " + strings.Join(parts, "; ") + ". Over the curve early errors are compared with later ones; figure 7 compares profilers that have seen the same."
}

func shortScatter(r *Result) string {
	row := r.find("points of the truth")
	return fmt.Sprintf("Figure 6: %s of the %s; %s.", row.Ours, row.What, r.agreement())
}

// column returns the number of the column with a name, from the end on.
func (t Table) column(name string) int {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if t.Columns[i] == name {
			return i
		}
	}
	return -1
}

// equal is how far from 1 a factor is that is printed as 1.00.
const equal = 0.005

// The column before the factors has the overheads of the samplers.
func shortPrograms(r *Result) string {
	var parts []string
	for _, t := range r.Tables {
		k, sites := t.column("co-processor to it"), t.column("sites")
		region, ok := strings.CutPrefix(t.Title, "value profiles of ")
		if !ok || k < 0 || sites < 0 {
			continue
		}
		if !slices.ContainsFunc(t.Rows, func(row []Value) bool { return k > 0 && row[k-1].Number > 0 }) {
			parts = append(parts, fmt.Sprintf("With %s no sampler at that overhead has interrupted before the end, so there is nothing to compare", region))
			continue
		}
		rows := slices.SortedFunc(slices.Values(t.Rows), func(a, b []Value) int { return cmp.Compare(a[k].Number, b[k].Number) })
		var better, same, worse []string
		for _, row := range rows {
			s := fmt.Sprintf("%s %.2f", row[0].Text, row[k].Number)
			switch x := row[k].Number; {
			case x < 1-equal:
				better = append(better, s)
			case x > 1+equal:
				worse = append(worse, s)
			default:
				same = append(same, s)
			}
		}
		bySites := slices.SortedFunc(slices.Values(t.Rows), func(a, b []Value) int { return cmp.Compare(b[sites].Number, a[sites].Number) })
		won := 0
		for _, row := range bySites[:min(2, len(bySites))] {
			won += one01(row[k].Number < 1)
		}
		text := fmt.Sprintf("With %s at equal overhead %d of the two largest working sets gain. The factors: better %s", region, won, orNone(better))
		if same != nil {
			text += "; equal " + strings.Join(same, ", ")
		}
		parts = append(parts, text+"; worse "+orNone(worse))
	}
	random := 0
	for _, row := range r.Rows {
		random += one01(strings.HasPrefix(row.What, "in random order: ") && row.number(0) < row.number(1))
	}
	return fmt.Sprintf("Figure 7: %s. In random order %d of the two largest gain.", strings.Join(parts, ". "), random)
}

func orNone(list []string) string {
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}

// shortLong says of each recording at which lengths its working set gains, and of the two largest
// working sets at which both do.
func shortLong(r *Result) string {
	parts := []string{"Long recordings: a working set gains at a length if the median factor of the windows of this length is below 1"}
	for _, group := range []struct{ prefix, what string }{{longLargest, "The two largest working sets"}, {longLater, "Their later loads"}} {
		var both, not []string
		for _, row := range r.Rows {
			loads, ok := strings.CutPrefix(row.What, group.prefix)
			loads += " (" + row.Ours + ")"
			if ok && !row.Differs {
				both = append(both, loads)
			} else if ok {
				not = append(not, loads)
			}
		}
		parts = append(parts, fmt.Sprintf("%s gain both at %s; not both at %s", group.what, orNone(both), orNone(not)))
	}
	for _, t := range r.Tables {
		name, choice, ok := strings.Cut(t.Title, longTitle)
		k := t.column("factor")
		if !ok || k < 0 {
			continue
		}
		var better, worse []string
		for _, row := range t.Rows {
			s := fmt.Sprintf("%s %.2f (%.2f to %.2f, %s of %s)", row[0].Text, row[k].Number, row[k+1].Number, row[k+2].Number, row[k+3].Text, row[1].Text)
			if row[k].Number < 1 {
				better = append(better, s)
			} else {
				worse = append(worse, s)
			}
		}
		parts = append(parts, fmt.Sprintf("%s%s: gains at %s; not at %s", name, choice, orNone(better), orNone(worse)))
	}
	return strings.Join(parts, ". ") + ". (Medians, in brackets the range and how many windows gain.)"
}

func shortRemedies(r *Result) string {
	row := r.find("default: largest factor")
	return fmt.Sprintf("Parameters: over both programs and both parts the largest factor of the default is %s, and %s have all factors below 1.", row.Ours, r.find("parameters whose factors").Ours)
}

func shortSweep(r *Result) string {
	if len(r.Tables) == 0 || len(r.Tables[0].Rows) == 0 {
		return ""
	}
	rows := r.Tables[0].Rows
	k := r.Tables[0].column("error to the default's")
	by := func(a, b []Value) int { return cmp.Compare(a[k].Number, b[k].Number) }
	say := func(row []Value) string { return fmt.Sprintf("%s %s with %s", row[0].Text, row[1].Text, row[k].Text) }
	return fmt.Sprintf("Constants: the geometric mean of the errors is %s with the defaults. To this the least error is that of %s, and the greatest that of %s.",
		rows[0][2].Text, say(slices.MinFunc(rows, by)), say(slices.MaxFunc(rows, by)))
}

func shortArrays(r *Result) string {
	return fmt.Sprintf("Arrays of half the size have %s the error and %s the overhead; samples for a cycle are in proportion to %s. %s.",
		r.find("error of arrays of half").Ours, r.find("overhead of arrays of half").Ours, r.find("samples in the profile for a cycle").Ours, capital(r.agreement()))
}

func shortClock(r *Result) string {
	return fmt.Sprintf("Clock: the error is %s with half the clock, and %s with a quarter. %s.", r.find("error at half the clock").Ours, r.find("error at a quarter").Ours, capital(r.agreement()))
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func shortPhases(r *Result) string {
	never, often, cost := r.find("masks never cleared and by phases"), r.find("periodically and by phases"), r.find("overheads of these")
	program, _, _ := strings.Cut(never.What, ": ")
	if len(never.Values) < 2 || len(often.Values) < 2 {
		return "" // without the program with phases
	}
	verdict := "the detector mends what masks that stay spoil"
	if never.Differs {
		verdict = "the detector does not help against masks that stay"
	}
	better := "and it is better than periodic clearing"
	if often.Differs {
		better = "and periodic clearing, with weights of visits, does as well without it"
	}
	return fmt.Sprintf("Values in phases, %s: the error is %s if masks are never cleared, %s with periodic clearing, and %s if a phase detector clears them (overheads of the last two: %s): %s, %s.",
		program, never.Values[0].Text, often.Values[0].Text, never.Values[1].Text, cost.Ours, verdict, better)
}

func shortUpper(r *Result) string {
	wrong, errs := r.find("loads wrongly called invariant"), r.find("error with one pass and with two")
	program, _, _ := strings.Cut(wrong.What, ": ")
	if len(wrong.Values) < 2 {
		return "" // without the program with flags of 64 bits
	}
	return fmt.Sprintf("Flags of 64 bits, %s: %s loads are wrongly called invariant, and %s with a second pass over the upper halves; errors %s. The second pass takes its time from the first: the error does not grow by more than 0.5 points in %s.",
		program, wrong.Values[0].Text, wrong.Values[1].Text, errs.Ours, r.find("programs whose error does not grow").Ours)
}

func shortRate(r *Result) string {
	row := r.find("overhead at the rate of a software sampler")
	return fmt.Sprintf("The simple sampler at the rate of a software sampler has an overhead of %s; %s.", row.Ours, r.agreement())
}
