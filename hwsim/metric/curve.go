package metric

// This file defines when an engine has converged. The paper's speed-ups use two
// definitions: when the error is below 5 % for the first time, and after which event it stays
// below for good (section 5.4).

import "math"

// A Point is the error after a number of events, as a fraction or in percent. It is NaN
// as long as there is no tuple to have an error.
type Point struct {
	Events uint64
	Error  float64
}

// A Curve is the error at several points of a stream, in their order.
type Curve []Point

// FirstBelow returns the events after which the error is below limit for the
// first time, and false if it never is.
func (c Curve) FirstBelow(limit float64) (events uint64, ok bool) {
	for _, p := range c {
		if p.Error < limit {
			return p.Events, true
		}
	}
	return 0, false
}

// StaysBelow returns the events from which on the error is below limit to the
// end of the curve, and false if it is not below at the end.
func (c Curve) StaysBelow(limit float64) (events uint64, ok bool) {
	for i := len(c) - 1; i >= 0 && c[i].Error < limit; i-- {
		events, ok = c[i].Events, true
	}
	return events, ok
}

// Crossing returns the number of events at which the curve's trend reaches limit. It is NaN
// if fewer than two points have an error above 0, or if the trend does not fall. The
// trend is the power of the number of events that fits the points best, because errors
// of samplers fall with the root of the number of events. It uses all points, and so is
// more precise than the two noisy points on both sides of the limit.
func (c Curve) Crossing(limit float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, p := range c {
		if p.Error > 0 && p.Events > 0 {
			x, y := math.Log(float64(p.Events)), math.Log(p.Error)
			n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
		}
	}
	slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	if n < 2 || !(slope < 0) {
		return math.NaN()
	}
	return math.Exp((math.Log(limit) - (sy-slope*sx)/n) / slope)
}
