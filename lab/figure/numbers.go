package figure

// This file holds numbers with their text.

import (
	"fmt"
	"math"
	"strconv"
)

// Abbreviate writes a number of events as the papers do: 212K, 7.1M.
func Abbreviate(n uint64) string {
	switch {
	case n >= 1_000_000:
		return strconv.FormatFloat(math.Round(float64(n)/1e5)/10, 'f', -1, 64) + "M"
	case n >= 10_000:
		return strconv.FormatUint((n+500)/1000, 10) + "K"
	}
	return strconv.FormatUint(n, 10)
}

// Percent is a share, an error or an overhead.
func Percent(x float64) Value {
	if math.IsNaN(x) {
		return Value{"-", x, "percent"}
	}
	return Value{fmt.Sprintf("%.2f %%", x), x, "percent"}
}

// Factor says how many times as much something is.
func Factor(x float64) Value {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Value{"-", x, "factor"}
	}
	return Value{fmt.Sprintf("%.2fx", x), x, "factor"}
}

// Count is a number of things, in full.
func Count[N int | int64 | uint64](n N, unit string) Value {
	return Value{fmt.Sprint(n), float64(n), unit}
}

// Text is a value that is no number, such as a name.
func Text(s string) Value { return Value{Text: s, Number: math.NaN()} }
