package icicle_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/icicle"
)

// A rect is a box of a picture, with the texts that belong to it.
type rect struct {
	title, text   string
	x, y, w       float64
	fill, outline string
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
				list = append(list, rect{})
			case tok.Name.Local == "rect" && len(list) > 0:
				r := &list[len(list)-1]
				r.x, r.y, r.w, r.fill, r.outline = number("x"), number("y"), number("width"), attr["fill"], attr["stroke"]
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
	list := rects(t, icicle.Picture{Title: "t", Lines: []string{"one", "two"}, Root: &icicle.Box{Label: "all words", Detail: []string{"1000 events"}, Value: 1000, Kids: []*icicle.Box{
		{Label: "a", Value: 400, Detail: []string{"a"}, Kids: []*icicle.Box{{Label: "a long label of a narrow box", Detail: []string{"inner"}, Value: 100, Strong: true}}},
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
	if root.w != 1180 || !near(a.w, 472) || !near(b.x, a.x+a.w) || !near(b.w, 649) || inner.x != a.x || a.y != root.y+20 || inner.y != a.y+20 || b.y != a.y {
		t.Errorf("%+v", list)
	}
	if inner.text != "a long label o…" || root.text != "all words" || inner.outline == a.outline || root.fill == inner.fill {
		t.Errorf("%+v", list)
	}
}

// Names of a hostile program neither leave their element nor make the file no XML.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{`</title><script>alert(1)</script>`, `" onload="x`, "\x00\x1b[2J\xff\ufffe", "]]>&amp;", "\u202e\U000e0001"} {
		list := rects(t, icicle.Picture{Title: name, Lines: []string{name}, Root: &icicle.Box{Label: name, Detail: []string{name}, Value: 1}})
		if len(list) != 1 {
			t.Fatalf("%q: %+v", name, list)
		}
		want := strings.NewReplacer("\x00", `\x00`, "\x1b", `\x1b`, "\xff", `\xff`, "\ufffe", `\ufffe`, "\u202e", `\u202e`, "\U000e0001", `\U000e0001`).Replace(name)
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
