package copfigures

// This file has a sentence about the result of each figure. It is made of the numbers of a run, and so is each verdict.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/figure"
)

// number returns a value of a row, NaN if it is not there.
func number(r figure.Row, i int) float64 {
	if i >= len(r.Values) {
		return math.NaN()
	}
	return r.Values[i].Number
}

// words returns the words for agreement with the paper.
func words(r figure.Row, yes, no string) string {
	if r.Differs {
		return no
	}
	return yes
}

// agreement says of how many rows the paper says the same. Rows without a statement of the paper do
// not count.
func agreement(r *figure.Result) string {
	n, agree := 0, 0
	for _, row := range r.Rows {
		if row.Paper != "-" && row.Paper != "lost" {
			n++
			agree += oneIf(!row.Differs)
		}
	}
	return fmt.Sprintf("%d of %d statements of the paper hold", agree, n)
}

func aboutSize(r *figure.Result) string {
	return fmt.Sprintf("Table 1: the base machine has %s transistors, %s of them in memory arrays; %s.", r.Row("transistors").Ours, r.Row("in-arrays").Ours, agreement(r))
}

func aboutRates(r *figure.Result) string {
	random, recorded := r.Row("random-curves"), r.Row("recorded-curves")
	say := func(row figure.Row) string {
		return words(row, "are one", "are not one") + " for all rates of the sampler (factors of " + row.Ours + ")"
	}
	return fmt.Sprintf("Figure 1: in random order the curves of error over overhead %s. As recorded they %s.", say(random), say(recorded))
}

func aboutCurves(r *figure.Result) string {
	var parts []string
	for _, order := range []struct{ key, what string }{{"recorded", "as recorded"}, {"random", "in random order"}} {
		final := r.Row(order.key + "-final")
		parts = append(parts, fmt.Sprintf("%s the co-processor reaches the final error of the sampler of 1 in %d after %s: it converges %s. Its overhead, if masks stay, is %s in the first and the last tenth, "+
			"and its error to that of samplers at equal overhead is %s and %s",
			order.what, basePeriod, final.Ours, words(final, "faster", "not faster"), r.Row(order.key+"-tenths").Ours, r.Row(order.key+"-gain").Ours, r.Row(order.key+"-gain-faster").Ours))
	}
	return "Figure 8: " + strings.Join(parts, "; ") + ". Over the curve early errors are compared with later ones; figure 7 compares profilers that have seen the same."
}

func aboutScatter(r *figure.Result) string {
	return fmt.Sprintf("Figure 6: %s of the pairs within %d points of the truth; %s.", r.Row("near").Ours, band, agreement(r))
}

// column returns the number of the column with a name, from the end on.
func column(t figure.Table, name string) int {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if t.Columns[i] == name {
			return i
		}
	}
	return -1
}

// equal is how far from 1 a factor is that is printed as 1.00.
const equal = 0.005

// aboutPrograms says of each region which programs gain. The column before the factors has the overheads of the samplers.
func aboutPrograms(r *figure.Result) string {
	var parts []string
	for _, t := range r.Tables {
		k, sites := column(t, "co-processor to it"), column(t, "sites")
		region, ok := strings.CutPrefix(t.Key, "profiles-")
		if !ok || k < 0 || sites < 0 {
			continue
		}
		if !slices.ContainsFunc(t.Rows, func(row []figure.Value) bool { return k > 0 && row[k-1].Number > 0 }) {
			parts = append(parts, fmt.Sprintf("With %s loads no sampler at that overhead has interrupted before the end, so there is nothing to compare", region))
			continue
		}
		rows := slices.SortedFunc(slices.Values(t.Rows), func(a, b []figure.Value) int { return cmp.Compare(a[k].Number, b[k].Number) })
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
		bySites := slices.SortedFunc(slices.Values(t.Rows), func(a, b []figure.Value) int { return cmp.Compare(b[sites].Number, a[sites].Number) })
		won := 0
		for _, row := range bySites[:min(2, len(bySites))] {
			won += oneIf(row[k].Number < 1)
		}
		text := fmt.Sprintf("With %s loads at equal overhead %d of the two largest working sets gain. The factors: better %s", region, won, orNone(better))
		if same != nil {
			text += "; equal " + strings.Join(same, ", ")
		}
		parts = append(parts, text+"; worse "+orNone(worse))
	}
	random := 0
	for _, row := range r.Rows {
		random += oneIf(strings.HasPrefix(row.Key, "random-") && number(row, 0) < number(row, 1))
	}
	return fmt.Sprintf("Figure 7: %s. In random order %d of the two largest gain.", strings.Join(parts, ". "), random)
}

func orNone(list []string) string {
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}

// aboutLong says of each recording at which lengths its working set gains, and of the two largest
// working sets at which both do.
func aboutLong(r *figure.Result) string {
	parts := []string{"Long recordings: a working set gains at a length if the median factor of the windows of this length is below 1"}
	for _, group := range []struct{ prefix, what string }{{"largest-", "The two largest working sets"}, {"later-", "Their later loads"}} {
		var both, not []string
		for _, row := range r.Rows {
			loads, ok := strings.CutPrefix(row.Key, group.prefix)
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
		k := column(t, "factor")
		if !strings.HasPrefix(t.Key, "windows-") || k < 0 {
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
		parts = append(parts, fmt.Sprintf("%s: gains at %s; not at %s", strings.Replace(t.Title, "windows of a recording: ", "", 1), orNone(better), orNone(worse)))
	}
	return strings.Join(parts, ". ") + ". (Medians, in brackets the range and how many windows gain.)"
}

func aboutRemedies(r *figure.Result) string {
	row := r.Row("default")
	return fmt.Sprintf("Parameters: over both programs and both parts the largest factor of the default is %s, and %s have all factors below 1.", row.Ours, r.Row("all-below").Ours)
}

func aboutSweep(r *figure.Result) string {
	if len(r.Tables) == 0 || len(r.Tables[0].Rows) == 0 {
		return ""
	}
	rows := r.Tables[0].Rows
	k := column(r.Tables[0], "error to the default's")
	by := func(a, b []figure.Value) int { return cmp.Compare(a[k].Number, b[k].Number) }
	say := func(row []figure.Value) string {
		return fmt.Sprintf("%s %s with %s", row[0].Text, row[1].Text, row[k].Text)
	}
	return fmt.Sprintf("Constants: the geometric mean of the errors is %s with the defaults. To this the least error is that of %s, and the greatest that of %s.",
		rows[0][2].Text, say(slices.MinFunc(rows, by)), say(slices.MaxFunc(rows, by)))
}

func aboutArrays(r *figure.Result) string {
	return fmt.Sprintf("Arrays of half the size have %s the error and %s the overhead; samples for a cycle are in proportion to %s. %s.",
		r.Row("error").Ours, r.Row("overhead").Ours, r.Row("rate").Ours, capital(agreement(r)))
}

func aboutClock(r *figure.Result) string {
	return fmt.Sprintf("Clock: the error is %s with half the clock, and %s with a quarter. %s.", r.Row("half").Ours, r.Row("quarter").Ours, capital(agreement(r)))
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func aboutPhases(r *figure.Result) string {
	never, often, cost := r.Row("never"), r.Row("periodic"), r.Row("overheads")
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
		nameOf(filters), never.Values[0].Text, often.Values[0].Text, never.Values[1].Text, cost.Ours, verdict, better)
}

func aboutUpper(r *figure.Result) string {
	wrong, errs := r.Row("wrong"), r.Row("error")
	if len(wrong.Values) < 2 {
		return "" // without the program with flags of 64 bits
	}
	return fmt.Sprintf("Flags of 64 bits, %s: %s loads are wrongly called invariant, and %s with a second pass over the upper halves; errors %s. The second pass takes its time from the first: the error does not grow by more than 0.5 points in %s.",
		nameOf(bitboard), wrong.Values[0].Text, wrong.Values[1].Text, errs.Ours, r.Row("not-worse").Ours)
}

func aboutRate(r *figure.Result) string {
	row := r.Row("overhead")
	return fmt.Sprintf("The simple sampler at the rate of a software sampler has an overhead of %s; %s.", row.Ours, agreement(r))
}
