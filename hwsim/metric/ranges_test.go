package metric_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/metric"
)

// The numbers of section 4.1: [0, e] has 13.6 %, [0, fe] without it 16.7 %, with it 30.3 %.
func TestRAP13_HotRangesOfMessages(t *testing.T) {
	at := func(lo uint64, free uint8, count uint64) hwsim.Message {
		return hwsim.Message{Tuple: tuple.New(tuple.Load, 0, lo), Free: free, Count: count}
	}
	// In any order, and a range in two messages.
	got := metric.Hot([]hwsim.Message{at(0, 4, 100), at(0x80, 7, 90), at(0, 8, 77), at(0, 4, 36), at(1<<40, 0, 97),
		at(0, 64, 600)}, 0.1)
	want := "[{[0, 2^64) 697 1000} {[0, 2^8) 167 303} {[0, 2^4) 136 136}]"
	var text []string
	for _, r := range got {
		text = append(text, fmt.Sprintf("{[%d, 2^%d) %d %d}", r.Tuple.W, r.Free, r.Weight, r.Inclusive))
	}
	if fmt.Sprint(text) != want {
		t.Errorf("got %v, want %s", text, want)
	}
}

// Weights and inclusive counts are what the definition says, word for word: the smallest hot
// range around each message has its events, and each range around has them inclusively.
func TestRangesByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	for range 50 {
		var msgs []hwsim.Message
		total := uint64(0)
		for range 1 + r.IntN(60) {
			free := uint8(r.IntN(9))
			w := uint64(r.IntN(256)) >> free << free
			m := hwsim.Message{Tuple: tuple.New(tuple.Load, uint64(r.IntN(2)), w), Free: free, Count: 1 + uint64(r.IntN(20))}
			msgs, total = append(msgs, m), total+m.Count
		}
		given := slices.Clone(msgs)
		list := metric.Ranges(msgs, 0.1)
		if !slices.Equal(msgs, given) {
			t.Fatal("the messages of the caller are in another order")
		}
		around := func(x *metric.Range, m hwsim.Message) bool {
			return x.Tuple.PC == m.Tuple.PC && x.Free >= m.Free && x.Tuple.W>>x.Free == m.Tuple.W>>x.Free
		}
		for i := range list {
			x := &list[i]
			weight, inclusive := uint64(0), uint64(0)
			for _, m := range msgs {
				if !around(x, m) {
					continue
				}
				inclusive += m.Count
				hidden := false
				for k := range list {
					y := &list[k]
					hidden = hidden || y.Hot && y.Free < x.Free && around(y, m)
				}
				if !hidden {
					weight += m.Count
				}
			}
			if x.Weight != weight || x.Inclusive != inclusive || x.Hot != (float64(weight) >= 0.1*float64(total)) {
				t.Fatalf("%+v, want weight %d and inclusive %d of %d", *x, weight, inclusive, total)
			}
		}
	}
}
