package report

import (
	"regexp"
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
