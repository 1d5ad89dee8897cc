package stratfigures

// This file says on the page what surprised.

import (
	"fmt"

	"github.com/pepgo/pep/lab/figure"
)

var surprises = []func(m *figure.Measured) string{
	// Whether a stratified sampler beats a random one at the same cost.
	func(m *figure.Measured) string {
		better := func(x bool) (n int, errors figure.Tally) {
			for _, p := range measuredPrograms(m) {
				t := m.Of(p.Name, columnOf(x), "equal", "random")
				errors = append(errors, t.Median())
				if t.HowMany(func(x float64) bool { return x > 1 }) == float64(len(t)) {
					n++
				}
			}
			return n, errors
		}
		rules, rulesErrors := better(false)
		ours, oursErrors := better(true)
		return fmt.Sprintf("With as many messages a random sampler has %s the error of a stratified one with the paper's rules, "+
			"and %s with ours; the stratified one is better in all runs of %d and %d of %d programs.",
			rulesErrors.Text(figure.Times), oursErrors.Text(figure.Times), rules, ours, len(rulesErrors))
	},
	func(m *figure.Measured) string {
		factor := func(k int) string {
			at := fmt.Sprintf("copies/%d", k)
			return quotients(m.Of(at, random, "stays"), m.Of(at, stratified, "stays")).Text(figure.Times)
		}
		return fmt.Sprintf("How much longer the random sampler R256 needs than H[P256]2048 depends on the working set: with the "+
			"code of typecheck there 1, 3, 5 and 10 times the factor is %s, %s, %s and %s.", factor(1), factor(3), factor(5),
			factor(10))
	},
	whyCounter,
	func(m *figure.Measured) string {
		hash := func(h string) string {
			return figure.Times(each(m, measuredPrograms(m), func(p string) figure.Tally {
				return quotients(of(m, p, stratified+h, "error"), of(m, p, stratified, "error"))
			}).Median()).Text
		}
		period := func(spec string) string {
			p := figure.InRole("li").Name
			return figure.Times(quotients(of(m, p, spec, "error"), of(m, p, random, "error")).Median()).Text
		}
		return fmt.Sprintf("A multiplication in place of the paper's hash has %s of its error. The period of a sampler matters: "+
			"on lua 256 has %s the error of R256, and 257 %s.", hash("@mul"), period(periodic), period(oddPeriod))
	},
}
