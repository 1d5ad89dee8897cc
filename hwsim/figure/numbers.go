package figure

// This file prints numbers.

import (
	"fmt"
	"math"
	"strconv"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
)

// limit is the error in percent that the paper says when engines reach.
const limit = 5

// short prints events as the paper does: 212K, 7.1M.
func short(n uint64) string {
	switch {
	case n >= 1_000_000:
		return strconv.FormatFloat(math.Round(float64(n)/1e5)/10, 'f', -1, 64) + "M"
	case n >= 10_000:
		return strconv.FormatUint((n+500)/1000, 10) + "K"
	}
	return strconv.FormatUint(n, 10)
}

// events prints what a curve says of a limit.
func events(n uint64, ok bool) string {
	if !ok {
		return "never"
	}
	return short(n)
}

func percent(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", x)
}

func factor(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return fmt.Sprintf("%.2fx", x)
}

// ratio returns a/b of events that may never come.
func ratio(a uint64, aok bool, b uint64, bok bool) float64 {
	if !aok || !bok || b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

func near(x, want, relative float64) bool { return math.Abs(x-want) <= relative*want }

// until returns the points of a curve up to a number of events.
func until(c metric.Curve, events uint64) metric.Curve {
	for i, p := range c {
		if p.Events > events {
			return c[:i]
		}
	}
	return c
}

// at returns the last value of a curve up to a number of events.
func at(c metric.Curve, events uint64) float64 {
	c = until(c, events)
	if len(c) == 0 {
		return math.NaN()
	}
	return c[len(c)-1].Error
}

// errorPercent is the error at the end.
func errorPercent(r *replay.Result) float64 { return 100 * r.Error.Mean }

// byName finds a result by what its engine was called.
func byName(engines []string, results []*replay.Result) map[string]*replay.Result {
	m := map[string]*replay.Result{}
	for i, r := range results {
		m[engines[i]] = r
	}
	return m
}
