package profile_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
)

const rangesText = `
profile values
binary /bin/app
period 2 events/count
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value="[0, 255]" words=0x0-0xff low=0 high=255 count=10 messages=1
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value=66 words=0x42-0x42 low=66 high=66 count=900 messages=9
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value="[64, 79]" words=0x40-0x4f low=64 high=79 count=60 messages=2
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value=66 words=0x42-0x42 low=66 high=66 count=30 messages=1
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value="[128, 255]" words=0x80-0xff low=128 high=255 count=5 messages=1
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value="[-9223372036854775808, 9223372036854775807]" words=0x0-0xffffffffffffffff low=-9223372036854775808 high=9223372036854775807 count=1 messages=1
word func=main.f at=x.go:3 site=x.go:4:5 kind=load expr=n type=int value="(other)" count=7 messages=1
word func=main.g at=x.go:9 site=x.go:9:5 kind=load expr=m type=int value="[0, 15]" words=0x0-0xf low=0 high=15 count=4 messages=1
word func=main.g at=x.go:9 site=x.go:9:5 kind=load expr=m type=int value=200 words=0xc8-0xc8 low=200 high=200 count=2 messages=1
`

// The counts of a site add up to its events, and Within counts each event in a range once.
func TestRangesAreNested(t *testing.T) {
	f := parse(t, "app.values.pb.gz", rangesText)
	words, err := f.Words()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]int64{}
	var totals []int64
	for _, s := range profile.SumSites(words) {
		if !s.Ranged() {
			t.Errorf("%v has no range", s.Site)
		}
		totals = append(totals, s.Count)
		for _, w := range s.Words {
			got[s.Site.Expr+"="+w.Value] = [2]int64{w.Count, w.Within}
		}
	}
	want := map[string][2]int64{
		"n=[0, 255]": {10, 1005}, "n=66": {930, 930}, "n=[64, 79]": {60, 990}, "n=[128, 255]": {5, 5}, "n=(other)": {7, 7},
		"n=[-9223372036854775808, 9223372036854775807]": {1, 1006},
		"m=[0, 15]": {4, 4}, "m=200": {2, 2},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("count and within (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]int64{1013, 6}, totals); d != "" {
		t.Errorf("events of sites (-want +got):\n%s", d)
	}
}

func TestRangesThatAreNone(t *testing.T) {
	for _, words := range []string{"0x1000", "0x2-0x1", "x-y", "0x1-0x11111111111111111", "0x1-0x2", "0x0-0x2"} {
		data, err := proftest.Encode(strings.ReplaceAll(rangesText, "words=0x0-0xff ", "words="+words+" "))
		if err != nil {
			t.Fatal(err)
		}
		f, err := profile.Parse("app.values.pb.gz", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = f.Words(); err == nil || !strings.Contains(err.Error(),
			`label words="`+words+`", want a range of a power of two of words, such as 0x1000-0x1fff`) {
			t.Errorf("%s: %v", words, err)
		}
	}
}
