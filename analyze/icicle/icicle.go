// Package icicle draws trees of shares as SVG. Each node is a box. It lies below the
// box of its parent, its width is its share, and boxes come in the order of the tree.
//
//	root := &icicle.Box{Label: "all words", Value: 1000, Kids: []*icicle.Box{
//		{Label: "[0, 255]", Value: 400, Kids: []*icicle.Box{{Label: "66", Value: 390}}},
//		{Label: "[4096, 8191]", Value: 550},
//	}}
//	err := icicle.Write(file, icicle.Picture{Title: "ranges of app", Root: root})
//
//	┌──────────────────────────────────────────────┐
//	│ all words                                    │
//	├──────────────────┬─────────────────────────┬─┘
//	│ [0, 255]         │ [4096, 8191]            │
//	├────────────────┬─┴─────────────────────────┘
//	│ 66             │
//	└────────────────┘
//
// The colour of a box shows its share: the greater the share, the more it differs from the
// paper, which is light or dark as the reader likes it. A browser shows the Detail of the
// box under the mouse. The package escapes all text.
//
// The children of a box begin at its left edge. If their shares do not fill the box,
// the rest on the right stays free.
package icicle

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/pepgo/pep/internal/terminal"
)

// A Box is a node.
type Box struct {
	Label  string   // the box shows as much of it as fits
	Detail []string // lines that a browser shows for the box
	Value  float64
	Strong bool // the box has a frame; a picture marks the boxes that it is about
	Kids   []*Box
}

// A Picture is the content of a drawing.
type Picture struct {
	Title string
	Lines []string // lines beneath the title
	Root  *Box
}

// Sizes are in pixels. The characters of the font are at most charWidth wide. The list
// of fonts begins with common monospaced fonts.
const (
	width     = 1200
	margin    = 10
	rowHeight = 20
	fontSize  = 12
	charWidth = 7.3
	least     = 0.7 // narrower boxes are left out
)

// A scheme has the colours of a picture: of paper, text, lines beneath the title, frames
// of strong boxes, and of boxes by their shades with the text on them.
type scheme struct {
	paper, ink, muted, frame string
	fills, inks              [len(shades)]string
}

// The colours of boxes differ in brightness, so they also work for the colour-blind and in
// print.
var (
	light = scheme{
		"#ffffff", "#1a1a1a", "#555555", "#1a1a1a",
		[...]string{"#8c2d04", "#cc4c02", "#ec7014", "#fe9929", "#fec44f", "#fff3c4"},
		[...]string{"#ffffff", "#ffffff", "#000000", "#000000", "#000000", "#000000"},
	}
	dark = scheme{
		"#15181c", "#e8e8e8", "#a8a8a8", "#ffffff",
		[...]string{"#ffd28a", "#f59a3c", "#c86a1c", "#8a4513", "#5e3112", "#3d2815"},
		[...]string{"#000000", "#000000", "#000000", "#ffffff", "#ffffff", "#ffffff"},
	}
)

// shades are the least shares of the colours of boxes.
var shades = [...]float64{.5, .2, .1, .05, .01, 0}

func shade(share float64) int {
	for i, least := range shades {
		if share >= least {
			return i
		}
	}
	return len(shades) - 1
}

// variables are the colours for a style.
func (s scheme) variables() string {
	text := fmt.Sprintf("--paper:%s;--ink:%s;--muted:%s;--frame:%s", s.paper, s.ink, s.muted, s.frame)
	for i := range shades {
		text += fmt.Sprintf(";--b%d:%s;--i%d:%s", i, s.fills[i], i, s.inks[i])
	}
	return text
}

// Write draws p.
func Write(w io.Writer, p Picture) error {
	top := margin + rowHeight*(2+len(p.Lines))
	var boxes bytes.Buffer
	d := drawing{b: &boxes, top: float64(top), all: p.Root.Value}
	d.box(p.Root, margin, width-2*margin, 0)
	desc := escape(fmt.Sprintf("%d boxes in %d rows. The box at the top is %s, and those below a box are its parts. Widths and colours are shares of it. Framed boxes: %d.", d.drawn, d.rows, p.Root.Label, d.strong))
	for _, line := range p.Lines {
		desc += "\n" + escape(line)
	}
	// Elements of several pictures in one page have different names, unless these have the same words.
	hash := fnv.New32a()
	io.WriteString(hash, p.Title+"\x00"+desc)
	id := fmt.Sprintf("p%08x", hash.Sum32())

	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"%s\" role=\"img\" aria-labelledby=\"%[1]s-t %[1]s-d\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %[2]d %[3]d\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"%d\">\n",
		id, width, top+rowHeight*d.rows+margin, fontSize)
	title := p.Title
	if title == "" {
		title = "a picture without a title"
	}
	fmt.Fprintf(b, "<title id=\"%s-t\">%s</title>\n<desc id=\"%[1]s-d\">%[3]s</desc>\n", id, escape(title), desc)
	fmt.Fprintf(b, "<style>\n#%s{%s}\n@media (prefers-color-scheme:dark){#%[1]s{%[3]s}}\n", id, light.variables(),
		dark.variables())
	fmt.Fprintf(b, "#%s text{fill:var(--ink)}\n#%[1]s .m{fill:var(--muted)}\n#%[1]s rect{stroke:var(--paper)}\n#%[1]s .s rect{stroke:var(--frame);stroke-width:1.5}\n", id)
	for i := range shades {
		fmt.Fprintf(b, "#%s .b%d rect{fill:var(--b%[2]d)}\n#%[1]s .b%[2]d text{fill:var(--i%[2]d)}\n", id, i)
	}
	fmt.Fprintf(b, "</style>\n<path fill=\"#fff\" style=\"fill:var(--paper)\" d=\"M0 0h%dv%dH0z\"/>\n", width,
		top+rowHeight*d.rows+margin)
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\" font-size=\"14\">%s</text>\n", margin, margin+14,
		escape(fit(p.Title, width-2*margin)))
	for i, line := range p.Lines {
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" class=\"m\">%s</text>\n", margin, margin+14+rowHeight*(i+1),
			escape(fit(line, width-2*margin)))
	}
	b.Write(boxes.Bytes())
	fmt.Fprintf(b, "</svg>\n")
	return b.Flush()
}

// A drawing is a picture that is being drawn.
type drawing struct {
	b                   *bytes.Buffer
	top                 float64
	all                 float64 // the value of the root
	drawn, strong, rows int     // so many boxes and rows, and framed boxes, have been drawn
}

// pixels returns the width of a box.
func (d *drawing) pixels(x *Box) float64 {
	if d.all <= 0 {
		return 0
	}
	return x.Value / d.all * (width - 2*margin)
}

// box draws x and the boxes in it.
func (d *drawing) box(x *Box, left, wide float64, row int) {
	share := 0.0
	if d.all > 0 {
		share = x.Value / d.all
	}
	k := shade(share)
	class := fmt.Sprintf("b%d", k)
	d.drawn++
	d.rows = max(d.rows, row+1)
	if x.Strong {
		class += " s"
		d.strong++
	}
	y := d.top + float64(row*rowHeight)
	var detail []string
	for _, line := range x.Detail {
		detail = append(detail, escape(line))
	}
	// Viewers without styles take the colours for light.
	fmt.Fprintf(d.b, "<g class=\"%s\" fill=\"%s\"><title>%s</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", class, light.fills[k], strings.Join(detail, "\n"), left, y, wide, rowHeight-1)
	if text := fit(x.Label, wide-8); text != "" {
		fmt.Fprintf(d.b, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>", left+4, y+14, light.inks[k], escape(text))
	}
	fmt.Fprintf(d.b, "</g>\n")
	for _, k := range x.Kids {
		w := d.pixels(k)
		if w >= least {
			d.box(k, left, w, row+1)
		}
		left += w
	}
}

// fit cuts text to the width, with an ellipsis. It returns "" if fewer than three
// characters fit.
func fit(text string, pixels float64) string {
	n := int(pixels / charWidth)
	if n < 3 {
		return ""
	}
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// escape makes text safe for XML and for terminals: see package terminal.
func escape(text string) string { return escaper.Replace(terminal.Escape(text)) }
