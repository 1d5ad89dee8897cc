package strat

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

// slowFold computes xorfold bit by bit.
func slowFold(x uint64, k int) (f uint64) {
	for i := range 64 {
		if k > 0 && x>>i&1 == 1 {
			f ^= 1 << (i % k)
		}
	}
	return f
}

// slowIndex computes the paper's hash byte by byte. The number of indices is a power
// of two.
func slowIndex(table [256]byte, t tuple.Tuple, k int) uint64 {
	var npc, nw uint64
	for i := range 8 {
		npc |= uint64(table[t.PC>>(8*i)&0xff]) << (8 * (7 - i))
		nw |= uint64(table[t.W>>(8*i)&0xff]) << (8 * i)
	}
	return slowFold(npc^nw, k)
}

// The test vectors were computed by hand.
func TestSTRAT07_HandWorkedVectors(t *testing.T) {
	if got, want := flip(0x0102030405060708), uint64(0x0807060504030201); got != want {
		t.Errorf("flip: got %#x, want %#x", got, want)
	}
	for _, x := range []struct {
		x    uint64
		k    int
		want uint64
	}{
		{0, 11, 0},
		{0x7ff, 11, 0x7ff},
		{0x800, 11, 1},           // bit 11 is bit 0 of the second chunk
		{0x801, 11, 0},           // bit 11 cancels bit 0 of the first chunk
		{0x1234, 8, 0x12 ^ 0x34}, // 0x26
		{0x123456789abcdef0, 16, 0x1234 ^ 0x5678 ^ 0x9abc ^ 0xdef0}, // 0
		{1 << 63, 11, 1 << 8},      // 63 = 5*11 + 8: the last chunk has 9 bits
		{1 << 63, 7, 1},            // 63 = 9*7: the last chunk has 1 bit
		{0xf0f0f0f0f0f0f0f0, 2, 0}, // each bit 16 times
		{0x8000000000000001, 64, 0x8000000000000001},
		{0xdeadbeef, 0, 0},
	} {
		if got := xorfold(x.x, x.k); got != x.want {
			t.Errorf("xorfold(%#x, %d) = %#x, want %#x", x.x, x.k, got, x.want)
		}
	}

	// If T is the identity, the index is xorfold(flip(pc) ^ w).
	var identity [256]byte
	for i := range identity {
		identity[i] = byte(i)
	}
	h := hasher{n: 2048, k: 11, direct: true, tables: newTables(identity, 11)}
	for _, x := range []struct {
		t    tuple.Tuple
		want uint32
	}{
		{tuple.Tuple{}, 0},
		{tuple.Tuple{W: 0x7ff}, 0x7ff},
		{tuple.Tuple{W: 0x801}, 0},
		{tuple.Tuple{PC: 0x0300000000000000}, 3}, // the profile tag is the highest byte, and flip makes it the lowest
		{tuple.Tuple{PC: 0x80}, 1 << 8},          // bit 63 after flip
		{tuple.Tuple{PC: 0x0300000000000000, W: 3}, 0},
	} {
		if got := h.index(x.t); got != x.want {
			t.Errorf("index(%#x) = %#x, want %#x", x.t, got, x.want)
		}
	}
	// The tag is xorfold(pc ^ w), without T and without flip.
	if got := tagOf(tuple.Tuple{PC: 0b1011, W: 0b0110}, 2); got != 0b11^0b01 {
		t.Errorf("tag of 1011 and 0110 in 2 bits: got %b, want %b", got, 0b11^0b01)
	}
}

func TestSTRAT07_FastHashIsThePapers(t *testing.T) {
	g := newPCG(3, 3)
	for k := range 23 {
		h := newHasher(Table, 1<<k, 9, 0)
		r := newPCG(9, hashStream)
		table := randomBytes(&r)
		for range 2000 {
			x := tuple.Tuple{PC: g.next64(), W: g.next64() >> g.below(64)}
			if got, want := uint64(h.index(x)), slowIndex(table, x, k); got != want {
				t.Fatalf("index of %#x for %d indices: got %d, want %d", x, 1<<k, got, want)
			}
			if got, want := xorfold(x.W, k), slowFold(x.W, k); got != want {
				t.Fatalf("xorfold(%#x, %d) = %#x, want %#x", x.W, k, got, want)
			}
		}
	}
}

// The memos must not change any result. The test pushes streams of all kinds one after
// the other, so that blocks with and without the memo of tops alternate. The counters
// and the messages must be those that the definition of the hash gives.
func TestSTRAT07_RememberedHashIsThePapers(t *testing.T) {
	g := newPCG(4, 4)
	site := tuple.SiteBase("main")
	kinds := map[string]func(i uint64) tuple.Tuple{
		"zeros":        func(uint64) tuple.Tuple { return tuple.Tuple{} },
		"few tuples":   func(i uint64) tuple.Tuple { return tuple.New(tuple.Load, site+i%3, i%5) },
		"random words": func(i uint64) tuple.Tuple { return tuple.New(tuple.Load, site+i%7, g.next64()) },
		"some random": func(i uint64) tuple.Tuple {
			return tuple.New(tuple.Load, site+i%7, g.next64()>>(60*min(1, g.below(5))))
		},
		"addresses": func(i uint64) tuple.Tuple {
			return tuple.New(tuple.Addr, site+i%2000, 0xc000000000+uint64(g.below(1<<30)))
		},
		"sites of one slot": func(i uint64) tuple.Tuple { return tuple.New(tuple.Load, site+i%3<<pcBits, i%100) },
		"anything":          func(uint64) tuple.Tuple { return tuple.Tuple{PC: g.next64(), W: g.next64()} },
	}
	for _, k := range []int{0, 1, 8, 11, 12, 22} {
		r := newPCG(9, hashStream)
		table := randomBytes(&r)
		fast := newStratified(newHasher(Table, 1<<k, 9, 0), 3, phase{})
		slow := make([]uint32, 1<<k)
		for range 3 {
			for name, kind := range kinds {
				in := make([]tuple.Tuple, 5000)
				var want []hwsim.Message
				for i := range in {
					in[i] = kind(uint64(i))
					n := &slow[slowIndex(table, in[i], k)]
					if *n++; *n == 3 {
						*n = 0
						want = append(want, hwsim.Message{Tuple: in[i], Count: 3})
					}
				}
				var got []hwsim.Message
				for len(in) > 0 {
					n := min(len(in), 1+int(g.below(600)))
					got = fast.tuples(in[:n], got)
					in = in[n:]
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s, %d strata: %d messages, want %d, or others", name, 1<<k, len(got), len(want))
				}
				if !slices.Equal(fast.counts, slow) {
					t.Fatalf("%s, %d strata: counters differ from those of the definition", name, 1<<k)
				}
			}
		}
	}
}

// Every bit of the input must change every bit of the index for half of all random
// tables. (For one table that would be too much to ask, because the hash is linear in the
// bytes that the table yields.) The test computes chi-square over all pairs of bits,
// against flips of a coin.
func TestSTRAT07_Avalanche(t *testing.T) {
	const k, tables = 8, 256
	g := newPCG(11, 0)
	for _, kind := range []Hash{Table, Mul} {
		var flips [128][k]float64
		for seed := range uint64(tables) {
			h := newHasher(kind, 1<<k, seed, 0)
			x := tuple.Tuple{PC: g.next64(), W: g.next64()}
			before := h.index(x)
			for i := range 128 {
				y := x
				if i < 64 {
					y.PC ^= 1 << i
				} else {
					y.W ^= 1 << (i - 64)
				}
				for j := range k {
					flips[i][j] += float64((before ^ h.index(y)) >> j & 1)
				}
			}
		}
		// Multiplication carries only upwards, so the highest bits of a word do not
		// affect the lower bits of the index.
		inputs, cells, chi := 128, 0, 0.0
		for i := range inputs {
			if kind == Mul && i%64 >= 56 {
				continue
			}
			for j := range k {
				d := flips[i][j] - tables/2
				chi += d * d / (tables / 4)
				cells++
			}
		}
		// Chi-square with many degrees of freedom is normal with the variance 2n.
		// The bound is 6 deviations, because the bits of one sample are not
		// independent of each other.
		n := float64(cells)
		if math.Abs(chi-n) > 6*math.Sqrt(2*n) {
			t.Errorf("%s: chi-square %.0f for %.0f pairs of bits, want within %.0f", hashNames[kind], chi, n, 6*math.Sqrt(2*n))
		}
	}
}

// A program's tuples must spread over the strata. With 8 tuples for each stratum on
// average, the fullest stratum has at most 32, and at most an eighth of the strata are
// empty. The paper's hash does not achieve this for tuples that differ only in their lowest
// bytes, and folding alone does not achieve it at all; for these the test only logs the
// numbers.
func TestStrataAreEvenlyLoaded(t *testing.T) {
	words := map[string]func(i uint64) uint64{
		"counters":   func(i uint64) uint64 { return i },
		"pointers":   func(i uint64) uint64 { return 0xc000000000 + 48*i },
		"pages":      func(i uint64) uint64 { return i << 12 },
		"upper bits": func(i uint64) uint64 { return i << 40 },
	}
	for _, n := range []int{2048, 2000, 1023, 64} {
		for _, kind := range []Hash{Table, Mul, XOR} {
			for name, word := range words {
				fullest, empty := load(n, kind, word)
				t.Logf("%4d strata by %-5s, %-10s: fullest %2d, empty %4d", n, hashNames[kind], name, fullest, empty)
				weak := kind == XOR || kind == Table && n == 2048 && name == "counters"
				if !weak && (fullest > 32 || empty > n/8) {
					t.Errorf("want at most 32 in the fullest and %d empty", n/8)
				}
			}
		}
	}
}

// load sends 8n tuples of 64 places to n strata.
func load(n int, kind Hash, word func(i uint64) uint64) (fullest, empty int) {
	h := newHasher(kind, n, defaultSeed, 0)
	load := make([]int, n)
	for site := range uint64(64) {
		for i := range uint64(8*n) / 64 {
			load[h.index(tuple.New(tuple.Load, tuple.SiteBase("main")+site, word(i)))]++
		}
	}
	for _, l := range load {
		fullest = max(fullest, l)
		if l == 0 {
			empty++
		}
	}
	return fullest, empty
}

func TestSTRAT05_EqualTuplesShareAStratum(t *testing.T) {
	g := newPCG(5, 5)
	for _, n := range []int{1, 2, 3, 7, 64, 100, 1000, 2047, 2048, 2049, 65536} {
		for _, kind := range []Hash{Table, Mul, XOR} {
			h := newHasher(kind, n, 3, 0)
			seen := map[tuple.Tuple]uint32{}
			var in []tuple.Tuple
			for range 3000 {
				x := tuple.New(tuple.Tag(g.below(9)), uint64(g.below(50)), uint64(g.below(50)))
				in = append(in, x)
				i := h.index(x)
				if before, ok := seen[x]; ok && before != i {
					t.Fatalf("%v went to stratum %d of %d, and then to %d", x, before, n, i)
				}
				if seen[x] = i; int(i) >= n {
					t.Fatalf("%v went to stratum %d of %d", x, i, n)
				}
			}
			index := make([]uint32, len(in))
			h.indices(in, index)
			for j, x := range in {
				if index[j] != seen[x] {
					t.Fatalf("%v went to stratum %d of %d in a batch, %d alone", x, index[j], n, seen[x])
				}
			}
		}
	}
}

// The hash must depend on the profile tag, because profiles of several kinds have the
// same sites.
func TestTagIsHashed(t *testing.T) {
	for _, kind := range []Hash{Table, Mul, XOR} {
		h := newHasher(kind, 2048, defaultSeed, 0)
		var strata uint64
		for tag := tuple.Arg; tag <= tuple.Const; tag++ {
			strata |= 1 << (h.index(tuple.New(tag, 5, 5)) % 64)
		}
		if bits.OnesCount64(strata) < 4 {
			t.Errorf("%s: 9 tags of one tuple go to %d strata", hashNames[kind], bits.OnesCount64(strata))
		}
	}
}
