package report_test

import (
	"bytes"
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
