package copfigures

// This file says on the page what surprised.

import (
	"fmt"
	"math"
	"strings"

	"github.com/pepgo/pep/lab/figure"
)

var surprises = []func(m *figure.Measured) string{
	// Whether the co-processor beats a sampler at the same cost.
	func(m *figure.Measured) string {
		say := func(column string) string {
			var better []string
			worse := 0
			for _, p := range measuredPrograms(m, "sites") {
				g := gains(m, p, "whole", column)
				switch n := g.HowMany(figure.Better.Holds); {
				case g.Median() < 1 && 10*n >= 8*float64(len(g)):
					better = append(better, fmt.Sprintf("%s %.2f", p, g.Median()))
				case g.Median() > 1 && 10*n <= 2*float64(len(g)):
					worse++
				}
			}
			return fmt.Sprintf("smaller in %d of 12 programs (%s) and greater in %d", len(better), orNone(better), worse)
		}
		return fmt.Sprintf("Beside %d samplers with the same overhead, errors are %s with the paper's rules; with ours, which "+
			"were chosen on typecheck and printer, %s.", bandPeriods*bandPhases, say("rules"), say("ours"))
	},
	func(m *figure.Measured) string {
		least := math.Inf(1)
		var random []string
		for _, p := range largestOf(m) {
			worst := math.Inf(1)
			for _, c := range m.Below(p.Name + "/constant") {
				worst = min(worst, changed(m, p.Name, "constant", c))
			}
			least = min(least, worst)
			random = append(random, fmt.Sprintf("%.2f", changed(m, p.Name, "random", "rules")))
		}
		return fmt.Sprintf("Our text of the paper has lost its constants. None of %d others gives its rules a factor below %.2f "+
			"on one of the two largest working sets. In random order, without the phases of a program, the factors there are %s.",
			len(constantsOf), least, strings.Join(random, " and "))
	},
	func(m *figure.Measured) string {
		lost := func(v string) string {
			return ofPrograms(m, func(p string) float64 { return m.First(p, v, "ours", "lost") }).Text(figure.Percent)
		}
		return fmt.Sprintf("With our rules the buffer loses %s of the samples, with a quarter of the clock %s.", lost("base"),
			lost("clock-4"))
	},
}
