// Package cache models a data cache. It passes on the samples whose accesses miss the
// cache, to engines behind it:
//
//	cache(32K,ways=8,line=64):where(pass=first):rap          values of loads that miss
//	cache(32K):cache(1M,ways=16):where(pass=second):rap(over=words)   addresses that miss two levels
//
// The second of two caches in a chain is the second level: it sees the misses of the first.
//
// The address is the second word of a load or store (-peptaps=pairs or pairs,stores), or the word of an addr tap
// (-peptaps=addrs). With both kinds of taps every load would count twice. Samples
// without an address, such as loads from maps, are dropped and counted. Hits are
// dropped and counted, too.
//
// A miss replaces the least recently used line of the set. An access counts as one
// access to the line of its first byte. Loads and stores are treated alike. A sample
// with a count of n is n accesses in a row, so at most the first of them misses. The
// model has no prefetching and no other processors. It sees only what taps see: no
// stack, no spilled variables, no code of the runtime. So its miss rates are those of
// the tapped loads, not those of the machine.
//
// Source for this use: Mysore et al., "Profiling over Adaptive Ranges", CGO 2006,
// section 4.4, which calls the levels DL1 and DL2. The paper does not state their
// sizes.
package cache

import (
	"math/bits"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/sample"
)

// Kind is the cache. size and line are in bytes; K stands for 2^10 bytes and M for
// 2^20. The number of sets, size/ways/line, must be a power of two.
var Kind = &hwsim.Kind{
	Name:     "cache",
	Params:   []string{"size", "ways", "line"},
	Parse:    parse,
	Weighted: true,
	Examples: []string{"cache", "cache(1K,ways=1)", "cache(size=48K,ways=12,line=64)", "cache(64,ways=2,line=32)"},
}

const (
	defaultSize = 32 << 10 // the size of the first level in most processors of today
	defaultWays = 8
	defaultLine = 64
	maxSize     = 256 << 20
	maxWays     = 64
	maxLine     = 4096
)

type spec struct{ size, ways, line uint64 }

func parse(a *hwsim.Args) hwsim.Spec {
	s := spec{
		size: bytes(a, "size", defaultSize, maxSize),
		ways: a.Uint("ways", defaultWays, 1, maxWays),
		line: a.Uint("line", defaultLine, 2, maxLine),
	}
	switch sets := s.size / max(s.ways*s.line, 1); {
	case s.line&(s.line-1) != 0:
		a.WantFor("line", "a power of two from 2 to 4096")
	case sets == 0 || sets*s.ways*s.line != s.size || sets&(sets-1) != 0:
		a.WantFor("size", "a size that is ways and line times a power of two, such as "+
			digits.Uint(s.ways*s.line*max(power(sets), 1)))
	}
	return s
}

// power returns the greatest power of two that is at most n. For 0 it returns 0.
func power(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return 1 << (bits.Len64(n) - 1)
}

// bytes parses a number of bytes, such as 4096, 32K or 1M.
func bytes(a *hwsim.Args, name string, otherwise, most uint64) (n uint64) {
	text := a.String(name, "")
	if text == "" {
		return otherwise
	}
	shift := 0
	switch last := len(text) - 1; text[last] {
	case 'K':
		text, shift = text[:last], 10
	case 'M':
		text, shift = text[:last], 20
	}
	ok := text != "" && len(text) <= 9
	for i := range len(text) {
		ok = ok && '0' <= text[i] && text[i] <= '9'
		n = 10*n + uint64(text[i]-'0')
	}
	if n <<= shift; !ok || n == 0 || n > most {
		a.WantFor(name, "a number of bytes from 1 to 256M, such as 32K or 1M")
		return otherwise
	}
	return n
}

// String returns the description. It omits parameters that have their defaults.
func (s spec) String() string {
	text := ""
	if s.size != defaultSize {
		text += ",size=" + size(s.size)
	}
	if s.ways != defaultWays {
		text += ",ways=" + digits.Uint(s.ways)
	}
	if s.line != defaultLine {
		text += ",line=" + digits.Uint(s.line)
	}
	if text == "" {
		return "cache"
	}
	return "cache(" + text[1:] + ")"
}

// size writes a number of bytes in the form that bytes parses.
func size(n uint64) string {
	switch {
	case n%(1<<20) == 0:
		return digits.Uint(n>>20) + "M"
	case n%(1<<10) == 0:
		return digits.Uint(n>>10) + "K"
	}
	return digits.Uint(n)
}

// WithSeed returns s, because the cache uses no random numbers.
func (s spec) WithSeed(uint64) hwsim.Spec { return s }

// ForTraces implements hwsim.Rewriter: the words that go on are those that taps have
// seen.
func (s spec) ForTraces() bool { return false }

// New returns an empty cache.
func (s spec) New(hwsim.Instance) hwsim.Engine {
	c := &cache{
		lines: make([]uint64, s.size/s.line),
		ways:  s.ways,
		shift: bits.Len64(s.line) - 1,
		mask:  s.size/s.line/s.ways - 1,
	}
	return sample.New(c.take, c.empty)
}

// A cache has the lines of all sets, one set after another; in each set the most
// recently used line comes first.
type cache struct {
	lines []uint64 // addresses without the offset in the line, plus 1; 0 is none
	ways  uint64
	shift int
	mask  uint64 // mask of the number of a set
}

func (c *cache) empty() { clear(c.lines) }

// take passes on a sample if its first access misses. The other accesses of the sample
// hit the line that the first one has loaded.
func (c *cache) take(s *sample.Sample, out *hwsim.Out) (sent uint64) {
	addr, ok := s.Address()
	if !ok || c.access(addr) {
		return 0
	}
	return s.Send(out, 1)
}

// access reports whether the line of an address is in the cache, and makes it the most
// recently used line of its set.
func (c *cache) access(addr uint64) (hit bool) {
	line := addr >> c.shift
	first := (line & c.mask) * c.ways
	set := c.lines[first : first+c.ways]
	moved := line + 1
	for i, x := range set {
		set[i] = moved
		if moved = x; x == line+1 {
			return true
		}
	}
	return false
}
