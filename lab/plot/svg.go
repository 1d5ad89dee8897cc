package plot

// This file has what all figures share: the frame, the axes, the legend, and the look of series in
// light and dark.

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/internal/terminal"
)

// Lengths are in units of the drawing, which are points.
const (
	right      = 450.0 // where the axes end and the legend begins, with a space between
	height     = 255.0
	titleSize  = 11.0
	labelSize  = 9.0
	textSize   = 8.0
	lineHeight = 12.0 // of the legend
	swatch     = 24.0
	reach      = 8.0 // how far from a point the mouse may be: points that are closer to each other share a tooltip
)

// light and dark are the colours of the figures: paper, text, the grid, lines that help to read, and the
// series. Series differ for the colour-blind, too, and have a contrast of at least 3 to the paper.
//
// Source: Okabe and Ito, "Color Universal Design", 2008; those that are too light on white are darker.
var (
	light = []string{"#ffffff", "#1a1a1a", "#e4e4e4", "#767676", "#0072b2", "#d55e00", "#008a64", "#b8598c", "#9c6b00",
		"#2b86bd", "#000000", "#757575"}
	dark = []string{"#15181c", "#e8e8e8", "#33383f", "#949494", "#4aa8e0", "#ff8a3d", "#2cc295", "#e69ac4", "#f0c03a",
		"#a5d8ff", "#ffffff", "#a0a0a0"}
	names = []string{"paper", "ink", "grid", "rule", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"}
)

const ofFrame = 4 // so many colours are not of series

// Lines of series differ without colour by dashes and marks, bars by hatching. The lengths of the lists have no
// common divisor with each other, so that the same pair comes again as late as possible.
var (
	dashes = []string{"", "6 2", "2 2", "9 2 2 2"}
	marks  = []func(x, y, r float64) string{circle, square, triangle, diamond, cross}
)

// A number in a drawing has one digit behind the point.
func coord(x float64) string { return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64) }

func circle(x, y, r float64) string {
	return fmt.Sprintf("M%s %sa%[3]s %[3]s 0 1 0 %[4]s 0a%[3]s %[3]s 0 1 0-%[4]s 0z", coord(x-r), coord(y), coord(r),
		coord(2*r))
}

func square(x, y, r float64) string {
	return fmt.Sprintf("M%s %sh%sv%[3]sh-%[3]sz", coord(x-r), coord(y-r), coord(2*r))
}

func triangle(x, y, r float64) string {
	return fmt.Sprintf("M%s %sl%s %sh-%sz", coord(x), coord(y-1.2*r), coord(1.2*r), coord(2*r), coord(2.4*r))
}

func diamond(x, y, r float64) string {
	return fmt.Sprintf("M%s %sl%s %[3]s-%[3]s %[3]s-%[3]s-%[3]sz", coord(x), coord(y-1.4*r), coord(1.4*r))
}

func cross(x, y, r float64) string {
	return fmt.Sprintf("M%s %sl%s %[3]sm0-%[3]sl-%[3]s %[3]s", coord(x-r), coord(y-r), coord(2*r))
}

// escape makes text safe for XML and for terminals.
func escape(text string) string { return escaper.Replace(terminal.Escape(text)) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// lines are the lines of a tooltip.
func lines(list ...string) string {
	for i := range list {
		list[i] = escape(list[i])
	}
	return strings.Join(list, "\n")
}

// width is how wide text is in the widest of usual sans-serif fonts. A viewer may have another one, so
// nothing stands to the right of text that is as wide as this says.
func width(text string, size float64) (w float64) {
	for _, r := range text {
		switch {
		case strings.ContainsRune("iljtfrI.,:;|!'()[]/ ", r):
			w += 0.36
		case strings.ContainsRune("mwMW%@", r):
			w += 0.95
		case 'A' <= r && r <= 'Z':
			w += 0.75
		default:
			w += 0.6
		}
	}
	return w * size
}

// number prints a number with six digits at most.
func number(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x+0, 'g', -1, 64)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// A drawing is a figure that is being drawn.
type drawing struct {
	bytes.Buffer
	title, desc               string
	left, top, bottom, beyond float64 // the space of the axes; beyond is where the figure ends on the right
	below                     float64 // and where it ends
	x, y                      axis
	series                    int // so many have been drawn
	entries                   []entry
	hatched                   bool
	tips                      bytes.Buffer // on top of all else
}

type entry struct {
	name  string
	index int
	line  bool // it has a line
	mark  bool
}

// An axis maps values to the drawing.
type axis struct {
	label       string
	least, most float64
	log         bool
	from, to    float64
}

func (a axis) at(v float64) float64 {
	share := (v - a.least) / (a.most - a.least)
	if a.log {
		share = math.Log(v/a.least) / math.Log(a.most/a.least)
	}
	return a.from + share*(a.to-a.from)
}

func (a axis) String() string {
	scale := ""
	if a.log {
		scale = ", logarithmic"
	}
	return fmt.Sprintf("%s, from %s to %s%s", or(a.label, "no label"), number(a.least), number(a.most), scale)
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func (d *drawing) f(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *drawing) say(format string, args ...any) {
	d.desc += strings.TrimSpace(fmt.Sprintf(format, args...)) + " "
}

// begin places the vertical axis beside its labels, and the end of the horizontal one. It draws the grid.
func (d *drawing) begin(title string, x, y axis, below float64) {
	d.title, d.x, d.y = title, x, y
	d.top, d.bottom = 28, height-below
	d.below = height
	ticks := linearTicks(y.least, y.most)
	widest := 0.0
	for _, t := range ticks {
		widest = max(widest, width(t.label, textSize))
	}
	d.left = max(d.left, 12+labelSize+widest)
	d.x.from, d.x.to, d.y.from, d.y.to = d.left, right, d.bottom, d.top
	d.f("<text x=\"%s\" y=\"16\" class=\"t\">%s</text>\n", coord(d.left), escape(title))
	d.f("<text transform=\"translate(%s %s)rotate(-90)\" class=\"n\">%s</text>\n", coord(labelSize+1),
		coord((d.top+d.bottom)/2), escape(y.label))
	d.f("<g class=\"g\">\n")
	for _, t := range ticks {
		d.f("<path d=\"M%s %sh%s\"/>\n", coord(d.left), coord(d.y.at(t.value)), coord(right-d.left))
	}
	d.f("</g>\n<g class=\"e\">\n")
	for _, t := range ticks {
		d.f("<text x=\"%s\" y=\"%s\">%s</text>\n", coord(d.left-4), coord(d.y.at(t.value)+textSize*0.35), t.label)
	}
	d.f("</g>\n")
}

// numbers draws the horizontal axis.
func (d *drawing) numbers(ticks []tick) {
	d.f("<text x=\"%s\" y=\"%s\" class=\"n\">%s</text>\n<g class=\"m\">\n", coord((d.left+right)/2), coord(height-5),
		escape(d.x.label))
	path := ""
	for _, t := range ticks {
		x := coord(d.x.at(t.value))
		path += fmt.Sprintf("M%s %sv4", x, coord(d.bottom))
		if t.label != "" {
			d.f("<text x=\"%s\" y=\"%s\">%s</text>\n", x, coord(d.bottom+textSize+5), t.label)
		}
	}
	d.f("</g>\n<path class=\"a\" d=\"M%s %sH%s%s\"/>\n", coord(d.left), coord(d.bottom), coord(right), path)
}

// rule draws a line that helps to read, with a tooltip.
func (d *drawing) rule(x1, y1, x2, y2 float64, dashed bool, tip string) {
	class := "r"
	if dashed {
		class = "r d"
	}
	d.f("<path class=%q d=\"M%s %sL%s %s\"><title>%s</title></path>\n", class, coord(x1), coord(y1), coord(x2), coord(y2),
		escape(tip))
}

// colour returns the attributes of what has the colour of a series. Viewers that know no variables take the second one.
func colour(i int) string {
	k := i % (len(light) - ofFrame)
	return fmt.Sprintf("class=\"c%d\" color=%q", k, light[ofFrame+k])
}

// end writes the figure: frame, legend and styles around what was drawn.
func (d *drawing) end(out io.Writer) error {
	d.beyond = max(right+10, d.left+width(d.title, titleSize)+4)
	for _, e := range d.entries {
		d.beyond = max(d.beyond, right+14+swatch+width(e.name, textSize)+4)
	}
	for i, e := range d.entries {
		x, y := right+12, d.top+8+lineHeight*float64(i)
		d.below = max(d.below, y+lineHeight)
		d.f("<g %s>", colour(e.index))
		if e.line {
			d.f("<path class=\"l\"%s d=\"M%s %sh%s\"/>", dashing(e.index), coord(x), coord(y), coord(swatch-4))
		}
		if e.mark {
			again := ""
			if !e.line {
				again = dashing(e.index / len(marks))
			}
			d.f("<path class=\"p\"%s d=%q/>", again, marks[e.index%len(marks)](x+swatch/2-2, y, 2.5))
		}
		if !e.line && !e.mark {
			d.f("<path fill=%q d=\"M%s %sh%sv7h-%[4]sz\"/>", d.fill(e.index), coord(x), coord(y-3.5), coord(swatch-6))
		}
		d.f("<text x=\"%s\" y=\"%s\">%s</text></g>\n", coord(x+swatch), coord(y+textSize*0.35), escape(e.name))
	}
	desc := strings.TrimSpace(d.desc)
	// Elements of several figures in one page have different names, unless they are of figures with the same words.
	hash := fnv.New32a()
	io.WriteString(hash, d.title+"\x00"+desc)
	id := fmt.Sprintf("f%08x", hash.Sum32())
	var b bytes.Buffer
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"%s\" role=\"img\" aria-labelledby=\"%[1]s-t %[1]s-d\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %s %s\" font-family=\"Liberation Sans,Arial,Helvetica,sans-serif\" font-size=\"%v\">\n",
		id, math.Ceil(d.beyond*4/3), math.Ceil(d.below*4/3), coord(d.beyond), coord(d.below), textSize)
	fmt.Fprintf(&b, "<title id=\"%s-t\">%s</title>\n<desc id=\"%[1]s-d\">%[3]s</desc>\n", id,
		escape(or(d.title, "a figure without a title")), escape(desc))
	used := ofFrame + min(d.series, len(light)-ofFrame)
	rules := []string{
		"text{fill:var(--ink)}", ".t{font-size:11px}", ".n{font-size:9px;text-anchor:middle}", ".e text{text-anchor:end}",
		".m text{text-anchor:middle}",
		".g path{stroke:var(--grid);stroke-width:.5}", ".a{fill:none;stroke:var(--ink);stroke-width:.5}",
		".r{stroke:var(--rule);stroke-width:.8}", ".d{stroke-width:.6;stroke-dasharray:3 3}",
		".l{fill:none;stroke:currentColor;stroke-width:1.4}", ".p{fill:none;stroke:currentColor}",
		".h path{fill:none;stroke:transparent;stroke-linecap:round}",
		".q path{fill:currentColor;fill-opacity:.3;stroke:currentColor;stroke-width:.8}",
	}
	for k := range used - ofFrame {
		rules = append(rules, fmt.Sprintf(".c%d{color:var(--c%[1]d)}", k))
	}
	fmt.Fprintf(&b, "<style>\n#%s{%s}\n@media (prefers-color-scheme:dark){#%[1]s{%[3]s}}\n", id, variables(light, used),
		variables(dark, used))
	for _, r := range rules {
		fmt.Fprintf(&b, "#%s %s\n", id, r)
	}
	fmt.Fprintf(&b, "</style>\n")
	if d.hatched {
		for i := 1; i < d.series; i++ { // never flat: the end of a bar would be hard to see
			fmt.Fprintf(&b, "<pattern id=\"%s-h%d\" %s width=\"8\" height=\"4\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(%d)\"><path d=\"M0 0h8v4h-8z\" fill=\"currentColor\"/><path d=\"M0 2h8\" stroke=\"#fff\" style=\"stroke:var(--paper)\" stroke-width=\"%s\"/></pattern>\n",
				id, i, colour(i), 45+45*((i-1)%3), coord(0.6+0.5*float64((i-1)/3)))
		}
	}
	fmt.Fprintf(&b, "<path fill=\"#fff\" style=\"fill:var(--paper)\" d=\"M0 0h%sv%sh-%[1]sz\"/>\n", coord(d.beyond),
		coord(d.below))
	b.Write(bytes.ReplaceAll(d.Bytes(), []byte(`fill="url(#-h`), []byte(`fill="url(#`+id+"-h")))
	if d.tips.Len() > 0 {
		fmt.Fprintf(&b, "<g class=\"h\">\n%s</g>\n", d.tips.Bytes())
	}
	fmt.Fprintf(&b, "</svg>\n")
	_, err := out.Write(b.Bytes())
	return err
}

// fill returns the fill of bars of a series.
func (d *drawing) fill(i int) string {
	if i == 0 {
		return "currentColor"
	}
	d.hatched = true
	// end adds the name of the figure; escaped text has no quote, so it is never taken for this
	return fmt.Sprintf("url(#-h%d)", i)
}

func dashing(i int) string {
	if s := dashes[i%len(dashes)]; s != "" {
		return fmt.Sprintf(" stroke-dasharray=%q", s)
	}
	return ""
}

func variables(colours []string, n int) string {
	var list []string
	for i, c := range colours[:n] {
		list = append(list, "--"+names[i]+":"+c)
	}
	return strings.Join(list, ";")
}

// extent says how many numbers there are, and the least and the greatest.
func extent(ys []float64, what string) string {
	if len(ys) == 0 {
		return "no " + what + "s"
	}
	if len(ys) > 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s, %s to %s", len(ys), what, number(slices.Min(ys)), number(slices.Max(ys)))
}
