package figure

// This file has figure 4: samplers on streams without any order.

import (
	"fmt"
	"math"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/montecarlo"
	"github.com/pepgo/pep/hwsim/plot"
)

// figure4 is STRAT-21.
func figure4(env *Env, res *Result) error {
	c := montecarlo.Figure4
	c.Seed, c.Permutations = env.Seed, env.Permutations
	curves, err := c.Run()
	if err != nil {
		return err
	}
	res.setup("%d permutations of each length, one tuple with %v of the stream, %d others; rate %d, %d strata (ours: the paper does not say); seed %d",
		c.Permutations, c.Share, c.Others, c.Rate, c.Strata, c.Seed)
	lines := plot.Lines{Title: "Figure 4: mean error of an estimated frequency", X: "tuples in the stream", Y: "error %", Limit: 4}
	t := Table{Title: "error %", Columns: []string{"sampler", "estimator", "N=1000", "N=4000", "N=12000", "N=20000", "4 % at N"}}
	points := map[string]metric.Curve{}
	for _, x := range curves {
		name := x.Spec
		if x.Estimator == montecarlo.Ratio {
			name += " ratio"
		}
		points[name] = x.Points
		lines.Curves = append(lines.Curves, plot.Curve{Name: name, Points: x.Points})
		line := []Value{text(x.Spec), text(x.Estimator.String())}
		for _, n := range []uint64{1000, 4000, 12000, 20000} {
			line = append(line, percent(at(x.Points, n)))
		}
		t.Rows = append(t.Rows, append(line, length("", x.Points.Crossing(4))))
	}
	res.Tables = append(res.Tables, t)
	res.lines("strat-4", lines)

	h := func(sampler string) string { return fmt.Sprintf("H[%s%d]%d", sampler, c.Rate, c.Strata) }
	plain := func(sampler string) string { return fmt.Sprint(sampler, c.Rate) }
	r4, h4 := points[plain("R")].Crossing(4), points[h("P")].Crossing(4)
	res.row("R is at 4 %", one(length("N=", r4)), "N=12000", near(r4, 12000, 0.05))
	res.row("H[P] is at 4 %", one(length("N=", h4)), "N=4600", near(h4, 4600, 0.05))
	res.row("R needs longer than H[P]", one(factor(r4/h4)), "almost three times", near(r4/h4, 2.6, 0.2))
	for _, class := range []struct{ what, a, b string }{
		{"R and H[R] are alike", plain("R"), h("R")},
		{"P and CR are alike", plain("P"), plain("CR") + " ratio"},
		{"H[P] and H[CR] are alike", h("P"), h("CR") + " ratio"},
	} {
		a, b := mean(points[class.a]), mean(points[class.b])
		res.row(class.what, two(percent(a), percent(b), " on average"), "the same", near(a, b, 0.05))
	}
	return nil
}

func mean(c metric.Curve) (m float64) {
	if len(c) == 0 {
		return math.NaN()
	}
	for _, p := range c {
		m += p.Error / float64(len(c))
	}
	return m
}
