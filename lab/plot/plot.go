// Package plot draws the figures of the experiments, all in one style, as SVG:
//
//	lines := plot.Lines{
//		Title: "H[P256]2048 against R256", X: "events", Y: "error %", LogX: true,
//		Curves: []plot.Curve{{Name: "R256", Points: r256}, {Name: "H[P256]2048", Points: h256}},
//		Limit:  5,
//	}
//	err := lines.Write(file)
//
// Only this package imports the plotting library, so that no program that is profiled links
// it (decision 8).
package plot

import (
	"bytes"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/pepgo/pep/hwsim/metric"
)

// The size of a plot without its legend, which stands beside it.
const (
	width  = 16 * vg.Centimeter
	height = 9 * vg.Centimeter
)

// wider is a factor: a viewer may draw text in another font than the one whose widths this
// package knows, and the other font may be wider by this factor.
const wider = 1.25

// palette are colours that differ for the colour-blind, too.
//
// Source: Okabe and Ito, "Color Universal Design", 2008.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff}, {0x99, 0x99, 0x99, 0xff},
}

func colour(i int) color.RGBA { return palette[i%len(palette)] }

// A Curve is one line of a figure. Points that are NaN leave gaps.
type Curve struct {
	Name   string
	Points metric.Curve
}

// Lines is a figure of curves over events.
type Lines struct {
	Title  string
	X, Y   string // what the axes show
	LogX   bool
	MaxY   float64  // where the figure ends; 0 for the highest point
	Limit  float64  // a horizontal line; 0 for none
	Marks  []uint64 // dashed vertical lines at these events, such as those of merges
	Curves []Curve
}

// Write draws the figure as SVG.
func (f Lines) Write(out io.Writer) error {
	p := newPlot(f.Title, f.Y)
	p.X.Label.Text = f.X
	if f.LogX {
		p.X.Scale = plot.LogScale{}
		p.X.Tick.Marker = plot.TickerFunc(logTicks)
	} else {
		p.X.Tick.Marker = plot.TickerFunc(linearTicks)
	}
	first, last := math.Inf(1), math.Inf(-1)
	for i, c := range f.Curves {
		for k, pts := range finite(c.Points, f.MaxY) {
			first, last = min(first, pts[0].X), max(last, pts[len(pts)-1].X)
			l, err := plotter.NewLine(pts)
			if err != nil {
				return err
			}
			l.Color = colour(i)
			l.Width = vg.Points(1.2)
			if i >= len(palette)/2 {
				l.Dashes = []vg.Length{vg.Points(5), vg.Points(2)}
			}
			p.Add(l)
			if k == 0 {
				p.Legend.Add(c.Name, l)
			}
		}
	}
	if math.IsInf(first, 1) { // no points at all
		first, last = 1, 10
	}
	p.X.Min, p.X.Max = first, max(last, first*1.01)
	p.Y.Min = 0
	if f.MaxY > 0 {
		p.Y.Max = f.MaxY
	}
	if f.MaxY == 0 {
		p.Y.Max = max(p.Y.Max*1.05, 1e-3)
	}
	if f.Limit > 0 {
		l, err := plotter.NewLine(plotter.XYs{{X: p.X.Min, Y: f.Limit}, {X: p.X.Max, Y: f.Limit}})
		if err != nil {
			return err
		}
		l.Color = color.Gray{0xb0}
		p.Add(l)
	}
	for _, at := range f.Marks {
		x := float64(at)
		if x < p.X.Min || x > p.X.Max {
			continue
		}
		l, err := plotter.NewLine(plotter.XYs{{X: x, Y: 0}, {X: x, Y: p.Y.Max}})
		if err != nil {
			return err
		}
		l.Color = color.Gray{0xb0}
		l.Width = vg.Points(0.5)
		l.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
		p.Add(l)
	}
	return write(out, p)
}

// finite returns the runs of points that can be drawn, none higher than top
// unless that is 0.
func finite(c metric.Curve, top float64) (runs []plotter.XYs) {
	gap := true
	for _, p := range c {
		if math.IsNaN(p.Error) || math.IsInf(p.Error, 0) || p.Events == 0 {
			gap = true
			continue
		}
		if gap {
			runs, gap = append(runs, nil), false
		}
		y := p.Error
		if top > 0 {
			y = min(y, top)
		}
		last := &runs[len(runs)-1]
		*last = append(*last, plotter.XY{X: float64(p.Events), Y: y})
	}
	return runs
}

// A Series is the bars of one colour, one for each group.
type Series struct {
	Name   string
	Values []float64
}

// Bars is a figure of groups of bars, of one group at least.
type Bars struct {
	Title  string
	Y      string // what the bars show
	Groups []string
	Series []Series
	Limit  float64 // a horizontal line; 0 for none
}

// Write draws the figure as SVG.
func (f Bars) Write(out io.Writer) error {
	p := newPlot(f.Title, f.Y)
	p.NominalX(f.Groups...)
	p.X.Tick.Label.Font.Size = 7
	if len(f.Groups) > 10 {
		p.X.Tick.Label.Font.Size = 5.5 // names of twelve programs just fit
	}
	plotWidth := width * 0.85
	for _, name := range f.Groups {
		if label := &p.X.Tick.Label; label.Width(name) > plotWidth/vg.Length(len(f.Groups)) { // it would overlap the next one
			label.Rotation, label.XAlign, label.YAlign = math.Pi/6, text.XRight, text.YTop
			p.X.Padding = label.Font.Size // the last letters would touch the bars
		}
	}
	bar := plotWidth / vg.Length(len(f.Groups)) * 0.8 / vg.Length(max(1, len(f.Series)))
	for i, s := range f.Series {
		values := make(plotter.Values, len(s.Values))
		for k, v := range s.Values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				values[k] = v
			}
		}
		b, err := plotter.NewBarChart(values, bar)
		if err != nil {
			return err
		}
		b.Color = colour(i)
		b.LineStyle.Width = 0
		b.Offset = bar * (vg.Length(i) - vg.Length(len(f.Series)-1)/2)
		p.Add(b)
		p.Legend.Add(s.Name, b)
	}
	p.X.Min, p.X.Max = -0.6, float64(len(f.Groups))-0.4
	p.Y.Min, p.Y.Max = 0, max(1e-3, p.Y.Max*1.05, f.Limit*1.05)
	if f.Limit > 0 {
		l, err := plotter.NewLine(plotter.XYs{{X: p.X.Min, Y: f.Limit}, {X: p.X.Max, Y: f.Limit}})
		if err != nil {
			return err
		}
		l.Color = color.Gray{0x60}
		p.Add(l)
	}
	return write(out, p)
}

// newPlot returns a plot in the style that all plots have.
func newPlot(title, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font.Size = 11
	p.Title.TextStyle.Font.Variant = "Sans"
	p.Title.Padding = vg.Points(6)
	p.Y.Label.Text = y
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font.Size = 9
		axis.Label.TextStyle.Font.Variant = "Sans"
		axis.Tick.Label.Font.Size = 8
		axis.Tick.Label.Font.Variant = "Sans"
	}
	p.Y.Tick.Marker = plot.TickerFunc(spaced)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font.Size = 8
	p.Legend.TextStyle.Font.Variant = "Sans"
	p.Legend.ThumbnailWidth = vg.Points(14)
	p.Legend.Padding = vg.Points(2)
	p.BackgroundColor = nil
	grid := plotter.NewGrid()
	grid.Vertical.Color = nil
	grid.Horizontal.Color = color.Gray{0xe8}
	p.Add(grid)
	return p
}

// write draws a plot with its legend to the right of it, swatches first. So text that is
// wider than expected extends to the side where nothing else is drawn.
func write(out io.Writer, p *plot.Plot) error {
	legend := p.Legend
	p.Legend = plot.NewLegend()
	side := wider * legend.Rectangle(draw.New(vgsvg.New(width, height))).Size().X
	c := vgsvg.New(width+side, height)
	all := draw.New(c)
	all.FillPolygon(color.White, []vg.Point{{}, {X: all.Max.X}, all.Max, {Y: all.Max.Y}})
	// The label of the last tick extends beyond the plot to the right. The title and
	// the label of the y axis extend beyond it at the top.
	p.Draw(draw.Crop(all, vg.Points(4), -side-vg.Points(9), vg.Points(2), -vg.Points(4)))
	legend.Draw(draw.Crop(all, width, 0, 0, -vg.Points(24)))
	var svg bytes.Buffer
	if _, err := c.WriteTo(&svg); err != nil {
		return err
	}
	// The viewer need not have the font whose widths were used.
	const family = "font-family:Liberation Sans"
	_, err := out.Write(bytes.ReplaceAll(svg.Bytes(), []byte(family), []byte(family+",Arial,Helvetica,sans-serif")))
	return err
}
