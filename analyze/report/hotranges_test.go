package report_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/internal/listing"
)

// rangesText has a tap, a pool of code, and a name that would like to be something else.
const rangesText = `
profile values
binary "/bin/<script>alert(1)</script>"
period 2 events/count
word func=main.f at=/src/x.go:3 site=x.go:4:5 kind=load expr=n type=int value="[0, 255]" words=0x0-0xff low=0 high=255 count=10 messages=1
word func=main.f at=/src/x.go:3 site=x.go:4:5 kind=load expr=n type=int value=66 words=0x42-0x42 low=66 high=66 count=930 messages=9
word func=main.f at=/src/x.go:3 site=x.go:4:5 kind=load expr=n type=int value="[64, 79]" words=0x40-0x4f low=64 high=79 count=60 messages=2
word func=main.f at=/src/x.go:3 site=x.go:4:5 kind=load expr=n type=int value="(other)" count=5 messages=2
word func="[main.f, main.g]" at=/src/x.go:3 pool=sites line=4 kind=edge expr=tap value=x.go:4-30 words=0x0-0xffffffffffffffff low_function=main.f high_function=main.g low_line=4 high_line=30 count=7 messages=1
word func=main.g at=/src/x.go:20 pool=sites line=24 kind=edge expr=tap value=x.go:24:2 words=0x1000003-0x1000003 low_function=main.g high_function=main.g low_line=24 high_line=24 count=400 messages=1
word func=main.g at=/src/x.go:20 pool=sites line=26 kind=edge expr=tap value=x.go:26-30 words=0x1000004-0x1000007 low_function=main.g high_function=main.g low_line=26 high_line=30 count=90 messages=1
word func="main.</title>" at=/src/x.go:40 site=x.go:40:5 kind=load expr="</text>\x1b" type=int value="(other)" count=3 messages=1
`

func openRanges(t *testing.T, hot float64) (*profile.File, *report.RangeTable) {
	t.Helper()
	data, err := proftest.Encode(rangesText)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("app.values.pb.gz", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	table, err := report.Ranges(f, report.RangesOptions{Hot: hot})
	if err != nil {
		t.Fatal(err)
	}
	return f, table
}

// In the profile for pprof each stack is a range in those around it, in its source; code has its
// function and line; the counts add up to all events.
func TestStacksOfRanges(t *testing.T) {
	f, table := openRanges(t, .1)
	name := filepath.Join(t.TempDir(), "r.pb.gz")
	if err := f.SaveStacks(name, []string{"events"}, table.Stacks()); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := pprof.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	got, sum := map[string]int64{}, int64(0)
	for _, s := range p.Sample {
		var frames []string
		for _, l := range slices.Backward(s.Location) {
			line := l.Line[0]
			text := line.Function.Name
			if line.Function.Filename != "" {
				text += " (" + line.Function.Filename + ")"
			}
			frames = append(frames, text)
		}
		got[strings.Join(frames, " > ")] = s.Value[0]
		sum += s.Value[0]
	}
	const tap = "main.f  x.go:4:5  load n int (/src/x.go)"
	want := map[string]int64{
		tap + " > (other)":                                                5,
		tap + " > x.go:4:5 [0, 255]":                                      10,
		tap + " > x.go:4:5 [0, 255] > x.go:4:5 [64, 79]":                  60,
		tap + " > x.go:4:5 [0, 255] > x.go:4:5 [64, 79] > x.go:4:5 66":    930,
		"(all edge taps)  sites > [main.f, main.g] x.go:4-30 (/src/x.go)": 7,
		"(all edge taps)  sites > [main.f, main.g] x.go:4-30 (/src/x.go) > main.g x.go:24-30 > main.g x.go:24:2 (/src/x.go)":  400,
		"(all edge taps)  sites > [main.f, main.g] x.go:4-30 (/src/x.go) > main.g x.go:24-30 > main.g x.go:26-30 (/src/x.go)": 90,
		"main.</title>  x.go:40:5  load </text>\x1b int (/src/x.go)":                                                          3,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if sum != table.Events || sum != 1505 {
		t.Errorf("%d events in stacks, and %d in the profile", sum, table.Events)
	}
}

// The picture is XML whatever the names are, has a box for each hot range, and titles with the
// numbers.
func TestPictureOfRanges(t *testing.T) {
	_, table := openRanges(t, .1)
	var out bytes.Buffer
	if err := table.WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	var titles []string
	title := false
	for d := xml.NewDecoder(&out); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if title = tok.Name.Local == "title"; tok.Name.Local == "script" {
				t.Fatal("a script")
			}
		case xml.CharData:
			if title {
				titles = append(titles, string(tok))
			}
		case xml.EndElement:
			title = false
		}
	}
	all := strings.Join(titles, "\n\n")
	for _, want := range []string{
		"66\nwords 0x42 to 0x42\nat least 930 events, 61.79%\nat most 1005 events, 66.78%\nwithout hot ranges inside 930 events, 61.79%\nin no narrower range 930 events, 61.79%",
		"main.g x.go:24:2\nwords 0x1000003 to 0x1000003\nat least 400 events, 26.58%\n",
		"1 tap without a hot range\n3 events",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("want %q in\n%s", want, all)
		}
	}
}

// Of a profile of edges, ranges are packages, files, functions and parts of these. What is hot, and its counts, are
// here by construction: of 1000 branches, b/y.go has 450, in two functions of which none is hot for itself; the loop
// of a.hot has 400.
func TestRangesOfCode(t *testing.T) {
	const edges = `
profile edges%[1]s
comment "#pep.version=1 mode=%[2]s"
binary /bin/app
period 1 edges/count
edge func=a.hot at=/src/a/x.go:3 branch=x.go:5:2 kind=for outcome=body line=6 count=380 %[3]s
edge func=a.hot at=/src/a/x.go:3 branch=x.go:5:2 kind=for outcome=done line=9 count=20 %[3]s
edge func=a.cold at=/src/a/x.go:20 branch=x.go:21:2 kind=if outcome=true line=22 count=50 %[3]s
edge func=a.other at=/src/a/x.go:30 branch=x.go:31:2 kind=if outcome=true line=32 count=10 %[3]s
edge func=b.g at=/src/b/y.go:3 branch=y.go:4:2 kind=if outcome=true line=5 count=220 %[3]s
edge func=b.(*T).h at=/src/b/y.go:30 branch=y.go:31:2 kind=if outcome=false line=35 count=230 %[3]s
edge func=b.k at=/src/b/z.go:30 branch=z.go:31:2 kind=if outcome=false line=35 count=90 %[3]s
`
	list := func(kind, mode, values string, o report.RangesOptions) *report.RangeTable {
		t.Helper()
		data, err := proftest.Encode(fmt.Sprintf(edges, kind, mode, values))
		if err != nil {
			t.Fatal(err)
		}
		f, err := profile.Parse("app.edges.pb.gz", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		table, err := report.Ranges(f, o)
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	rows := func(table *report.RangeTable) (list []string) {
		for _, r := range table.Sources[0].Rows {
			list = append(list, fmt.Sprintf("%d %s: %d, within %d, from %d to %d", r.Depth, r.Text, r.Weight, r.Within, r.Least,
				r.Most))
		}
		return list
	}
	exact := list("", "exact", "", report.RangesOptions{Hot: .3, Cover: []float64{.4}})
	want := []string{"0 a.hot x.go:5:2 for: 400, within 400, from 400 to 400",
		"0 [b.g, b.(*T).h] y.go:4-31: 450, within 450, from 450 to 450"}
	if got := rows(exact); !slices.Equal(got, want) || exact.Events != 1000 {
		t.Errorf("of %d branches, hot are %q, want %q", exact.Events, got, want)
	}
	if c := exact.Sources[0].Covers; len(c) != 1 || len(c[0].Ranges) != 1 || c[0].Ranges[0].Text != "a.hot x.go:5:2 for" {
		t.Errorf("40%% of the branches: %+v", c)
	}
	of := list("", "exact", "", report.RangesOptions{Hot: .2, Func: regexp.MustCompile(`^b\.`)})
	want = []string{"0 b.g y.go:4:2 if: 220, within 220, from 220 to 220",
		"0 b.(*T).h y.go:31:2 if: 230, within 230, from 230 to 230"}
	if got := rows(of); !slices.Equal(got, want) {
		t.Errorf("in functions of package b hot are %q, want %q", got, want)
	}

	// Each outcome has a deviation of 10. Of the two of a.hot, these are 20 of 400: as many as 400 independent
	// events, whose number is from 362.6 to 441.2 within 1.96 deviations of the number that is sought.
	sampled := list(" estimated", "sampled form=windows samples=1000", "samples=10 variance=100 independent=9",
		report.RangesOptions{Hot: .3})
	want = []string{"0 a.hot x.go:5:2 for: 400, within 400, from 362 to 442",
		"0 [b.g, b.(*T).h] y.go:4-31: 450, within 450, from 412 to 491"}
	if got := rows(sampled); !slices.Equal(got, want) {
		t.Errorf("of samples, hot are %q, want %q", got, want)
	}
	var text bytes.Buffer
	if err := listing.Text(&text, sampled); err != nil {
		t.Fatal(err)
	}
	if want := " share  within         95%  branches  range\n40.00%  40.00%  36.2-44.2%       400  a.hot x.go:5:2 for\n"; !strings.Contains(text.String(), want) {
		t.Errorf("want\n%sin\n%s", want, &text)
	}
}
