package plot

// This file labels axes: 2.5, 200K, 7M.

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// linearTicks are the ticks of a linear axis: four to ten of them, at multiples of 1, 2 or
// 5 times a power of ten.
func linearTicks(least, most float64) (ticks []plot.Tick) {
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
		ticks = append(ticks, plot.Tick{Value: i * step, Label: label(i * step)})
	}
	return ticks
}

// spaced are linearTicks for a vertical axis, where labels end at the ticks. A space keeps
// them apart if the font is wider than expected.
func spaced(least, most float64) []plot.Tick {
	ticks := linearTicks(least, most)
	for i := range ticks {
		ticks[i].Label += "\u00a0"
	}
	return ticks
}

// logTicks are the ticks of a logarithmic axis, with labels at 1, 2 and 5.
func logTicks(least, most float64) (ticks []plot.Tick) {
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
			ticks = append(ticks, plot.Tick{Value: x, Label: text})
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
