package strat

import "testing"

// The first outputs of the generator's reference implementation for the seed 42
// and the stream 54, as its demo program prints them.
func TestPCGIsTheReferenceGenerator(t *testing.T) {
	g := newPCG(42, 54)
	for i, want := range []uint32{0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e} {
		if got := g.next(); got != want {
			t.Errorf("output %d: got %#x, want %#x", i, got, want)
		}
	}
}
