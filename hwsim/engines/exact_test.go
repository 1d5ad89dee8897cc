package engines

import (
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// The events that messages are about are those that go through all engines of a chain
// that summarise nothing.
func TestExactEvents(t *testing.T) {
	load := func(site, w, addr uint64) []tuple.Tuple {
		return []tuple.Tuple{tuple.New(tuple.Load, site, w), tuple.New(tuple.More, site, addr)}
	}
	in := append(append(load(3, 0, 64), load(4, 1, 65)...), load(5, 0, 256)...)
	for text, want := range map[string][]tuple.Tuple{
		"P4":                            nil,
		"P4:rap":                        nil,
		"where(first=0)":                {in[0], in[1], in[4], in[5]},
		"P9:where(first=0,pass=second)": {in[1], in[5]},
		"cache:where(pass=first):rap":   {in[0], in[4]},
		"R64:where(pass=second):P3:rap(over=words)": {tuple.New(tuple.More, 0, 64), tuple.New(tuple.More, 0, 65),
			tuple.New(tuple.More, 0, 256)},
		"where(0,pass=first):rap(over=sites)": {tuple.New(tuple.Load, tuple.PoolSites, 3),
			tuple.New(tuple.Load, tuple.PoolSites, 5)},
		"morton(site=0..2,first=0..0):rap": {tuple.New(tuple.Load, 0, 0b0011), tuple.New(tuple.Load, 0, 0b1100),
			tuple.New(tuple.Load, 0, 0b1001)},
	} {
		e := parse(t, text).Exact(0)
		if e == nil {
			if want != nil {
				t.Errorf("%s: the events are those of the stream", text)
			}
			continue
		}
		var got []tuple.Tuple
		for _, m := range append(enginetest.Push(e, in), enginetest.Flush(e)...) {
			got = append(got, m.Tuple)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{"cache:where(0):rap": false, "rap(over=words)": false, "code": false,
		"code(to=site):rap": true, "morton(site=0..2,first=0..0):rap": true} {
		if got := parse(t, text).ForTraces(); got != want {
			t.Errorf("%s is for traces alone: %t", text, got)
		}
	}
}
