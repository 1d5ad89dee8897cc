package machine

// This file holds the sizes of a machine.

import "github.com/pepgo/pep/format/digits"

// A Config describes a machine. A field that is 0 means the default. All defaults are
// ours, except for the ratio of the arrays: section 3.3 says that the data array has
// twice the capacity of the associative array.
type Config struct {
	Slots     int // words of the associative array: 8 to 4096, a power of two; 256
	KeyBits   int // bits of these words: 8 to 64; 32
	Data      int // 64-bit words of the data array: also 8 to 4096, a power of two; as many as Slots
	Microcode int // microinstructions: 32 to 4096, a power of two; 512, which is 4 kB
	FilterPCs int // bits of the filter with a bit for each PC: 64 to 2^20, a power of two; 8192
	Buffer    int // bytes of the sample buffer: 16 to 2^20; 1024
	Width     int // bits of value registers, constants and the main ALU: 32 or 64; 64
	// cycles lost by a wrong prediction of a branch, at most 64; 2, as there are two stages before execution
	Penalty  uint64
	Watchdog uint64 // microinstructions for one event after which the machine gives the event up, at least 16; 65536
	Dynamic  bool   // a branch is predicted by what it did last, not by its hint
	Seed     uint32 // of the shift register; 1
	Hashes   []Hash // hash functions that the filters can choose from, at most 256; DefaultHashes

	// NoPenalty makes the penalty 0.
	NoPenalty bool
}

// withDefaults checks a Config and fills in the defaults.
func (c Config) withDefaults() (Config, error) {
	setDefault(&c.Slots, 256)
	setDefault(&c.KeyBits, 32)
	setDefault(&c.Data, c.Slots)
	setDefault(&c.Microcode, 512)
	setDefault(&c.FilterPCs, 8192)
	setDefault(&c.Buffer, 1024)
	setDefault(&c.Width, 64)
	if c.NoPenalty && c.Penalty > 0 {
		return c, Error("a machine with NoPenalty has a penalty of " + digits.Uint(c.Penalty) + " cycles")
	}
	if c.Penalty == 0 && !c.NoPenalty {
		c.Penalty = 2
	}
	if c.Watchdog == 0 {
		c.Watchdog = 1 << 16
	}
	if c.Seed == 0 {
		c.Seed = 1
	}
	if c.Hashes == nil {
		c.Hashes = DefaultHashes
	}
	for _, f := range []struct {
		what        string
		n           int
		least, most int
		power       bool
	}{
		{"slots of the associative array", c.Slots, 8, 4096, true},
		{"bits of a key", c.KeyBits, 8, 64, false},
		{"words of the data array", c.Data, 8, 4096, true},
		{"microinstructions", c.Microcode, 32, 4096, true},
		{"bits of the filter of PCs", c.FilterPCs, 64, 1 << 20, true},
		{"bytes of the sample buffer", c.Buffer, 16, 1 << 20, false},
		{"hash functions", len(c.Hashes), 1, 256, false},
	} {
		if f.n < f.least || f.n > f.most || f.power && f.n&(f.n-1) != 0 {
			want := "from "
			if f.power {
				want = "a power of two from "
			}
			return c, Error(digits.Int(int64(f.n)) + " " + f.what + ": want " + want + digits.Int(int64(f.least)) + " to " +
				digits.Int(int64(f.most)))
		}
	}
	switch {
	case c.Width != 32 && c.Width != 64:
		return c, Error("values of " + digits.Int(int64(c.Width)) + " bits: want 32 or 64")
	case c.KeyBits > c.Width:
		return c, Error("keys of " + digits.Int(int64(c.KeyBits)) + " bits, but values have " + digits.Int(int64(c.Width)) +
			": want keys of at most that many")
	case c.Penalty > 64:
		return c, Error("a penalty of " + digits.Uint(c.Penalty) + " cycles: want at most 64")
	case c.Watchdog < 16:
		return c, Error("a watchdog of " + digits.Uint(c.Watchdog) + " microinstructions: want at least 16")
	}
	return c, nil
}

func setDefault(n *int, value int) {
	if *n == 0 {
		*n = value
	}
}
