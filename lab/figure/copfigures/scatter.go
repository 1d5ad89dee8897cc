package copfigures

// This file has figure 6: pairs by executions and by share. It also has the experiments on what puts them away from the
// truth.

import (
	"fmt"
	"math"
	"strings"

	"github.com/pepgo/pep/lab/figure"
)

// band is how many points from the truth an estimate may be in figure 6; our text of the paper has lost the number.
const band = 10

// scatter measures the figure with the rules of each column, the same with the loads in random order, and with each
// rule of ours added to those of the paper.
func (x *stream) scatter(m *figure.Measured, random *stream) error {
	for _, c := range columns {
		for _, order := range []struct {
			name string
			x    *stream
		}{{"scatter/" + c.name, x}, {"scatter/random/" + c.name, random}} {
			if err := order.x.scattered(m, order.name, c.rules); err != nil {
				return err
			}
		}
	}
	for _, changed := range addedRules {
		if err := x.scattered(m, "scatter/added/"+strings.Join(changed, ","), paperRules, changed...); err != nil {
			return err
		}
	}
	return nil
}

// scattered adds the numbers of the figure, for each seed of a value profiler.
func (x *stream) scattered(m *figure.Measured, name string, rules []string, changed ...string) error {
	for seed := range seeds {
		runs, err := x.run(rulesOf(rules, append([]string{fmt.Sprintf("seed=%d", seed+1)}, changed...)...))
		if err != nil {
			return err
		}
		samples := map[uint64]uint64{}
		for i := range runs[0].profiled {
			samples[runs[0].profiled[i].PC] = runs[0].profiled[i].Samples
		}
		var near, far, never []float64  // logarithms of executions
		var all, high, chance []float64 // errors of all values, and of those with a high share; what is near by chance
		for _, pair := range x.selected {
			truth, estimate := 100*x.complete.Invariance(pair), 100*runs[0].estimate.Invariance(pair)
			executions := math.Log(float64(x.complete.Tuple(pair)))
			off := math.Abs(truth - estimate)
			if off <= band {
				near = append(near, executions)
			} else {
				far = append(far, executions)
			}
			if estimate == 0 {
				never = append(never, executions)
			}
			if all = append(all, off); truth >= 90 {
				high = append(high, off)
			}
			chance = append(chance, 100*nearByChance(truth/100, samples[pair.PC]))
		}
		mean := func(list []float64) float64 { return figure.Tally(list).Mean() / oneOr(len(list)) }
		m.Add(name+"/near", 100*float64(len(near))/float64(len(x.selected)))
		m.Add(name+"/outliers", math.Exp(mean(near)-mean(far)))
		m.Add(name+"/never", float64(len(never)))
		m.Add(name+"/executions", math.Exp(mean(append(near, far...))-mean(never)))
		m.Add(name+"/high", mean(high)/mean(all))
		m.Add(name+"/chance", mean(chance))
	}
	return nil
}

// oneOr is 1 if there are numbers, else NaN: an empty list has no mean.
func oneOr(n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return 1
}

// nearByChance returns the probability that a share p is estimated within the band by n samples that are independent: a
// binomial distribution. Without samples the estimate is 0.
func nearByChance(p float64, n uint64) (sum float64) {
	const many = 100_000 // the share of as many is off by a point at most
	switch {
	case n == 0:
		return float64(oneIf(100*p <= band))
	case n > many:
		return 1
	case p <= 0 || p >= 1:
		return 1
	}
	of, _ := math.Lgamma(float64(n) + 1)
	all := float64(n)
	least, most := math.Ceil(all*(p-band/100.)-1e-9), math.Floor(all*(p+band/100.)+1e-9)
	for k := max(least, 0); k <= min(most, all); k++ {
		a, _ := math.Lgamma(k + 1)
		b, _ := math.Lgamma(all - k + 1)
		sum += math.Exp(of - a - b + k*math.Log(p) + (all-k)*math.Log1p(-p))
	}
	return sum
}

// whyScattered says what a number of figure 6 is in random order, where a program has no phases, and with each rule of
// ours. If phases are why a claim does not hold, it holds in random order; if a rule of the paper's is, it holds with
// another one.
func whyScattered(what string, u figure.Unit, want figure.Relation) func(m *figure.Measured) string {
	return func(m *figure.Measured) string {
		random := m.Of("scatter/random/rules", what)
		phases := "it does not hold without the phases of the program, either"
		if want.Holds(random.Median()) {
			phases = "it holds without the phases of the program"
		}
		var rules, holds []string
		for _, r := range m.Below("scatter/added") {
			t := m.Of("scatter/added", r, what)
			rules = append(rules, r+" "+t.Text(u))
			if want.Holds(t.Median()) {
				holds = append(holds, r)
			}
		}
		return fmt.Sprintf("With the same loads in random order it is %s with the paper's rules (%s), and %s with ours. With the "+
			"paper's rules and one of ours it is: %s; it holds with %s.", random.Text(u), phases,
			m.Of("scatter/random/ours", what).Text(u), strings.Join(rules, ", "), orNone(holds))
	}
}

// whyDiagonal also says whether there are too few samples.
func whyDiagonal(m *figure.Measured) string {
	chance := func(c string) figure.Tally { return m.Of("scatter", c, "chance") }
	verdict := "there are too few samples"
	if figure.General.Holds(chance("rules").Median()) {
		verdict = "it is not for want of samples"
	}
	return fmt.Sprintf("As many samples of each load, drawn independently, would put %s of the pairs there with the paper's "+
		"rules, and %s with ours: %s. ", chance("rules").Text(figure.Percent), chance("ours").Text(figure.Percent), verdict) +
		whyScattered("near", figure.Percent, figure.General)(m)
}
