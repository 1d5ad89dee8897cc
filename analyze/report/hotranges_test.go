package report_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/analyze/report"
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
