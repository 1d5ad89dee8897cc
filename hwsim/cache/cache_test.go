package cache_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// loads returns loads of the values 0, 1, 2 … at addresses.
func loads(addrs ...uint64) (list []tuple.Tuple) {
	for i, a := range addrs {
		list = append(list, tuple.New(tuple.Load, 5, uint64(i)), tuple.New(tuple.More, 5, a))
	}
	return list
}

// missed returns the values of the loads that an engine passes on.
func missed(t *testing.T, e hwsim.Engine, in []tuple.Tuple) (list []uint64) {
	t.Helper()
	msgs := append(enginetest.Push(e, in), enginetest.Flush(e)...)
	for i, m := range msgs {
		if m.Tuple.Tag() == tuple.Load {
			list = append(list, m.Tuple.W)
			if m.Count != 1 || i+1 == len(msgs) || msgs[i+1].Tuple.Tag() != tuple.More {
				t.Fatalf("%+v has no address behind it, or a count", m)
			}
		}
	}
	return list
}

// Sequences that were worked out by hand.
func TestRAP26_HandComputedMisses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		addrs      []uint64
		missed     []uint64
	}{
		{"a line is loaded once, and its neighbour is another line", "cache(1K,ways=1,line=64)",
			[]uint64{0, 8, 63, 64, 0, 127}, []uint64{0, 3}},
		{"two lines of the same set push each other out of a direct-mapped cache of 16 lines", "cache(1K,ways=1,line=64)",
			[]uint64{0, 1024, 0, 1024, 64}, []uint64{0, 1, 2, 3, 4}},
		{"with two ways they do not, and a third pushes out the one that was used least recently", "cache(2K,ways=2,line=64)",
			[]uint64{0, 1024, 0, 2048, 0, 1024}, []uint64{0, 1, 3, 5}},
		{"one set of four ways, used in turns by five lines, hits never", "cache(256,ways=4,line=64)",
			[]uint64{0, 64, 128, 192, 256, 0, 64, 128, 192, 256}, []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"address 0 is an address", "cache(64,ways=1,line=64)", []uint64{0, 0}, []uint64{0}},
		{"the second level sees the misses of the first", "cache(64,ways=1,line=64):cache(256,ways=4,line=64)",
			[]uint64{0, 64, 0, 64, 128, 0, 192, 256, 64, 0}, []uint64{0, 1, 4, 6, 7, 8}},
	} {
		if got := missed(t, enginetest.New(t, engines.Parse, c.text), loads(c.addrs...)); !slices.Equal(got, c.missed) {
			t.Errorf("%s: %s misses %d, want %d", c.name, c.text, got, c.missed)
		}
	}
}

// A model is a cache as one would write it down: when each line was used last. It has
// nothing to do with how the engine stores lines.
type model struct {
	sets, ways, line uint64
	used             map[uint64]int // by line
	now              int
}

func (m *model) hit(addr uint64) bool {
	line := addr / m.line
	m.now++
	_, hit := m.used[line]
	if !hit {
		var same []uint64
		for l := range m.used {
			if l%m.sets == line%m.sets {
				same = append(same, l)
			}
		}
		if uint64(len(same)) == m.ways {
			delete(m.used, slices.MinFunc(same, func(a, b uint64) int { return m.used[a] - m.used[b] }))
		}
	}
	m.used[line] = m.now
	return hit
}

func newModel(size, ways, line uint64) *model {
	return &model{sets: size / ways / line, ways: ways, line: line, used: map[uint64]int{}}
}

// Caches of all forms, and two levels of them, miss what the model misses.
func TestRAP26_MissesAreThoseOfALeastRecentlyUsedModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 26))
	var addrs []uint64
	for at := uint64(0); len(addrs) < 20_000; {
		switch r.IntN(4) {
		case 0:
			at = uint64(r.IntN(1 << 14)) // anywhere
		case 1:
			at = uint64(r.IntN(1 << 10)) // somewhere hot
		default:
			at += 8
		}
		addrs = append(addrs, at)
	}
	for _, c := range [][3]uint64{{1024, 1, 64}, {1024, 2, 32}, {4096, 8, 64}, {256, 4, 64}, {3072, 3, 64}, {512, 16, 2}} {
		text := fmt.Sprintf("cache(%d,ways=%d,line=%d)", c[0], c[1], c[2])
		first, second := newModel(c[0], c[1], c[2]), newModel(8*c[0], c[1], c[2])
		var want, both []uint64
		for i, a := range addrs {
			if first.hit(a) {
				continue
			}
			want = append(want, uint64(i))
			if !second.hit(a) {
				both = append(both, uint64(i))
			}
		}
		if len(want) < len(addrs)/100 || len(want) > len(addrs)*99/100 || len(both) >= len(want) {
			t.Fatalf("%s: %d and %d misses of %d: the stream shows little", text, len(want), len(both), len(addrs))
		}
		if d := cmp.Diff(want, missed(t, enginetest.New(t, engines.Parse, text), loads(addrs...))); d != "" {
			t.Errorf("%s: -want +got:\n%s", text, d)
		}
		text += fmt.Sprintf(":cache(%d,ways=%d,line=%d)", 8*c[0], c[1], c[2])
		if d := cmp.Diff(both, missed(t, enginetest.New(t, engines.Parse, text), loads(addrs...))); d != "" {
			t.Errorf("%s: -want +got:\n%s", text, d)
		}
	}
}

// Of loads with counts the first misses. Addr taps have addresses; operations, and loads
// from maps, have none.
func TestWhatAnAccessIs(t *testing.T) {
	e := enginetest.New(t, engines.Parse, "cache").(hwsim.Weighted)
	in := []hwsim.Message{
		{Tuple: tuple.New(tuple.Load, 1, 7), Count: 9}, {Tuple: tuple.New(tuple.More, 1, 64), Count: 9},
		{Tuple: tuple.New(tuple.Addr, 2, 128), Count: 5},
		{Tuple: tuple.New(tuple.Addr, 2, 65), Count: 5},
		{Tuple: tuple.New(tuple.Load, 3, 1<<20), Count: 1},
		{Tuple: tuple.New(tuple.Op, 4, 1), Count: 1}, {Tuple: tuple.New(tuple.More, 4, 1<<30), Count: 1},
		{Tuple: tuple.New(tuple.Store, 4, 1<<31), Count: 1},
	}
	var got []hwsim.Message
	out := hwsim.NewOut(8, func(m []hwsim.Message) { got = append(got, m...) })
	e.PushWeighted(in, out)
	out.Drain()
	want := []hwsim.Message{{Tuple: in[0].Tuple, Count: 1}, {Tuple: in[1].Tuple, Count: 1}, {Tuple: in[2].Tuple, Count: 1}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if b := e.Balance(); b != (hwsim.Balance{Held: 1, Dropped: 16 + 4 + 5 + 1 + 2}) {
		t.Errorf("%+v", b)
	}
	e.Flush(out)
	if got := missed(t, e, loads(64)); len(got) != 1 {
		t.Error("Flush leaves lines in the cache")
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]struct {
		column int
		want   string
	}{
		"cache(33K)":                     {7, "a size that is ways and line times a power of two, such as 32768"},
		"cache(3K)":                      {7, "a size that is ways and line times a power of two, such as 2048"},
		"cache(size=100)":                {12, "a size that is ways and line times a power of two, such as 512"},
		"cache(0)":                       {7, "a number of bytes from 1 to 256M, such as 32K or 1M"},
		"cache(257M)":                    {7, "a number of bytes from 1 to 256M, such as 32K or 1M"},
		"cache(1G)":                      {7, "a number of bytes from 1 to 256M, such as 32K or 1M"},
		"cache(32K,ways=0)":              {16, "a number from 1 to 64"},
		"cache(32K,ways=8,line=48)":      {23, "a power of two from 2 to 4096"},
		"cache(32K,8,1)":                 {13, "a number from 2 to 4096"},
		"cache(32K,8,64,pass=misses)":    {16, "one of size, ways, line"},
		"cache(48K,ways=12):cache(256M)": {},
	} {
		_, err := engines.Parse(text, nil)
		e, _ := errors.AsType[*hwsim.SyntaxError](err)
		if want.column == 0 && err != nil || want.column > 0 && (e == nil || e.Column != want.column || e.Want != want.want) {
			t.Errorf("%s: %v, want column %d: %s", text, err, want.column, want.want)
		}
	}
}

func TestDescriptionsRoundTrip(t *testing.T) {
	for _, text := range []string{"cache", "cache(size=8K)", "cache(ways=2)", "cache(line=32)",
		"cache(size=1M,ways=16,line=128)"} {
		if s, err := engines.Parse(text, nil); err != nil || s.String() != text {
			t.Errorf("%s is described as %v (%v)", text, s, err)
		}
	}
}
