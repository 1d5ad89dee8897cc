package report

import (
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/source"
)

// Values of a sampled profile have the errors of their shares and counts beside these, those of ranges how many are
// within.
func TestColumnsOfValues(t *testing.T) {
	for text, want := range map[string]string{
		"period 1 events/count\nword func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value=7 count=100 messages=100": `
  share  count  value
100.00%    100  7
`,
		"period 16 events/count\nword func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value=7 count=1600 messages=100": `
  share      ±  count    ±  value
100.00%  3.00%   1600  314  7
`, // 1.96·√100 messages of 16 events, and three of 100 messages might have been others
	} {
		f := parse(t, "profile values\nbinary /bin/app\n"+text+"\n")
		values, err := Values(f, source.NewTree(""), ValuesOptions{Events: 10, Share: .5})
		if got := textOf(t, values, err); !strings.Contains(got, want) {
			t.Errorf("no%sin\n%s", want, got)
		}
	}
}
