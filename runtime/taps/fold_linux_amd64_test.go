package taps

import (
	"testing"
	"unsafe"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/runtime/pepfile"
)

// What a window has of its most frequent word is what a word may have had in a window that missed it:
// 10 of 13 samples that stand for 100 events each are 1000. An engine has the words, so there
// it is what the window has of a tap: 1300.
func TestHeaviestIsOfAWord(t *testing.T) {
	before, numbers := wordTable, bursts
	defer func() { wordTable, bursts = before, numbers }()
	samples := make([]sample, 13)
	for i := range samples {
		samples[i].n = 1
		samples[i].tuples[0] = tuple.New(tuple.Load, 7, uint64(i/10))
	}
	for exact, want := range []float64{1300, 1000} {
		memory := make([]uint64, pepfile.WordsSize/8)
		wordTable, bursts = pepfile.WordsAt(unsafe.Pointer(&memory[0])), pepfile.Burst{}
		wordTable.Exact = uint32(exact)
		w := window{random: 1, found: newFound(len(samples) * tuple.MaxWords)}
		w.addSamples(samples, 100, 0)
		w.addSamples(samples[:5], 100, 0)
		if bursts.Heaviest != want {
			t.Errorf("exact %d: a word has %v events in a window, want %v", exact, bursts.Heaviest, want)
		}
	}
}
