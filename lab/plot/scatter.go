package plot

// This file draws points: what was estimated against the truth.

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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

// glyphs are the shapes of clouds, in their order.
var glyphs = []draw.GlyphDrawer{draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.CircleGlyph{}}

// Write draws the figure as SVG. The diagonal is where estimates are right.
func (f Scatter) Write(out io.Writer) error {
	p := newPlot(f.Title, f.Y)
	p.X.Label.Text = f.X
	p.X.Tick.Marker = plot.TickerFunc(linearTicks)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, f.Max, 0, f.Max
	lines := []float64{0}
	if f.Band > 0 {
		lines = []float64{0, f.Band, -f.Band}
	}
	for i, d := range lines {
		from, to := math.Max(0, -d), math.Min(f.Max, f.Max-d)
		l, err := plotter.NewLine(plotter.XYs{{X: from, Y: from + d}, {X: to, Y: to + d}})
		if err != nil {
			return err
		}
		l.Color = color.Gray{0x90}
		if i > 0 {
			l.Width, l.Dashes = vg.Points(0.5), []vg.Length{vg.Points(3), vg.Points(3)}
		}
		p.Add(l)
	}
	for i, c := range f.Clouds {
		var pts plotter.XYs
		for _, at := range c.Points {
			pts = append(pts, plotter.XY{X: at.X, Y: at.Y})
		}
		if pts == nil {
			continue
		}
		s, err := plotter.NewScatter(pts)
		if err != nil {
			return err
		}
		s.GlyphStyle = draw.GlyphStyle{Color: colour(i), Radius: vg.Points(2), Shape: glyphs[i%len(glyphs)]}
		p.Add(s)
		p.Legend.Add(c.Name, s)
	}
	return write(out, p)
}
