package hotlist_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/hotlist"
)

// zipf returns a stream of n values 0 to values-1, where value i has the weight 1/(i+1)^s.
func zipf(random *rand.Rand, n, values int, s float64) []uint64 {
	sums := make([]float64, values)
	sum := 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -s)
		sums[i] = sum
	}
	stream := make([]uint64, n)
	for i := range stream {
		v, _ := slices.BinarySearch(sums, random.Float64()*sum)
		stream[i] = uint64(v)
	}
	return stream
}

// occurrences counts the values of a stream.
func occurrences(stream []uint64) map[uint64]uint64 {
	count := map[uint64]uint64{}
	for _, v := range stream {
		count[v]++
	}
	return count
}

func listOf(seed uint64, stream []uint64) *hotlist.List[uint64] {
	l := hotlist.New[uint64](seed)
	for _, v := range stream {
		l.Add(v)
	}
	return l
}

// A paper is the algorithm of section 2.2, coin by coin, with a map. It takes random
// words in the same order as a List: one for each value that is added while p < 1, and four
// for 64 coins.
type paper struct {
	slots   int
	words   uint64 // state of SplitMix64
	raises  int
	numbers map[uint64]int
	order   []uint64 // values in the order in which they came
}

func (p *paper) word() uint64 {
	p.words += 0x9e3779b97f4a7c15
	z := p.words
	z ^= z >> 30
	z *= 0xbf58476d1ce4e5b9
	z ^= z >> 27
	z *= 0x94d049bb133111eb
	return z ^ z>>31
}

func (p *paper) add(v uint64) {
	if p.raises > 0 && float64(p.word())/(1<<64) >= math.Pow(15.0/16, float64(p.raises)) {
		return
	}
	if p.numbers[v] == 0 {
		p.order = append(p.order, v)
	}
	p.numbers[v]++
	for len(p.numbers) > p.slots {
		p.raises++
		var coins [4]uint64
		tossed := 64
		for _, v := range p.order {
			heads := 0
			for range p.numbers[v] {
				if tossed == 64 {
					coins, tossed = [4]uint64{p.word(), p.word(), p.word(), p.word()}, 0
				}
				tails := true
				for _, c := range coins {
					tails = tails && c>>tossed&1 == 1
				}
				tossed++
				if !tails {
					heads++
				}
			}
			p.numbers[v] = heads
		}
		for v, n := range p.numbers {
			if n == 0 {
				delete(p.numbers, v)
			}
		}
		p.order = slices.DeleteFunc(p.order, func(v uint64) bool { return p.numbers[v] == 0 })
	}
}

// VSAMP-03: after each value, the list is what the paper's algorithm has with the same coins. Every third list has 16
// slots, others have 5 or 40.
func TestUpdateIsThePapers(t *testing.T) {
	for seed := range uint64(20) {
		random, slots := rand.New(rand.NewPCG(seed, 1)), []int{16, 5, 40}[seed%3]
		l, p := hotlist.NewOf[uint64](slots, seed), paper{slots: slots, words: seed, numbers: map[uint64]int{}}
		for i, v := range zipf(random, 3000, 10+int(seed)*20, 1) {
			l.Add(v)
			p.add(v)
			if l.Len() > slots || l.Len() != len(p.numbers) || l.Level() != p.raises || l.Total() != uint64(i+1) {
				t.Fatalf("seed %d, value %d: %d values, level %d, total %d, want at most %d, %d, %d, %d", seed, i, l.Len(),
					l.Level(), l.Total(), slots, len(p.numbers), p.raises, i+1)
			}
			for _, e := range l.Top() {
				if uint64(p.numbers[e.Value]) != e.Count {
					t.Fatalf("seed %d, value %d: count of %d is %d, want %d", seed, i, e.Value, e.Count, p.numbers[e.Value])
				}
			}
		}
		if want := 0; seed > 2 && l.Level() == want {
			t.Errorf("seed %d: the rate was never lowered", seed)
		}
	}
}

// VSAMP-05.
func TestSixteenValuesAreExact(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 2))
		stream := zipf(random, 1+random.IntN(2000), 1+random.IntN(16), 2*random.Float64())
		l, want := listOf(seed, stream), occurrences(stream)
		if l.Rate() != 1 || l.Len() != len(want) {
			t.Fatalf("seed %d: rate %v, %d values, want 1, %d", seed, l.Rate(), l.Len(), len(want))
		}
		for _, e := range l.Top() {
			least, most := l.Bounds(e.Count, 0.95)
			if n := want[e.Value]; e.Count != n || l.Estimate(e.Count) != float64(n) || least != n || most != n {
				t.Fatalf("seed %d: value %d has the count %d, estimate %v, bounds %d-%d, want %d", seed, e.Value, e.Count,
					l.Estimate(e.Count), least, most, n)
			}
		}
	}
}

// VSAMP-08: a structure and its entries. The allocator hands out 64 and 288 for a list with space for 16 words.
func TestMemoryIsConstant(t *testing.T) {
	lists := make([]*hotlist.List[uint64], 1000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range lists {
		lists[i] = hotlist.New[uint64](1)
	}
	runtime.ReadMemStats(&after)
	got := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(lists))
	t.Logf("%.0f bytes for a list of words", got)
	if got > 352.5 { // other goroutines may allocate something
		t.Errorf("a list of words has %.1f bytes, want at most 352", got)
	}
	l := hotlist.New[uint64](1)
	random := rand.New(rand.NewPCG(1, 3))
	if n := testing.AllocsPerRun(10, func() {
		for range 1000 {
			l.Add(random.Uint64N(500))
		}
	}); n != 0 {
		t.Errorf("1000 values allocate %v times, want never", n)
	}
}

func TestSameSeedSameList(t *testing.T) {
	stream := zipf(rand.New(rand.NewPCG(4, 4)), 5000, 300, 1)
	a, b, c := listOf(7, stream), listOf(7, stream), listOf(8, stream)
	if fmt.Sprint(a.Top(), a.Level()) != fmt.Sprint(b.Top(), b.Level()) {
		t.Error("two lists with one seed differ")
	}
	if fmt.Sprint(a.Top()) == fmt.Sprint(c.Top()) {
		t.Error("lists with different seeds are the same")
	}
}

func TestRestore(t *testing.T) {
	type entry = hotlist.Entry[uint64]
	many := make([]entry, 17)
	for i := range many {
		many[i] = entry{uint64(i), 1}
	}
	for _, c := range []struct {
		name    string
		level   int
		total   uint64
		entries []entry
		want    string // "" if the list is possible
	}{
		{"an empty list", 0, 0, nil, ""},
		{"exact counts", 0, 7, []entry{{1, 5}, {2, 2}}, ""},
		{"a sample", 3, 100, []entry{{1, 50}, {2, 2}}, ""},
		{"a sample of nothing", 3, 100, nil, ""},
		{"exact counts that miss values", 0, 8, []entry{{1, 5}, {2, 2}}, "add up to 7"},
		{"counts above the total", 3, 6, []entry{{1, 5}, {2, 2}}, "add up to 7"},
		{"counts that overflow", 3, 10, []entry{{1, 1 << 63}, {2, 1 << 63}}, "want 1 to the total"},
		{"a count of zero", 3, 10, []entry{{1, 0}}, "want 1 to the total"},
		{"a value twice", 3, 10, []entry{{1, 1}, {1, 2}}, "occurs twice"},
		{"too many values", 3, 100, many, "17 values"},
		{"a negative level", -1, 10, nil, "level -1"},
		{"a level that no stream reaches", 501, 10, nil, "level 501"},
		{"a huge total", 3, 1<<32 + 1, nil, "a total of"},
	} {
		l, err := hotlist.Restore(1, c.level, c.total, c.entries)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if l.Level() != c.level || l.Total() != c.total || !slices.Equal(l.Top(), c.entries) {
			t.Errorf("%s: got level %d, total %d, %v", c.name, l.Level(), l.Total(), l.Top())
		}
	}
}

// A restored list goes on as the first one with the same random words would.
func TestRestoredListsSampleAtTheirRate(t *testing.T) {
	for _, level := range []int{1, 2, 10, 60, 200} {
		l, err := hotlist.Restore[uint64](1, level, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		const n = 1 << 20
		for range n {
			l.Add(7)
		}
		p := math.Pow(15.0/16, float64(level))
		if math.Abs(l.Rate()/p-1) > 1e-12 {
			t.Errorf("level %d: rate %v, want %v", level, l.Rate(), p)
		}
		count := 0.0
		if l.Len() > 0 {
			count = float64(l.Top()[0].Count)
		}
		// A normal number is beyond 4.5 standard deviations with a probability of 7e-6.
		if d := (count - n*p) / math.Sqrt(n*p*(1-p)); math.Abs(d) > 4.5 {
			t.Errorf("level %d: %v of %d occurrences sampled, %.1f standard deviations from %v", level, count, n, d, n*p)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	for _, bench := range []struct {
		name   string
		values int
		s      float64
	}{{"1value", 1, 0}, {"16values", 16, 0}, {"zipf1", 1000, 1}, {"zipf1.5", 1000, 1.5}, {"distinct", 1 << 20, 0}} {
		stream := zipf(rand.New(rand.NewPCG(1, 5)), 1<<16, bench.values, bench.s)
		b.Run(bench.name, func(b *testing.B) {
			l := hotlist.New[uint64](1)
			for i := range b.N {
				l.Add(stream[i&(len(stream)-1)])
			}
			b.ReportMetric(l.Rate(), "rate")
		})
	}
}

func BenchmarkMerge(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 6))
	a, c := listOf(1, zipf(random, 1<<17, 1000, 1)), listOf(2, zipf(random, 1<<17, 1000, 1))
	for b.Loop() {
		x := hotlist.New[uint64](3)
		x.Merge(a)
		x.Merge(c)
	}
}
