package metric

// This file has the notions of convergence. The paper's speed-ups are of
// several: the first time that the error is below 5 %, and the time after which
// it stays below (section 5.4).

import "math"

// A Point is the error after a number of events. Fractions and percent are both
// fine, and so are NaNs for what has no error yet.
type Point struct {
	Events uint64
	Error  float64
}

// A Curve is an error as a stream goes on, in order of events.
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

// Crossing returns the events at which the curve's trend is at limit, or NaN if
// there are less than two points with an error above 0 or if the trend does not
// fall. The trend is the power of the events that fits best: errors of samplers
// fall with the root of what they have seen. A trend of many points is known
// better than where two noisy ones lie around the limit.
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
