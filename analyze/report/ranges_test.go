package report_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/listing"
)

// Ranges have a column for all events within them, and code cannot be specialised for them.
func TestRangesOfValues(t *testing.T) {
	data, err := proftest.Encode(`
profile values
binary /bin/app
period 1 events/count
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value="[0, 255]" words=0x0-0xff low=0 high=255 count=10 messages=1
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value=66 words=0x42-0x42 low=66 high=66 count=930 messages=9
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value="[64, 79]" words=0x40-0x4f low=64 high=79 count=60 messages=2
word func=main.g at=x.go:9 site=x.go:9:5 kind=load expr=m type=int value="[0, 15]" words=0x0-0xf low=0 high=15 count=1000 messages=4
word func=main.h at=x.go:12 site=x.go:12:5 kind=load expr=k type=int value=7 words=0x7-0x7 low=7 high=7 count=1000 messages=4
`)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("app.values.pb.gz", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	table, err := report.Values(f, source.NewTree(""), report.ValuesOptions{Events: 10, Share: .5})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := listing.Text(&out, table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`
 share  count  within  value
93.00%    930     930  66
 6.00%     60     990  [64, 79]
 1.00%     10    1000  [0, 255]
`, `
  share  count  value
100.00%   1000  7
`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want%sin\n%s", want, &out)
		}
	}
	_, list, _ := strings.Cut(out.String(), "worth specialising")
	if list, _, _ = strings.Cut(list, "\n\n"); strings.Contains(list, "[") || !strings.Contains(list, "n == 66") ||
		!strings.Contains(list, "k == 7") {
		t.Errorf("worth specialising%s", list)
	}
}

// addressesText has addresses that windows have noted beside values: 70 loads from a table, 30 of one word elsewhere.
const addressesText = `
profile values
binary /bin/app
period 4000000 cpu/nanoseconds
comment "#pep.version=1 mode=sampled form=windows clock=cpu tick=4000000 ticks=9 samples=100 windows=9"
word func=main.f at=x.go:3 site=x.go:4:5 kind=addr expr=t[i] type=int value=0x1000 form=address count=10 messages=1
word func=main.f at=x.go:3 site=x.go:4:5 kind=addr expr=t[i] type=int value=0x1038 form=address count=30 messages=1
word func=main.g at=x.go:9 site=x.go:9:5 kind=addr expr=t[j] type=int value=0x1038 form=address count=20 messages=1
word func=main.g at=x.go:9 site=x.go:9:5 kind=addr expr=t[j] type=int value=0x1020 form=address count=10 messages=1
word func=main.g at=x.go:9 site=x.go:9:9 kind=addr expr=n type=int value=0xc000010000 form=address count=30 messages=1
word func=main.g at=x.go:9 site=x.go:9:5 kind=load expr=t[j] type=int value=7 count=900 messages=9
`

// Ranges of addresses are those of all loads together, or of those in a function. Values beside them do not count. The
// counts of windows have no bounds.
func TestRangesOfAddresses(t *testing.T) {
	data, err := proftest.Encode(addressesText)
	if err != nil {
		t.Fatal(err)
	}
	f, err := profile.Parse("app.values.pb.gz", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ only, want string }{
		{"", `
(all addresses)  words, 100 loads (100.00%), 4 different ones
 share  within  loads  range
20.00%  70.00%     70  [0x1000, 0x1038]
50.00%  50.00%     50    0x1038
30.00%  30.00%     30  0xc000010000  Go heap, with stacks of goroutines
50% of its loads: 0x1038
`},
		{"main.f", `
(all addresses)  words, 40 loads (40.00%), 2 different ones
 share  within  loads  range
30.00%  30.00%     30  0x1038
50% of its loads: 0x1038
`},
	} {
		o := report.RangesOptions{Hot: .15, Cover: []float64{.5}}
		if x.only != "" {
			o.Func = regexp.MustCompile(x.only)
		}
		table, err := report.Ranges(f, o)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := listing.Text(&out, table); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), x.want) {
			t.Errorf("%q: want%sin\n%s", x.only, x.want, &out)
		}
		for _, r := range table.Sources[0].Rows {
			if r.Least != 0 || r.Most != 100 {
				t.Errorf("%s has bounds %d and %d", r.Text, r.Least, r.Most)
			}
		}
		var picture bytes.Buffer
		if err := table.WriteSVG(&picture); err != nil {
			t.Fatal(err)
		}
		if s := picture.String(); strings.Contains(s, "at most") || strings.Contains(s, "too low") {
			t.Errorf("the picture has bounds:\n%s", s)
		}
	}
	_, err = report.Ranges(f, report.RangesOptions{Func: regexp.MustCompile("main.h")})
	if err == nil || !strings.Contains(err.Error(), "nothing matches") {
		t.Errorf("a function without loads: %v", err)
	}
}
