package clock

import (
	"testing"

	"github.com/pepgo/pep/runtime/tuple"
)

func TestCyclesOfEvents(t *testing.T) {
	c := New(Config{Near: 2, Far: 8})
	base := tuple.SiteBase("p")
	for i, x := range []struct {
		tag   tuple.Tag
		site  uint64
		stall uint64 // before the event
		want  uint64
	}{
		{tuple.Load, base, 0, 8},
		{tuple.Load, base + 1, 0, 10},
		{tuple.Store, base + 9, 0, 12},                 // the kind of event does not matter
		{tuple.Load, base + 18, 0, 20},                 // the 9th tap further on
		{tuple.Load, base + 18, 0, 28},                 // the same tap again
		{tuple.Load, base + 17, 0, 36},                 // back
		{tuple.Load, base + 18, 100, 138},              // near, after a stall
		{tuple.Load, tuple.SiteBase("q") + 19, 0, 146}, // another package
	} {
		c.Stall(x.stall)
		if got := c.Event(tuple.New(x.tag, x.site, 0)); got != x.want {
			t.Errorf("event %d: cycle %d, want %d", i, got, x.want)
		}
	}
	if now, stalled := c.Cycles(); now != 146 || stalled != 100 {
		t.Errorf("%d cycles, %d stalled, want 146 and 100", now, stalled)
	}
}
