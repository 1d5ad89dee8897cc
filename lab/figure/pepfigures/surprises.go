package pepfigures

// This file says on the page what surprised.

import (
	"fmt"

	"github.com/pepgo/pep/lab/figure"
)

var surprises = []func(m *figure.Measured) string{
	whyCost,
	func(m *figure.Measured) string {
		return fmt.Sprintf("Counting by atomic additions, so that threads lose none, is what exact paths cost: with plain "+
			"additions to an array they cost %s on average. `go build -cover -covermode=count` costs %s.",
			percentOf(cost(mean, exact+added, plain)(m, false)), percentOf(cost(mean, cover, plain)(m, false)))
	},
	func(m *figure.Measured) string {
		worst := func(v, unit string) string {
			least, name := 100., ""
			for _, p := range programsOf(m, workload, v) {
				if x := m.Of("accuracy", workload, p, v, unit).Median(); x < least {
					least, name = x, p
				}
			}
			return fmt.Sprintf("%.0f %% in %s", least, name)
		}
		return fmt.Sprintf("The least Wall weight matching is %s with registers, and %s with windows; absolute overlap %s and %s.",
			worst(pep, "sample-wall"), worst(windows, "wall"), worst(pep, "sample-absolute"), worst(windows, "absolute"))
	},
	func(m *figure.Measured) string {
		at := func(metric string) string {
			return percentOf(meanOfRuns(accuracies(m, mean, long, pep, "sample-"+metric))) + " and " +
				percentOf(meanOfRuns(accuracies(m, mean, long, windows, metric)))
		}
		return fmt.Sprintf("In runs of ten seconds registers and windows have Wall weight matching %s, relative overlap %s, "+
			"absolute overlap %s.", at("wall"), at("relative"), at("absolute"))
	},
	func(m *figure.Measured) string {
		return fmt.Sprintf("%s, whose traffic changes halfway: a one-time profile has %s of relative overlap, PEP(64,17) %s, "+
			"windows %s. Built by a one-time and by a continuous profile it takes %s and %s of CPU time more than without. It was changed twice after "+
			"results had been seen, so it shows what can be, not what is usual.", phased,
			percentOf(m.Of("one-time", phased, "one-time")),
			percentOf(m.Of("accuracy", workload, phased, pep, "sample-relative")),
			percentOf(m.Of("accuracy", workload, phased, windows, "relative")), percentOf(beyond(m, phased, "one-time")),
			percentOf(beyond(m, phased, "continuous")))
	},
}

// meanOfRuns is the median of runs, as a single number.
func meanOfRuns(t figure.Tally) figure.Tally {
	if len(t) == 0 {
		return nil
	}
	return figure.Tally{t.Median()}
}
