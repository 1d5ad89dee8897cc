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
// The colour of a box shows its share: the greater the share, the darker the box. A
// browser shows the Detail of the box under the mouse. The package escapes all text.
//
// The children of a box begin at its left edge. If their shares do not fill the box,
// the rest on the right stays free.
package icicle

import (
	"bufio"
	"fmt"
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

// Write draws p.
func Write(w io.Writer, p Picture) error {
	top := margin + rowHeight*(2+len(p.Lines))
	b := bufio.NewWriter(w)
	d := drawing{b, float64(max(top, 0)), p.Root.Value}
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %[1]d %[2]d\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"%d\">\n",
		width, top+rowHeight*d.depth(p.Root, 1)+margin, fontSize)
	fmt.Fprintf(b, "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n")
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\" font-size=\"14\">%s</text>\n", margin, margin+14, escape(fit(p.Title, width-2*margin)))
	for i, line := range p.Lines {
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" fill=\"#555555\">%s</text>\n", margin, margin+14+rowHeight*(i+1), escape(fit(line, width-2*margin)))
	}
	d.box(p.Root, margin, width-2*margin, 0)
	fmt.Fprintf(b, "</svg>\n")
	return b.Flush()
}

// A drawing is a picture that is being drawn.
type drawing struct {
	b   *bufio.Writer
	top float64
	all float64 // the value of the root
}

// pixels returns the width of a box.
func (d drawing) pixels(x *Box) float64 {
	if d.all <= 0 {
		return 0
	}
	return x.Value / d.all * (width - 2*margin)
}

// depth returns the number of rows that x and the boxes in it need.
func (d drawing) depth(x *Box, rows int) int {
	deepest := rows
	for _, k := range x.Kids {
		if d.pixels(k) >= least {
			deepest = max(deepest, d.depth(k, rows+1))
		}
	}
	return deepest
}

// box draws x and the boxes in it.
func (d drawing) box(x *Box, left, wide float64, row int) {
	share := 0.0
	if d.all > 0 {
		share = x.Value / d.all
	}
	fill, ink := colours(share)
	frame := "stroke=\"#ffffff\" stroke-width=\"1\""
	if x.Strong {
		frame = "stroke=\"#1a1a1a\" stroke-width=\"1.5\""
	}
	y := d.top + float64(row*rowHeight)
	var detail []string
	for _, line := range x.Detail {
		detail = append(detail, escape(line))
	}
	fmt.Fprintf(d.b, "<g><title>%s</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\" %s/>", strings.Join(detail, "\n"), left, y, wide, rowHeight-1, fill, frame)
	if text := fit(x.Label, wide-8); text != "" {
		fmt.Fprintf(d.b, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>", left+4, y+14, ink, escape(text))
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

// shades are the colours of shares, from none to all, and the colours of the text on
// them. The colours differ in brightness, so they also work for the colour-blind and in
// print.
var shades = [...]struct {
	least     float64
	fill, ink string
}{
	{.5, "#8c2d04", "#ffffff"},
	{.2, "#cc4c02", "#ffffff"},
	{.1, "#ec7014", "#000000"},
	{.05, "#fe9929", "#000000"},
	{.01, "#fec44f", "#000000"},
	{0, "#fff3c4", "#000000"},
}

func colours(share float64) (fill, ink string) {
	for _, s := range shades {
		if share >= s.least {
			return s.fill, s.ink
		}
	}
	return shades[len(shades)-1].fill, shades[len(shades)-1].ink
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
