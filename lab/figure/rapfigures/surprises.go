package rapfigures

// This file says on the page what surprised.

import (
	"fmt"

	"github.com/pepgo/pep/lab/figure"
)

var surprises = []func(m *figure.Measured) string{
	// How large a tree must be.
	func(m *figure.Measured) string {
		// need returns the least number of nodes with which the accuracy, averaged over programs, is 98 % in every run.
		need := func(taps string, extended bool) string {
			for _, n := range nodeCaps {
				t := accuracyOf(taps, n)(m, extended)
				if t.HowMany(func(x float64) bool { return x >= 98 }) == float64(len(t)) {
					return fmt.Sprint(n)
				}
			}
			return fmt.Sprintf("more than %d", nodeCaps[len(nodeCaps)-1])
		}
		return fmt.Sprintf("An average accuracy of 98 %% takes %s nodes for code and %s for values with the paper's rules, where "+
			"eps is chosen so that no split lacks a node, and %s and %s with ours, where splits are denied.",
			need(ofCode, false), need(ofValues, false), need(ofCode, true), need(ofValues, true))
	},
	func(m *figure.Measured) string {
		least := func(taps, reading, what string) float64 {
			return acrossPrograms(m, figure.Tally.Most, taps, "reading", reading, what).Median()
		}
		return fmt.Sprintf("The paper leaves open the base of the logarithm and the number of points. With log_4 and, for code, "+
			"2^32 points, a tree with an eps of 10 %% has up to %.0f nodes for code and %.0f for values, and after 2^20 events %.0f "+
			"and %.0f (the paper: 500 and 733).",
			least(ofCode, "32bits-log4", "most"), least(ofValues, "log4", "most"),
			least(ofCode, "32bits-log4", "later"), least(ofValues, "log4", "later"))
	},
	whyHot,
	func(m *figure.Measured) string {
		var factors, blocks figure.Tally
		for _, p := range figure.Programs {
			factors = append(factors, m.First(p.Name, ofCode, "pipeline/rules/1%/combined"))
			blocks = append(blocks, m.First(p.Name, ofCode, "busy"))
		}
		rho, _ := figure.RankCorrelation(blocks, factors)
		return fmt.Sprintf("The buffer combines %s events, the fewer the more code is executed (rank correlation %.2f), and leaves "+
			"few counts to share the cost of splits: without it a count takes %s cycles.",
			factors.Text(figure.NumberOf("events")),
			rho, eachRun(m, ofCode, "pipeline/no-buffer/1%/cycles").Text(cycles))
	},
}
