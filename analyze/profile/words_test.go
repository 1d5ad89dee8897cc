package profile_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
)

// wordsOf returns the sites of a values file with the lines.
func wordsOf(t *testing.T, text string) (sites []profile.Seen, f *profile.File) {
	t.Helper()
	data, err := proftest.Encode("profile values\n" + text)
	if err != nil {
		t.Fatal(err)
	}
	if f, err = profile.Parse("x", bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	words, err := f.Words()
	if err != nil {
		t.Fatal(err)
	}
	return profile.SumSites(words), f
}

// A table that adds up samples before it sends them does not make the estimate worse:
// 900 and 100 samples are the same in 1000 messages and in 60.
func TestMessagesOfATableAreNotSamples(t *testing.T) {
	for _, messages := range [][2]int{{900, 100}, {50, 10}} {
		sites, f := wordsOf(t, fmt.Sprintf(`period 256 events/count
word func=m.f at=x.go:5 site=x.go:5:1 kind=load expr=n type=int value=1 count=%d messages=%d
word func=m.f at=x.go:5 site=x.go:5:1 kind=load expr=n type=int value=2 count=%d messages=%d
`, 900*256, messages[0], 100*256, messages[1]))
		s, w := sites[0], sites[0].Words[0]
		if got, want := w.CountError(f.Period.Value), 1.96*256*math.Sqrt(900); math.Abs(got-want) > 1 {
			t.Errorf("%v messages: count ± %.1f, want %.1f", messages, got, want)
		}
		if got, want := s.ShareError(w, f.Period.Value), 1.96*math.Sqrt(.9*.1/1000); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v messages: share ± %.6f, want %.6f", messages, got, want)
		}
	}
}

// Bounds in the profile go before bounds by messages. Those of two runs add up as
// those of independent estimates do.
func TestBoundsOfTheProfile(t *testing.T) {
	const one = "word func=m.f at=x.go:5 site=x.go:5:1 kind=load expr=n type=int value=1 count=1000 messages=10 count_error=300 share_error=40000\n"
	const other = "word func=m.f at=x.go:5 site=x.go:5:1 kind=load expr=n type=int value=1 count=3000 messages=10 count_error=400 share_error=30000\n"
	sites, f := wordsOf(t, "period 100 events/count\n"+one+other)
	w := sites[0].Words[0]
	if got := w.CountError(f.Period.Value); math.Abs(got-500) > 1e-6 {
		t.Errorf("count ± %v, want 500", got)
	}
	want := math.Hypot(.04*1000/4000, .03*3000/4000)
	if got := sites[0].ShareError(w, f.Period.Value); math.Abs(got-want) > 1e-9 {
		t.Errorf("share ± %v, want %v", got, want)
	}
}

// A share has bounds on two sides, which add up over runs as those of independent estimates do. What a
// listing prints is the larger side.
func TestBoundsOfAShareHaveTwoSides(t *testing.T) {
	const word = "word func=m.f at=x.go:5 site=x.go:5:1 kind=load expr=n type=int value=%d count=%d messages=10 count_error=300 share_error=%d share_below=%d\n"
	one := fmt.Sprintf(word, 1, 1000, 40_000, 10_000) + fmt.Sprintf(word, 2, 3000, 10_000, 40_000)
	sites, f := wordsOf(t, "period 100 events/count\n"+one+one)
	above, below := .04/math.Sqrt2, .01/math.Sqrt2
	for _, w := range sites[0].Words {
		want := profile.Bounds{Low: .25 - below, High: .25 + above}
		if w.Value == "2" {
			want = profile.Bounds{Low: .75 - above, High: .75 + below}
		}
		if got := sites[0].ShareBounds(w, f.Period.Value); math.Abs(got.Low-want.Low) > 1e-9 ||
			math.Abs(got.High-want.High) > 1e-9 {
			t.Errorf("value %s: share within %v, want %v", w.Value, got, want)
		}
		if got := sites[0].ShareError(w, f.Period.Value); math.Abs(got-above) > 1e-9 {
			t.Errorf("value %s: ± %v, want %v", w.Value, got, above)
		}
	}
}
