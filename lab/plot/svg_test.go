package plot_test

// This file tests what all figures have: words for who cannot see them, tooltips, light and dark, and series that
// can be told apart.

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/plot"
)

// An element is an element of a drawing.
type element struct {
	name string
	attr map[string]string
	kids []*element
	data string
}

// parse draws a figure and reads it as a browser would: it must be XML.
func parse(t *testing.T, f interface{ Write(io.Writer) error }) *element {
	t.Helper()
	var out bytes.Buffer
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	root := new(element)
	in := []*element{root}
	d := xml.NewDecoder(&out)
	for {
		token, err := d.Token()
		if err == io.EOF {
			return root.kids[0]
		}
		if err != nil {
			t.Fatal(err)
		}
		last := in[len(in)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Fatalf("attribute %s", a.Name.Local)
				}
			}
			if e.name == "script" || e.name == "a" {
				t.Fatalf("element %s", e.name)
			}
			last.kids = append(last.kids, e)
			in = append(in, e)
		case xml.EndElement:
			in = in[:len(in)-1]
		case xml.CharData:
			last.data += string(token)
		}
	}
}

// all returns the elements of a class, or with a name.
func (e *element) all(what string) (list []*element) {
	for _, k := range e.kids {
		if k.name == what || slices.Contains(strings.Fields(k.attr["class"]), what) {
			list = append(list, k)
		}
		list = append(list, k.all(what)...)
	}
	return list
}

// text returns what the figure shows as text.
func (e *element) text() string {
	var list []string
	for _, k := range e.all("text") {
		list = append(list, k.data)
	}
	return strings.Join(list, "\n")
}

// tips returns the lines of tooltips that end with a number.
func (e *element) tips() (list []string) {
	for _, path := range e.all("path") {
		for _, k := range path.kids {
			for i, line := range strings.Split(k.data, "\n") {
				if i > 0 && regexp.MustCompile(`[0-9.]$`).MatchString(line) {
					list = append(list, line)
				}
			}
		}
	}
	return list
}

type figure interface{ Write(io.Writer) error }

// examples are a figure of each kind with so many series, and how many points they have.
func examples(n int) (figures []figure, points int) {
	lines := plot.Lines{Title: "t", X: "events", Y: "error %", LogX: true, Limit: 5, Marks: []uint64{2000}}
	bars := plot.Bars{Title: "t", Y: "error %", Groups: []string{"lua", "flate", "typecheck"}, Limit: 5}
	scatter := plot.Scatter{Title: "t", X: "true %", Y: "estimated %", Max: 100, Band: 10}
	for i := range n {
		name, y := fmt.Sprint("series ", i), float64(i)
		lines.Curves = append(lines.Curves, plot.Curve{Name: name,
			Points: metric.Curve{{Events: 1000, Error: y}, {Events: 1001, Error: y + 0.123456}, {Events: 9000, Error: 0}}})
		bars.Series = append(bars.Series, plot.Series{Name: name, Values: []float64{y, y + 0.123456, 0}})
		scatter.Clouds = append(scatter.Clouds,
			plot.Cloud{Name: name, Points: []plot.XY{{X: 1, Y: y}, {X: 2, Y: y + 0.123456}, {X: 9}}})
	}
	return []figure{lines, bars, scatter}, 3 * n
}

func TestAFigureIsDrawnTheSameAgain(t *testing.T) {
	figures, _ := examples(9)
	for i, f := range figures {
		var a, b bytes.Buffer
		if err := f.Write(&a); err != nil {
			t.Fatal(err)
		}
		if err := f.Write(&b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%d: %v, or another drawing", i, err)
		}
	}
}

func TestWordsAndTooltips(t *testing.T) {
	figures, points := examples(4)
	for i, f := range figures {
		svg := parse(t, f)
		title, desc := svg.kids[0], svg.kids[1]
		if svg.attr["role"] != "img" || title.name != "title" || desc.name != "desc" ||
			svg.attr["aria-labelledby"] != title.attr["id"]+" "+desc.attr["id"] || title.attr["id"] == "" {
			t.Errorf("%d: %v, %v, %v", i, svg.attr, title, desc)
		}
		for _, want := range []string{[]string{"error %", "error %", "estimated %"}[i] + ", from 0 to ", "series 2: 3 ",
			"0 to 2.12346"} {
			if title.data != "t" || !strings.Contains(desc.data, want) {
				t.Errorf("%d: no %q in %q", i, want, desc.data)
			}
		}
		tips := svg.tips()
		if len(tips) != points {
			t.Errorf("%d: %d tooltips of %d points", i, len(tips), points)
		}
		want := []string{"1001: 3.12346", "flate: error % 3.12346", "true % 2: estimated % 3.12346"}[i]
		if !slices.Contains(tips, want) {
			t.Errorf("%d: no %q in %q", i, want, tips)
		}
	}
}

// What is above the end of a figure is drawn there, and the tooltip does not say that it is there.
func TestAboveTheFigure(t *testing.T) {
	svg := parse(t, plot.Lines{X: "events", Y: "%", MaxY: 30,
		Curves: []plot.Curve{{Name: "a", Points: metric.Curve{{Events: 1, Error: 30}, {Events: 9, Error: 31}}}}})
	if got, want := svg.tips(), []string{"1: 30", "9: more than 30"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Hatching stands for dashes where there are bars.
func TestNoTwoSeriesLookTheSame(t *testing.T) {
	figures, _ := examples(9)
	for i, f := range figures {
		svg := parse(t, f)
		looks := map[string]string{}
		for _, g := range svg.all("g") {
			if !strings.HasPrefix(g.attr["class"], "c") || len(g.all("text")) == 0 { // not in the legend
				continue
			}
			look := ""
			for _, path := range g.all("path") {
				shape := regexp.MustCompile(`^M[^a-zH]*`).ReplaceAllString(path.attr["d"], "") // wherever it is
				fill := path.attr["fill"]
				for _, p := range svg.all("pattern") {
					if strings.Contains(fill, p.attr["id"]) {
						fill = fmt.Sprint(p.attr["patternTransform"], p.kids[1].attr["stroke-width"])
					}
				}
				look += shape + path.attr["stroke-dasharray"] + fill
			}
			name := g.all("text")[0].data
			if other := looks[look]; other != "" {
				t.Errorf("%d: without colour %s looks as %s: %s", i, name, other, look)
			}
			looks[look] = name
		}
		if len(looks) != 9 {
			t.Errorf("%d: %d series in the legend, want 9", i, len(looks))
		}
	}
}

// Of curves at the same places, the ones beneath are wider, and the legend says that they are equal.
func TestEqualCurvesAreSeen(t *testing.T) {
	same := metric.Curve{{Events: 1, Error: 9}, {Events: 500, Error: 4}, {Events: 1000, Error: 4}}
	partly := metric.Curve{{Events: 1, Error: 2}, {Events: 500, Error: 4}, {Events: 1000, Error: 4}}
	svg := parse(t, plot.Lines{X: "events", Y: "%",
		Curves: []plot.Curve{{Name: "a", Points: same}, {Name: "b", Points: same}, {Name: "c", Points: partly},
			{Name: "d", Points: metric.Curve{{Events: 1, Error: 1}, {Events: 1000, Error: 2}}}}})
	for _, want := range []string{"b (= a)", "\nc\n"} {
		if !strings.Contains(svg.text()+"\n", want) {
			t.Errorf("no %q in %q", want, svg.text())
		}
	}
	var wide []string
	for _, l := range svg.all("l")[:4] {
		wide = append(wide, l.attr["style"]+l.attr["stroke-dasharray"])
	}
	if want := []string{"stroke-width:4.6", "stroke-width:36 2", "2 2", "9 2 2 2"}; !slices.Equal(wide, want) {
		t.Errorf("%q, want %q", wide, want)
	}
	if d := svg.all("p")[0].attr["d"]; !strings.Contains(d, "a4.1 4.1 ") {
		t.Errorf("marks %s of the first curve are not larger than those above them", d)
	}
	for k, g := range svg.all("h")[0].kids[:3] { // a mouse finds the points of a curve around those of the next one
		wide, _ := strconv.ParseFloat(g.attr["stroke-width"], 64)
		next, _ := strconv.ParseFloat(svg.all("h")[0].kids[k+1].attr["stroke-width"], 64)
		if wide < next+1 || next == 0 {
			t.Errorf("points of curve %d are %v wide for a mouse, those above them %v", k, wide, next)
		}
	}
	for k := range 3 { // the marks are at the same places
		for _, other := range svg.all("p")[k+1 : 3] {
			if svg.all("p")[k].attr["d"] == other.attr["d"] {
				t.Errorf("marks of curve %d are those of another", k)
			}
		}
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

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestContrast(t *testing.T) {
	figures, _ := examples(9)
	for _, f := range figures {
		css := parse(t, f).all("style")[0].data
		if !strings.Contains(css, "text{fill:var(--ink)}") {
			t.Error("text does not have the colour of text")
		}
		light, dark, found := strings.Cut(css, "@media (prefers-color-scheme:dark)")
		if !found {
			t.Fatal("no colours for dark")
		}
		papers := map[string]bool{}
		for _, scheme := range []string{light, dark} {
			colours := map[string]string{}
			for _, m := range regexp.MustCompile(`--(\w+):(#[0-9a-f]{6})`).FindAllStringSubmatch(scheme, -1) {
				colours[m[1]] = m[2]
			}
			if len(colours) != 12 {
				t.Fatalf("colours %v", colours)
			}
			papers[colours["paper"]] = true
			for name, c := range colours {
				least := map[string]float64{"paper": 1, "grid": 1, "ink": 4.5}[name]
				if least == 0 {
					least = 3 // what is no text
				}
				if got := contrast(t, c, colours["paper"]); got < least {
					t.Errorf("%s %s on %s: contrast %.2f, want %v", name, c, colours["paper"], got, least)
				}
			}
		}
		if len(papers) != 2 {
			t.Error("light and dark have the same paper")
		}
	}
}

// Names of a hostile program stay text.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{`</title><script>alert(1)</script>`, `" onload="x`, "\x00\x1b[2J\xff\ufffe", "]]>&amp;",
		"\u202e\U000e0001", "url(#-h1)</style>"} {
		for i, f := range []figure{
			plot.Lines{Title: name, X: name, Y: name,
				Curves: []plot.Curve{{Name: name, Points: metric.Curve{{Events: 1, Error: 1}}}}},
			plot.Bars{Title: name, Y: name, Groups: []string{name}, Series: []plot.Series{{Name: name, Values: []float64{1}}}},
			plot.Scatter{Title: name, X: name, Y: name, Max: 1,
				Clouds: []plot.Cloud{{Name: name, Points: []plot.XY{{X: 1, Y: 1}}}}},
		} {
			want := strings.NewReplacer("\x00", `\x00`, "\x1b", `\x1b`, "\xff", `\xff`, "\ufffe", `\ufffe`, "\u202e", `\u202e`,
				"\U000e0001", `\U000e0001`).Replace(name)
			svg := parse(t, f)
			if svg.kids[0].data != want || strings.Count(svg.text(), want) != 4 {
				t.Errorf("%d: %q: title %q, text %q", i, name, svg.kids[0].data, svg.text())
			}
		}
	}
}
