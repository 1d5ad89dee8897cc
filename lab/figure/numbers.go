package figure

// This file holds numbers with their text.

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
)

// limit is an error in percent. The paper states after how many events engines reach it.
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

// events prints the number of events at which a curve reaches a limit.
func events(n uint64, ok bool) Value {
	if !ok {
		return Value{"never", math.NaN(), "events"}
	}
	return Value{short(n), float64(n), "events"}
}

func percent(x float64) Value {
	if math.IsNaN(x) {
		return Value{"-", x, "percent"}
	}
	return Value{fmt.Sprintf("%.2f %%", x), x, "percent"}
}

func factor(x float64) Value {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Value{"-", x, "factor"}
	}
	return Value{fmt.Sprintf("%.2fx", x), x, "factor"}
}

// reduction is the factor by which messages become fewer.
func reduction(x float64) Value { return Value{fmt.Sprintf("%.2f", x), x, "factor"} }

// length is the length of a stream at which an error is reached.
func length(prefix string, n float64) Value {
	return Value{fmt.Sprintf("%s%.0f", prefix, n), n, "tuples"}
}

// count is a number of things, in full.
func count[N int | int64 | uint64](n N, unit string) Value {
	return Value{fmt.Sprint(n), float64(n), unit}
}

// text is a value that is no number, such as a name.
func text(s string) Value { return Value{Text: s, Number: math.NaN()} }

// ours is the text of a row about our run, and the values in the text.
type ours struct {
	text   string
	values []Value
}

func one(v Value) ours { return ours{v.Text, []Value{v}} }

// two is the text of two values, with words behind them.
func two(a, b Value, behind string) ours {
	return ours{a.Text + ", " + b.Text + behind, []Value{a, b}}
}

// span is the text of the least and the greatest value.
func span(least, most Value) ours {
	return ours{least.Text + "-" + most.Text, []Value{least, most}}
}

// list is the text of several values, separated by commas.
func list(v ...Value) ours {
	var texts []string
	for _, x := range v {
		texts = append(texts, x.Text)
	}
	return ours{strings.Join(texts, ", "), v}
}

func extremes(list []float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, x := range list {
		least, most = min(least, x), max(most, x)
	}
	return least, most
}

// part is how many of all things have a property.
func part(some, all int, unit string) ours {
	a, b := count(some, unit), count(all, unit)
	return ours{fmt.Sprintf("%s of %s %s", a.Text, b.Text, unit), []Value{a, b}}
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
