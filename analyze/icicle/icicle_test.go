package icicle_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/icicle"
)

// A rect is a box of a picture, with the texts that belong to it.
type rect struct {
	title, text   string
	x, y, w       float64
	fill, outline string // classes
}

// rects reads a picture as a browser would: it must be XML.
func rects(t *testing.T, p icicle.Picture) (list []rect) {
	t.Helper()
	var out bytes.Buffer
	if err := icicle.Write(&out, p); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(&out)
	var in []string
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			in = append(in, tok.Name.Local)
			attr := map[string]string{}
			for _, a := range tok.Attr {
				attr[a.Name.Local] = a.Value
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Fatalf("attribute %s", a.Name.Local)
				}
			}
			number := func(name string) float64 { x, _ := strconv.ParseFloat(attr[name], 64); return x }
			switch {
			case tok.Name.Local == "script" || tok.Name.Local == "a":
				t.Fatalf("element %s", tok.Name.Local)
			case tok.Name.Local == "g":
				fill, outline, _ := strings.Cut(attr["class"], " ")
				list = append(list, rect{fill: fill, outline: outline})
			case tok.Name.Local == "rect" && len(list) > 0:
				r := &list[len(list)-1]
				r.x, r.y, r.w = number("x"), number("y"), number("width")
			}
		case xml.EndElement:
			in = in[:len(in)-1]
		case xml.CharData:
			if len(list) > 0 && len(in) > 0 {
				switch in[len(in)-1] {
				case "title":
					list[len(list)-1].title += string(tok)
				case "text":
					list[len(list)-1].text += string(tok)
				}
			}
		}
	}
}

func TestBoxes(t *testing.T) {
	list := rects(t, icicle.Picture{Title: "t", Lines: []string{"one", "two"},
		Root: &icicle.Box{Label: "all words", Detail: []string{"1000 events"}, Value: 1000, Kids: []*icicle.Box{
			{Label: "a", Value: 400, Detail: []string{"a"},
				Kids: []*icicle.Box{{Label: "a long label of a narrow box", Detail: []string{"inner"}, Value: 100, Strong: true}}},
			{Label: "b", Value: 550, Detail: []string{"b"}},
			{Label: "tiny", Detail: []string{"tiny"}, Value: .1},
		}}})
	var names []string
	for _, r := range list {
		names = append(names, r.title)
	}
	if strings.Join(names, " ") != "1000 events a inner b" {
		t.Fatalf("boxes %q", names)
	}
	root, a, inner, b := list[0], list[1], list[2], list[3]
	near := func(x, y float64) bool { return math.Abs(x-y) < .2 }
	if root.w != 1180 || !near(a.w, 472) || !near(b.x, a.x+a.w) || !near(b.w, 649) || inner.x != a.x || a.y != root.y+20 ||
		inner.y != a.y+20 || b.y != a.y {
		t.Errorf("%+v", list)
	}
	if inner.text != "a long label o…" || root.text != "all words" || inner.outline == a.outline ||
		root.fill == inner.fill {
		t.Errorf("%+v", list)
	}
}

// Names of a hostile program neither leave their element nor make the file no XML.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{`</title><script>alert(1)</script>`, `" onload="x`, "\x00\x1b[2J\xff\ufffe", "]]>&amp;",
		"\u202e\U000e0001"} {
		list := rects(t, icicle.Picture{Title: name, Lines: []string{name},
			Root: &icicle.Box{Label: name, Detail: []string{name}, Value: 1}})
		if len(list) != 1 {
			t.Fatalf("%q: %+v", name, list)
		}
		want := strings.NewReplacer("\x00", `\x00`, "\x1b", `\x1b`, "\xff", `\xff`, "\ufffe", `\ufffe`, "\u202e", `\u202e`,
			"\U000e0001", `\U000e0001`).Replace(name)
		if list[0].title != want || list[0].text != want {
			t.Errorf("%q: title %q, text %q", name, list[0].title, list[0].text)
		}
	}
}

// Nothing happened: a box without width, and no division by zero.
func TestEmpty(t *testing.T) {
	if list := rects(t, icicle.Picture{Root: &icicle.Box{Label: "none"}}); len(list) != 1 || list[0].title != "" {
		t.Errorf("%+v", list)
	}
}

// A picture says what it shows to who does not see it.
func TestWords(t *testing.T) {
	var out bytes.Buffer
	if err := icicle.Write(&out, icicle.Picture{Title: "a & b", Lines: []string{"1000 <events>"},
		Root: &icicle.Box{Label: "all words", Value: 1000,
			Kids: []*icicle.Box{{Label: "a", Value: 400, Strong: true}, {Label: "tiny", Value: .1}}}}); err != nil {
		t.Fatal(err)
	}
	var svg struct {
		Role  string `xml:"role,attr"`
		By    string `xml:"aria-labelledby,attr"`
		Title struct {
			ID   string `xml:"id,attr"`
			Text string `xml:",chardata"`
		} `xml:"title"`
		Desc struct {
			ID   string `xml:"id,attr"`
			Text string `xml:",chardata"`
		} `xml:"desc"`
	}
	if err := xml.Unmarshal(out.Bytes(), &svg); err != nil {
		t.Fatal(err)
	}
	if svg.Role != "img" || svg.By != svg.Title.ID+" "+svg.Desc.ID || svg.Title.ID == "" || svg.Title.Text != "a & b" {
		t.Errorf("%+v", svg)
	}
	const want = "2 boxes in 2 rows. The box at the top is all words, and those below a box are its parts. Widths and colours are shares of it. Framed boxes: 1.\n1000 <events>"
	if svg.Desc.Text != want {
		t.Errorf("%q, want %q", svg.Desc.Text, want)
	}
}

// luminance is the relative luminance of a colour, as WCAG 2.2 defines it.
func luminance(t *testing.T, colour string) (l float64) {
	t.Helper()
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		l += weight * c
	}
	return l
}

// Each class that an element has, each text and each box has a style.
func TestStyles(t *testing.T) {
	var out bytes.Buffer
	if err := icicle.Write(&out, icicle.Picture{Lines: []string{"x"},
		Root: &icicle.Box{Label: "a", Value: 1, Strong: true}}); err != nil {
		t.Fatal(err)
	}
	style, elements, _ := strings.Cut(out.String(), "</style>")
	for _, want := range []string{"text{fill:", "rect{stroke:"} {
		if !regexp.MustCompile(`(?m)^#\w+ ` + want).MatchString(style) {
			t.Errorf("no rule %s in %s", want, style)
		}
	}
	classes := regexp.MustCompile(`class="([^"]+)"`).FindAllStringSubmatch(elements, -1)
	for _, m := range classes {
		for class := range strings.FieldsSeq(m[1]) {
			if !regexp.MustCompile(`(?m)^#\w+ \.` + class + `[ {]`).MatchString(style) {
				t.Errorf("no rule for the class %s in %s", class, style)
			}
		}
	}
	if len(classes) < 2 {
		t.Errorf("%d elements with classes, want a line and a box", len(classes))
	}
}

// All text can be read in light and in dark, and a box differs the more from the paper the greater its share is.
func TestContrast(t *testing.T) {
	var out bytes.Buffer
	if err := icicle.Write(&out, icicle.Picture{Root: &icicle.Box{}}); err != nil {
		t.Fatal(err)
	}
	light, dark, _ := strings.Cut(out.String(), "@media (prefers-color-scheme:dark)")
	var papers []string
	for _, scheme := range []string{light, dark} {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--(\w+):(#[0-9a-f]{6})`).FindAllStringSubmatch(scheme, -1) {
			colours[m[1]] = m[2]
		}
		if len(colours) != 16 {
			t.Fatalf("colours %v", colours)
		}
		papers = append(papers, colours["paper"])
		contrast := func(a, b string) float64 {
			x, y := luminance(t, colours[a]), luminance(t, colours[b])
			return (max(x, y) + 0.05) / (min(x, y) + 0.05)
		}
		for text, on := range map[string]string{"ink": "paper", "muted": "paper", "frame": "paper", "i0": "b0", "i1": "b1",
			"i2": "b2", "i3": "b3", "i4": "b4", "i5": "b5"} {
			if got := contrast(text, on); got < 4.5 {
				t.Errorf("%s %s on %s %s: contrast %.2f, want 4.5", text, colours[text], on, colours[on], got)
			}
		}
		for i := range 5 {
			more, less := fmt.Sprint("b", i), fmt.Sprint("b", i+1)
			if a, b := contrast(more, "paper"), contrast(less, "paper"); a <= b {
				t.Errorf("%s has a contrast of %.2f to the paper, %s for less has %.2f", more, a, less, b)
			}
		}
	}
	if papers[0] == papers[1] {
		t.Error("light and dark have the same paper")
	}
}
