package plot

// This file labels axes: 2.5, 200K, 7M.

import (
	"math"
	"strconv"
)

// A tick is a place on an axis, and the text there.
type tick struct {
	value float64
	label string
}

// linearTicks are the ticks of a linear axis: four to ten of them, at multiples of 1, 2 or
// 5 times a power of ten.
func linearTicks(least, most float64) (ticks []tick) {
	if !(most > least) {
		return nil
	}
	power := math.Pow(10, math.Floor(math.Log10((most-least)/4)))
	step := power
	for _, k := range []float64{2, 5} {
		if k*power <= (most-least)/4 {
			step = k * power
		}
	}
	for i := math.Ceil(least / step); i*step <= most; i++ {
		ticks = append(ticks, tick{i * step, label(i * step)})
	}
	return ticks
}

// logTicks are the ticks of a logarithmic axis, with labels at 1, 2 and 5.
func logTicks(least, most float64) (ticks []tick) {
	for decade := math.Pow(10, math.Floor(math.Log10(least))); decade <= most; decade *= 10 {
		for k := 1.0; k < 10; k++ {
			x := k * decade
			if x < least || x > most {
				continue
			}
			text := ""
			if k == 1 || k == 2 || k == 5 {
				text = label(x)
			}
			ticks = append(ticks, tick{x, text})
		}
	}
	return ticks
}

func label(x float64) string {
	switch {
	case x >= 1e6:
		return strconv.FormatFloat(x/1e6, 'g', 4, 64) + "M"
	case x >= 1e3:
		return strconv.FormatFloat(x/1e3, 'g', 4, 64) + "K"
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}
