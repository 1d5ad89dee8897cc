package taps

// This file tests samples of several words on their way from the chunk to the engine.

import (
	"sync"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
)

func (g *tapper) tap2(pc, w, more uint64) { Store2(&g.next, g.space(2), pc, w, more) }

func (g *tapper) tap3(pc, w, more, third uint64) { Store3(&g.next, g.space(3), pc, w, more, third) }

// The words of a sample stay together, wherever chunks and buffers end, and no word is
// lost. Several goroutines tap samples of one, two and three words in turns, so that the
// samples never fit evenly into chunks.
func TestSamplesAreNotTornApart(t *testing.T) {
	const goroutines, each = 8, 30_000
	pair, triple, single := tuple.New(tuple.Load, 7, 0).PC, tuple.New(tuple.Op, 8, 0).PC, tuple.New(tuple.Arg, 9, 0).PC
	all := engines.All
	t.Cleanup(func() { engines.All = all })
	for _, opts := range []string{"deliver=interrupt", "deliver=service"} {
		seen := &recorder{}
		engines.All = append(all[:len(all):len(all)], seen.kind())
		finish := startTapping(t, opts+",engine=recorder()")
		var wg sync.WaitGroup
		for g := range uint64(goroutines) {
			wg.Go(func() {
				var this tapper
				for i := range uint64(each) {
					w := g<<32 | i
					switch (i*i/3 + g) % 3 {
					case 0:
						this.tap(single, w)
					case 1:
						this.tap2(pair, w, w+1)
					case 2:
						this.tap3(triple, w, w+1, w+2)
					}
				}
			})
		}
		wg.Wait()
		if c := finish(); c.Dropped > 0 {
			t.Fatalf("%d dropped", c.Dropped)
		}
		samples := 0
		for stream, tuples := range seen.streams {
			samples += checkSamples(t, stream, tuples)
		}
		if samples != goroutines*each {
			t.Errorf("%s: %d samples, want %d", opts, samples, goroutines*each)
		}
	}
}

// checkSamples checks that the samples of a stream are whole, and returns how many
// there are.
func checkSamples(t *testing.T, stream int, tuples []tuple.Tuple) (samples int) {
	t.Helper()
	var first tuple.Tuple
	missing := 0 // words of the sample
	for _, x := range tuples {
		n := x.Tag().Further()
		if n == 0 {
			if missing > 0 {
				t.Fatalf("stream %d: %v comes before the rest of %v", stream, x, first)
			}
			samples++
			missing = map[tuple.Tag]int{tuple.Load: 1, tuple.Op: 2}[x.Tag()]
			first = x
			continue
		}
		if missing--; missing < 0 || x.Site() != first.Site() || x.W != first.W+uint64(n) {
			t.Fatalf("stream %d: %v behind %v", stream, x, first)
		}
	}
	if missing > 0 {
		t.Errorf("stream %d ends within %v", stream, first)
	}
	return samples
}

// A recorder is a kind of engines. They keep all tuples that they get, by stream.
type recorder struct{ streams [1024][]tuple.Tuple }

func (r *recorder) kind() *hwsim.Kind {
	return &hwsim.Kind{Name: "recorder", Params: []string{}, Parse: func(*hwsim.Args) hwsim.Spec { return r }}
}

func (r *recorder) String() string             { return "recorder()" }
func (r *recorder) WithSeed(uint64) hwsim.Spec { return r }
func (r *recorder) New(i hwsim.Instance) hwsim.Engine {
	return &recording{tuples: &r.streams[uint32(i)]}
}

type recording struct{ tuples *[]tuple.Tuple }

func (r *recording) Push(in []tuple.Tuple, _ *hwsim.Out) { *r.tuples = append(*r.tuples, in...) }
func (r *recording) Flush(*hwsim.Out)                    {}
func (r *recording) Balance() (b hwsim.Balance)          { return b }

// A goroutine without a chunk drops samples as a whole, and counts all their words.
func TestSamplesWithoutChunks(t *testing.T) {
	finish := startTapping(t, "engine=exact")
	nchunks = 1 << 15
	var this tapper
	for i := range uint64(100) {
		this.tap(1<<56, i)
		this.tap2(1<<56, i, i)
		this.tap3(1<<56, i, i, i)
	}
	nchunks = 0
	if c := finish(); c.Fed != 0 || c.Dropped != 600 {
		t.Errorf("%d events and %d dropped, want 0 and 600", c.Fed, c.Dropped)
	}
}
