package huffman

import (
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/format/bitcode"
)

// A code is canonical: the words of a length follow each other, and the first word of all is 0. So readers need the
// lengths alone. No word begins another one, and no code with as many bits for each symbol would be as short.
func TestCodesAreCanonical(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		count := map[int]int{}
		for i := range 1 + r.IntN(60) {
			count[i+1] = 1 + r.IntN(1<<r.IntN(20))
		}
		c := New(count)
		used, bits, kraft := 0, 0, 0.
		next, at := uint64(0), 0 // the next word, and its length
		i := 0
		for n, words := range c.lengths {
			next <<= 1
			at = n + 1
			for range words {
				k := c.symbols[i]
				if w := c.bits[k]; uint64(w.bits) != next || w.length != at || next>>at != 0 {
					t.Fatalf("seed %d: symbol %d has the word %+v, want %b of %d bits", seed, k, w, next, at)
				}
				next++
				kraft += 1 / float64(uint64(1)<<at)
				times := count[k]
				if k == 0 { // it stands for all that occur once
					for _, n := range count {
						if n == 1 {
							times++
						}
					}
				}
				used += times
				bits += times * at
				i++
			}
		}
		if i != len(c.symbols) || len(c.bits) != i || at > bitcode.MaxCode || i > 1 && kraft != 1 {
			t.Errorf("seed %d: %d words of %d symbols, up to %d bits, whose shares of all words add up to %g", seed, i,
				len(c.symbols), at, kraft)
		}
		plain := 1
		for 1<<plain < i {
			plain++
		}
		if bits > used*plain {
			t.Errorf("seed %d: %d bits for %d uses of %d symbols", seed, bits, used, i)
		}
	}
}
