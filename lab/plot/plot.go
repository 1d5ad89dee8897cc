// Package plot draws the figures of the experiments, all in one style, as SVG:
//
//	lines := plot.Lines{
//		Title: "H[P256]2048 against R256", X: "events", Y: "error %", LogX: true,
//		Curves: []plot.Curve{{Name: "R256", Points: r256}, {Name: "H[P256]2048", Points: h256}},
//		Limit:  5,
//	}
//	err := lines.Write(file)
//
// A figure describes itself to who cannot see it, follows the reader's choice of light or dark, and shows
// the numbers of what is under the mouse. Series differ without colour, too.
package plot

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim/metric"
)

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

// A point is a point of a curve in the drawing, with its numbers.
type point struct {
	x, y float64
	of   metric.Point
}

// Write draws the figure as SVG.
func (f Lines) Write(out io.Writer) error {
	first, last, top := math.Inf(1), math.Inf(-1), 0.0
	for _, c := range f.Curves {
		for _, p := range c.Points {
			if drawable(p) {
				first, last, top = min(first, float64(p.Events)), max(last, float64(p.Events)), max(top, p.Error)
			}
		}
	}
	if math.IsInf(first, 1) { // no points at all
		first, last = 1, 10
	}
	x := axis{label: f.X, least: first, most: max(last, first*1.01), log: f.LogX}
	y := axis{label: f.Y, most: max(top*1.05, 1e-3)}
	if f.MaxY > 0 {
		y.most = f.MaxY
	}
	var d drawing
	d.begin(f.Title, x, y, 34)
	ticks := linearTicks
	if f.LogX {
		ticks = logTicks
	}
	d.numbers(ticks(x.least, x.most))
	d.say("Lines. Horizontal: %s. Vertical: %s.", d.x, d.y)
	if f.Limit > 0 && f.Limit <= y.most {
		d.rule(d.left, d.y.at(f.Limit), right, d.y.at(f.Limit), false, fmt.Sprintf("limit: %s %s", f.Y, number(f.Limit)))
		d.say("A horizontal line at %s.", number(f.Limit))
	}
	drawn := 0
	for _, at := range f.Marks {
		if at := float64(at); at >= x.least && at <= x.most {
			d.rule(d.x.at(at), d.bottom, d.x.at(at), d.top, true, fmt.Sprintf("mark at %s %s", f.X, number(at)))
			drawn++
		}
	}
	if drawn > 0 {
		d.say("Dashed vertical lines: %d.", drawn)
	}

	var runs [][][]point
	for _, c := range f.Curves {
		runs = append(runs, d.runs(c.Points, f.MaxY))
	}
	for i, c := range f.Curves {
		if runs[i] == nil {
			d.say("%s: no points.", c.Name)
			continue
		}
		name := c.Name
		// A curve under others is wider, so that it is seen at their sides.
		over := 0
		for k := range f.Curves {
			if k > i && hides(runs[k], runs[i]) {
				over++
			}
			if k < i && name == c.Name && equal(runs[i], runs[k]) {
				name = fmt.Sprintf("%s (= %s)", c.Name, f.Curves[k].Name)
			}
		}
		d.curve(i, c.Name, name, runs[i], over, len(f.Curves), f)
	}
	return d.end(out)
}

func drawable(p metric.Point) bool {
	return !math.IsNaN(p.Error) && !math.IsInf(p.Error, 0) && p.Events != 0
}

// runs returns the runs of points that can be drawn, none higher than top unless that is 0.
func (d *drawing) runs(c metric.Curve, top float64) (runs [][]point) {
	gap := true
	for _, p := range c {
		if !drawable(p) {
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
		*last = append(*last, point{d.x.at(float64(p.Events)), d.y.at(y), p})
	}
	return runs
}

// equal reports whether two curves have the same points.
func equal(a, b [][]point) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if len(a[i]) != len(b[i]) {
			return false
		}
		for k := range a[i] {
			if a[i][k] != b[i][k] {
				return false
			}
		}
	}
	return true
}

// hides reports whether one curve covers a third of the other or more: points of both are at the same place, and so
// are the next ones, if both have next ones. Curves that only cross each other are seen anyway.
func hides(above, below [][]point) bool {
	near := func(p, q point) bool { return math.Abs(p.x-q.x) < 0.7 && math.Abs(p.y-q.y) < 0.7 }
	hidden, all := 0, 0
	for _, r := range below {
		all += len(r)
		for i, p := range r {
			for _, s := range above {
				k := slices.IndexFunc(s, func(q point) bool { return near(p, q) })
				if k >= 0 && (i+1 == len(r) || k+1 == len(s) || near(r[i+1], s[k+1])) {
					hidden++
					break
				}
			}
		}
	}
	return 3*hidden >= all
}

// curve draws a curve with its marks and tooltips.
func (d *drawing) curve(i int, name, legend string, runs [][]point, over, all int, f Lines) {
	var path, shapes strings.Builder
	var ys []float64
	// Of points at the same place those beneath are larger, so that the mouse finds them, too.
	fmt.Fprintf(&d.tips, "<g stroke-width=\"%s\">\n", coord(reach+float64(all-1-i)*min(2, 2*reach/float64(all))))
	defer d.tips.WriteString("</g>\n")
	apart := 3 * reach // marks
	marked := math.Inf(-1)
	for n, run := range runs {
		path.WriteString(trail(run))
		for k := 0; k < len(run); {
			end := k + 1
			for end < len(run) && math.Hypot(run[end].x-run[k].x, run[end].y-run[k].y) < reach {
				end++
			}
			tip := []string{name, f.X + ": " + f.Y}
			for _, p := range run[k:end] {
				y := number(p.of.Error)
				if f.MaxY > 0 && p.of.Error > f.MaxY {
					y = "more than " + number(f.MaxY)
				}
				tip = append(tip, fmt.Sprintf("%d: %s", p.of.Events, y))
				if ys = append(ys, p.of.Error); f.MaxY > 0 {
					ys[len(ys)-1] = min(p.of.Error, f.MaxY)
				}
			}
			fmt.Fprintf(&d.tips, "<path d=\"%s\"><title>%s</title></path>\n", trail([]point{run[k], run[end-1]}), lines(tip...))
			// Where points are close, the marks of curves do not come at the same places.
			if n == 0 && k == 0 && len(run) > 1 && run[1].x-run[0].x < apart {
				marked = run[0].x - apart + apart*float64(i)/float64(all)
			}
			if run[k].x-marked >= apart || len(run) == 1 {
				shapes.WriteString(marks[i%len(marks)](run[k].x, run[k].y, 2.5+0.8*float64(over)))
				marked = run[k].x
			}
			k = end
		}
	}
	wide := ""
	if over > 0 {
		wide = fmt.Sprintf(" style=\"stroke-width:%s\"", coord(1.4+1.6*float64(over)))
	}
	d.f("<g %s><title>%s</title><path class=\"l\"%s%s d=\"%s\"/><path class=\"p\" d=\"%s\"/></g>\n", colour(i),
		escape(legend), dashing(i), wide, path.String(), shapes.String())
	d.entries = append(d.entries, entry{name: legend, index: i, line: true, mark: true})
	d.series = max(d.series, i+1)
	d.say("%s: %s.", legend, extent(ys, "point"))
}

// trail is the line through points, each by its distance from the one before, which is shorter than its place.
func trail(list []point) string {
	var b strings.Builder
	var lastX, lastY float64 // in tenths, so that rounding does not add up
	for i, p := range list {
		x, y := math.Round(10*p.x), math.Round(10*p.y)
		fmt.Fprintf(&b, "%s%s %s", "Ml"[min(i, 1):min(i, 1)+1], coord((x-lastX)/10), coord((y-lastY)/10))
		lastX, lastY = x, y
	}
	return b.String()
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

// Write draws the figure as SVG. A value that is no number has no bar.
func (f Bars) Write(out io.Writer) error {
	y := axis{label: f.Y, most: max(1e-3, f.Limit*1.05)}
	for _, s := range f.Series {
		for _, v := range s.Values {
			if finite(v) {
				y.most = max(y.most, v*1.05)
			}
		}
	}
	size := 7.0
	if len(f.Groups) > 10 {
		size = 6 // names of twelve programs just fit
	}
	var d drawing
	slot := (right - 40) / float64(max(1, len(f.Groups)))
	below := 18.0
	turned := false // names that are wider than their groups
	for _, name := range f.Groups {
		turned = turned || width(name, size) > slot
	}
	if turned {
		for i, name := range f.Groups {
			below = max(below, 14+width(name, size)/2)
			d.left = max(d.left, 4+width(name, size)*0.87-slot*(float64(i)+0.5))
		}
		below = min(below, height/2)
	}
	d.begin(f.Title, axis{}, y, below)
	d.say("Bars in groups: %s. Vertical: %s.", strings.Join(f.Groups, ", "), d.y)
	slot = (right - d.left) / float64(max(1, len(f.Groups)))
	d.f("<g class=%q font-size=\"%v\">\n", map[bool]string{true: "e", false: "m"}[turned], size)
	for i, name := range f.Groups {
		x, y := d.left+slot*(float64(i)+0.5), d.bottom+size+4
		if turned {
			d.f("<text transform=\"translate(%s %s)rotate(-30)\">%s</text>\n", coord(x+size/2), coord(y), escape(name))
		} else {
			d.f("<text x=\"%s\" y=\"%s\">%s</text>\n", coord(x), coord(y), escape(name))
		}
	}
	d.f("</g>\n")
	bar := slot * 0.8 / float64(max(1, len(f.Series)))
	for i, s := range f.Series {
		var ys []float64
		d.f("<g %s fill=%q>\n", colour(i), d.fill(i))
		for k, v := range s.Values {
			if !finite(v) {
				continue
			}
			ys = append(ys, v)
			x := d.left + slot*(float64(k)+0.1) + bar*float64(i)
			high := max(d.bottom-d.y.at(v), 0.5) // a bar of nothing can be found, too
			d.f("<path d=\"M%s %sh%sv%sh-%[3]sz\"><title>%[5]s</title></path>\n", coord(x), coord(d.bottom-high), coord(bar),
				coord(high), lines(s.Name, fmt.Sprintf("%s: %s %s", f.Groups[k], f.Y, number(v))))
		}
		d.f("</g>\n")
		d.entries = append(d.entries, entry{name: s.Name, index: i})
		d.series = max(d.series, i+1)
		d.say("%s: %s.", s.Name, extent(ys, "bar"))
	}
	d.f("<path class=\"a\" d=\"M%s %sH%s\"/>\n", coord(d.left), coord(d.bottom), coord(right))
	if f.Limit > 0 {
		d.rule(d.left, d.y.at(f.Limit), right, d.y.at(f.Limit), false, fmt.Sprintf("limit: %s %s", f.Y, number(f.Limit)))
		d.say("A horizontal line at %s.", number(f.Limit))
	}
	return d.end(out)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
