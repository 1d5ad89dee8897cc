package plot

// This file draws points: what was estimated against the truth.

import (
	"fmt"
	"io"
	"math"
)

// An XY is a point.
type XY struct{ X, Y float64 }

// A Cloud is points of one colour and shape.
type Cloud struct {
	Name   string
	Points []XY
}

// Scatter is a figure of points. Both axes go from 0 to Max.
type Scatter struct {
	Title  string
	X, Y   string // what the axes show
	Max    float64
	Band   float64 // distance of a dashed line above and below the diagonal; 0 for none
	Clouds []Cloud
}

// Write draws the figure as SVG. The diagonal is where estimates are right.
func (f Scatter) Write(out io.Writer) error {
	var d drawing
	d.begin(f.Title, axis{label: f.X, most: f.Max}, axis{label: f.Y, most: f.Max}, 34)
	d.numbers(linearTicks(0, f.Max))
	d.say("Points. Horizontal: %s. Vertical: %s. A diagonal where both are equal.", d.x, d.y)
	diagonal := func(up float64, tip string) {
		from, to := math.Max(0, -up), math.Min(f.Max, f.Max-up)
		d.rule(d.x.at(from), d.y.at(from+up), d.x.at(to), d.y.at(to+up), up != 0, tip)
	}
	diagonal(0, fmt.Sprintf("%s = %s", f.Y, f.X))
	if f.Band > 0 {
		diagonal(f.Band, "above by "+number(f.Band))
		diagonal(-f.Band, "below by "+number(f.Band))
		d.say("Dashed lines %s above and below it.", number(f.Band))
	}
	for i, c := range f.Clouds {
		if len(c.Points) == 0 {
			continue
		}
		var ys []float64
		d.f("<g class=\"q\"><g %s%s>\n", colour(i), dashing(i/len(marks)))
		for _, at := range c.Points {
			// Shapes beneath others are larger, so that they are seen where points are at the same place.
			shape := marks[i%len(marks)](d.x.at(at.X), d.y.at(at.Y), 1.6+0.6*float64(len(f.Clouds)-1-i))
			d.f("<path d=%q><title>%s</title></path>\n", shape,
				lines(c.Name, fmt.Sprintf("%s %s: %s %s", f.X, number(at.X), f.Y, number(at.Y))))
			ys = append(ys, at.Y)
		}
		d.f("</g></g>\n")
		d.entries = append(d.entries, entry{name: c.Name, index: i, mark: true})
		d.series = max(d.series, i+1)
		d.say("%s: %s.", c.Name, extent(ys, "point"))
	}
	return d.end(out)
}
