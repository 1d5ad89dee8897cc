package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/source"
)

// The events and the shares of a tap that bursts see in part are not listed as if they were all.
func TestTapsThatSeeInPart(t *testing.T) {
	f := parse(t, `
profile values
binary /bin/app
period 1 events/count
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value=7 count=100 messages=100
word func=main.g at=x.go:9 site=x.go:9:5 kind=load expr=n type=int value=7 seen="in part" count=100 messages=100
`)
	values, err := Values(f, source.NewTree(""), ValuesOptions{Events: 10, Share: .5})
	text := textOf(t, values, err)
	dump, err := Dump(f)
	text += textOf(t, dump, err)
	for line, want := range map[string]bool{
		`main.f .* 100 events, 1 value`: true, `main.g .* 100 events, seen in part, 1 value`: true, `n == 7 +main.f`: true,
		`n == 7 \(seen in part\) +main.g`: true, `word func=main.g .* seen="in part"`: true, `main.f .*in part`: false,
	} {
		if regexp.MustCompile(line).MatchString(text) != want {
			t.Errorf("%q: got %t, want %t in\n%s", line, !want, want, text)
		}
	}
}

// Values of a sampled profile have the errors of their shares and counts beside these, those of ranges how many are within.
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
