package strat

// This file has the descriptions of compressors. It writes them as text, and makes
// compressors from them.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/hwsim"
)

// An Op says what a stage does.
type Op uint8

const (
	Random      Op = iota + 1 // R: each element with probability 1/Rate
	Countdown                 // RC: gaps uniform in 1..2*Rate-1
	Periodic                  // P: every Rate-th element
	Counter                   // C alone: the length of the stream
	Split                     // H[Each]: N strata
	Associative               // A: N entries
	Tagged                    // tag: N entries
)

// A Stage is one component. The comment of a field names the components that use the
// field; for all others it is zero.
type Stage struct {
	Op      Op
	Counted bool // of samplers: a C stands beside the sampler, so messages have a real count
	Rate    int  // of samplers: elements per message; of a tagged table: the hits at which it sends an entry
	N       int  // of splitters: strata; of tables: entries

	TagBits int // of a tagged table: bits of the tag of an entry
	Ways    int // of a tagged table: entries of a set; there are N/Ways sets

	Each []Stage // of splitters: the chain that each stratum has
}

// A Filter is the filter of converged places in front of the stages.
type Filter struct {
	N       int    // bits of the mask; 0 for no filter
	Percent int    // the greatest standard error of a value's share that counts as known, in percentage points
	Period  uint64 // events after which the filter forgets everything; 0 for never
	One     int    // of so many events of a masked place one passes, and stands for all of them; 0 if none passes
}

// A Spec describes a compressor. ParseSpec parses descriptions, and String writes them.
type Spec struct {
	Filter Filter
	Stages []Stage // at least one
	Hash   Hash    // of all splitters and tagged tables
	Seed   uint64  // of all random numbers and tables
	Phase  bool    // periodic samplers begin at a random element of their period, and not at 0

	Weighted bool // the compressor stands behind another engine and takes that engine's messages as events
}

const (
	defaultSeed    = 1
	defaultWays    = 2         // as in the table that the paper evaluates (section 5.4)
	defaultPercent = 5         // the error that the paper asks for (section 5.4)
	defaultPeriod  = 1_000_000 // ours: a filter that never forgets has 18 % error on lua's loads, with this period 4 %
)

// Rate implements hwsim.Sampler: the product of the rates of all samplers that an event
// passes. Tables add messages up and drop none.
func (s Spec) Rate() uint64 { return rate(s.Stages) }

func rate(stages []Stage) uint64 {
	n := uint64(1)
	for _, x := range stages {
		switch x.Op {
		case Random, Countdown, Periodic:
			n *= uint64(max(x.Rate, 1))
		case Split:
			n *= rate(x.Each)
		}
	}
	return n
}

// String returns s in the form that ParseSpec reads. It omits values that are the
// default, and it does not tell whether s is Weighted.
func (s Spec) String() string {
	b := make([]byte, 0, 64)
	if f := s.Filter; f.N > 0 {
		b = appendInt(append(b, 'F'), f.N)
		if f.Percent != defaultPercent || f.Period != defaultPeriod {
			b = appendInt(append(b, '-'), f.Percent)
		}
		switch f.Period {
		case defaultPeriod:
		case 0:
			b = append(b, "-never"...)
		default:
			b = appendUint(append(b, '-'), f.Period)
		}
		if f.One > 0 {
			b = appendInt(append(b, '/'), f.One)
		}
		b = append(b, '+')
	}
	b = appendStages(b, s.Stages)
	if s.Hash != Table {
		b = append(append(b, '@'), hashNames[s.Hash]...)
	}
	if s.Seed != defaultSeed {
		b = appendUint(append(b, "@seed="...), s.Seed)
	}
	if s.Phase {
		b = append(b, "@phase"...)
	}
	return string(b)
}

func appendStages(b []byte, stages []Stage) []byte {
	for i, x := range stages {
		if i > 0 {
			b = append(b, '+')
		}
		if x.Counted {
			b = append(b, 'C')
		}
		switch x.Op {
		case Random:
			b = appendInt(append(b, 'R'), x.Rate)
		case Countdown:
			b = appendInt(append(b, "RC"...), x.Rate)
		case Periodic:
			b = appendInt(append(b, 'P'), x.Rate)
		case Counter:
			b = append(b, 'C')
		case Split:
			b = appendStages(append(b, "H["...), x.Each)
			b = appendInt(append(b, ']'), x.N)
		case Associative:
			b = appendInt(append(b, 'A'), x.N)
		case Tagged:
			b = appendTagged(b, x)
		}
	}
	return b
}

func appendTagged(b []byte, x Stage) []byte {
	b = appendInt(append(b, "tag"...), x.TagBits)
	b = appendInt(append(b, '-'), x.Rate)
	b = appendInt(append(b, '-'), x.N)
	switch x.Ways {
	case defaultWays:
	case x.N:
		b = append(b, "/full"...)
	default:
		b = append(appendInt(append(b, '/'), x.Ways), 'w')
	}
	return b
}

func appendInt(b []byte, n int) []byte { return appendUint(b, uint64(n)) }

func appendUint(b []byte, n uint64) []byte { return append(b, digits.Uint(n)...) }

// Each component and each hash function has its own stream of random numbers. The
// streams of components are numbered from 0, those of hash functions from hashStream. A
// filter has the stream filterStream.
const (
	hashStream   = 1 << 32
	filterStream = 1 << 33
)

// New returns an instance of the compressor that s describes. It may panic if
// ParseSpec would not accept s.
func (s Spec) New(i hwsim.Instance) hwsim.Engine {
	s.Seed = i.Seed(s.Seed)
	return s.compressor()
}

// WithSeed returns s with other random numbers.
func (s Spec) WithSeed(seed uint64) hwsim.Spec {
	s.Seed = seed
	return s
}

// compressor returns the instance that uses the seed of s as it is.
func (s Spec) compressor() *Compressor {
	b := builder{spec: s}
	c := &Compressor{stages: b.chain(s.Stages, 0), sampled: s.Filter.One > 0 || sampled(s.Stages, s.Weighted)}
	if s.Filter.N > 0 {
		c.filter = newFilter(s.Filter, newPCG(s.Seed, filterStream))
	}
	return c
}

type builder struct {
	spec    Spec
	streams uint64 // how many streams of random numbers components have so far
}

func (b *builder) rand() pcg {
	b.streams++
	return newPCG(b.spec.Seed, b.streams-1)
}

func (b *builder) phase() phase { return phase{b.spec.Phase, b.rand()} }

// hasher returns the hash function of a splitter that lies within depth other
// splitters. A splitter within another needs another function than the outer one.
// Splitters that lie beside each other may have the same function.
func (b *builder) hasher(n, depth int) hasher {
	return newHasher(b.spec.Hash, n, b.spec.Seed, uint64(depth))
}

func (b *builder) chain(stages []Stage, depth int) chain {
	c := make(chain, len(stages))
	for i, x := range stages {
		c[i] = b.component(x, depth)
		if x.Counted {
			c[i] = &counted{sampler: c[i]}
		}
	}
	return c
}

func (b *builder) component(x Stage, depth int) component {
	switch x.Op {
	case Random:
		return &random{uint32(x.Rate), b.rand()}
	case Countdown:
		return &countdown{rate: uint32(x.Rate), rand: b.rand()}
	case Periodic:
		return newPeriodic(uint32(x.Rate), b.phase())
	case Counter:
		return &counter{}
	case Split:
		return b.split(x, depth)
	case Associative:
		return newAssociative(x.N)
	case Tagged:
		return &tagged{
			hash:    b.hasher(x.N/x.Ways, depth),
			tagBits: x.TagBits,
			max:     uint32(x.Rate),
			ways:    x.Ways,
			entries: make([]slot, x.N),
		}
	}
	panic("strat: a stage without an op")
}

func (b *builder) split(x Stage, depth int) component {
	h := b.hasher(x.N, depth)
	if len(x.Each) == 1 && x.Each[0].Op == Periodic && !x.Each[0].Counted {
		return newStratified(h, uint32(x.Each[0].Rate), b.phase())
	}
	s := &splitter{h, make([]component, x.N)}
	for i := range s.strata {
		if c := b.chain(x.Each, depth+1); len(c) == 1 {
			s.strata[i] = c[0]
		} else {
			s.strata[i] = c
		}
	}
	return s
}

// Parse returns a new compressor, with the random numbers of stream 0.
func Parse(spec string) (*Compressor, error) {
	s, err := ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	return s.compressor(), nil
}
