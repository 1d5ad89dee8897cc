package stratfigures

// This file has figure 4: samplers on streams without any order.

import (
	"fmt"
	"slices"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/montecarlo"
	"github.com/pepgo/pep/lab/plot"
)

// permutationErrors is figure 4 of Sastry, Bodik and Smith: errors of samplers on random permutations (STRAT-21). All
// seeds together have the given number of permutations.
func permutationErrors(env *figure.Env, res *figure.Result, permutations int) error {
	c := montecarlo.Figure4
	c.Permutations = max(1, permutations/env.Seeds)
	var curves []montecarlo.Curve         // with the mean of the errors of all seeds
	points := map[string][]metric.Curve{} // by sampler and estimator, then by seed
	for k := range env.Seeds {
		c.Seed = env.Seed + uint64(k)
		one, err := c.Run()
		if err != nil {
			return err
		}
		for i, x := range one {
			points[curveName(x)] = append(points[curveName(x)], slices.Clone(x.Points))
			if k > 0 {
				for j, p := range x.Points {
					curves[i].Points[j].Error += p.Error
				}
			}
		}
		if k == 0 {
			curves = one
		}
	}
	for _, x := range curves {
		for j := range x.Points {
			x.Points[j].Error /= float64(env.Seeds)
		}
	}
	res.Describe("%s", rule)
	res.Describe("%d seeds, from seed %d on, with %d permutations of each length each; one tuple with %v of the stream, %d others; rate %d, %d strata (ours: the paper does not say)",
		env.Seeds, env.Seed, c.Permutations, c.Share, c.Others, c.Rate, c.Strata)
	lines := plot.Lines{Title: "Figure 4: mean error of an estimated frequency", X: "tuples in the stream", Y: "error %", Limit: 4}
	t := figure.Table{Title: "error %, mean of all permutations", Columns: []string{"sampler", "estimator", "N=1000", "N=4000", "N=12000", "N=20000", "4 % at N"}}
	for _, x := range curves {
		lines.Curves = append(lines.Curves, plot.Curve{Name: curveName(x), Points: x.Points})
		line := []figure.Value{figure.Text(x.Spec), figure.Text(x.Estimator.String())}
		for _, n := range []uint64{1000, 4000, 12000, 20000} {
			line = append(line, figure.Percent(at(x.Points, n)))
		}
		t.Rows = append(t.Rows, append(line, length("", x.Points.Crossing(4))))
	}
	res.Tables = append(res.Tables, t)
	res.AddLines("strat-4", lines)

	h := func(sampler string) string { return fmt.Sprintf("H[%s%d]%d", sampler, c.Rate, c.Strata) }
	plain := func(sampler string) string { return fmt.Sprint(sampler, c.Rate) }
	crossing := func(name string) (t figure.Tally) {
		for _, c := range points[name] {
			t = append(t, c.Crossing(4))
		}
		return t
	}
	ratio := func(a, b figure.Tally) (t figure.Tally) {
		for k := range a {
			t = append(t, a[k]/b[k])
		}
		return t
	}
	means := func(name string) (t figure.Tally) {
		for _, c := range points[name] {
			t = append(t, mean(c))
		}
		return t
	}
	at := func(x float64) figure.Value { return length("N=", x) }
	r4, h4 := crossing(plain("R")), crossing(h("P"))
	res.Compare("r", "R is at 4 %", r4, at, "N=12000", figure.About(12000, 12000, at))
	res.Compare("hp", "H[P] is at 4 %", h4, at, "N=4600", figure.About(4600, 4600, at))
	res.Compare("r-to-hp", "R needs longer than H[P]", ratio(r4, h4), figure.Times, "almost three times", figure.About(3, 3, figure.Times))
	for _, class := range []struct{ key, what, a, b string }{
		{"hr-to-r", "mean error of H[R] to that of R", h("R"), plain("R")},
		{"cr-to-p", "mean error of CR, ratio, to that of P", plain("CR") + " ratio", plain("P")},
		{"hcr-to-hp", "mean error of H[CR], ratio, to that of H[P]", h("CR") + " ratio", h("P")},
	} {
		res.Compare(class.key, class.what, ratio(means(class.a), means(class.b)), figure.Times, "the same", figure.About(1, 1, figure.Times))
	}
	return nil
}

// curveName is the sampler with its estimator.
func curveName(x montecarlo.Curve) string {
	if x.Estimator == montecarlo.Ratio {
		return x.Spec + " ratio"
	}
	return x.Spec
}

// length is the length of a stream at which an error is reached.
func length(prefix string, n float64) figure.Value {
	return figure.Value{Text: fmt.Sprintf("%s%.0f", prefix, n), Number: n, Unit: "tuples"}
}
