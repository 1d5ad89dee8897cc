package strat

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// canonical are descriptions as String writes them.
var canonical = []string{
	"R256", "P256", "RC256", "C", "CR256", "CRC256", "CP256", "A16", "A4096",
	"H[P256]2048", "H[R256]2048", "H[CR256]2048", "H[C]7", "H[P512]2048", "H[P256]2047",
	"H[P256]2048+A16", "R256+A16", "H[CR256]2048+A16", "P4+P8+A2", "A2+R3",
	"H[H[P4]8]64", "H[P4+A2]8", "H[H[CR4+A3]5+A2]8+A4", "H[tag2-16-64]4",
	"tag2-256-2048", "tag2-256-2048/1w", "tag2-256-2048/4w", "tag2-256-2048/full", "tag2-256-2048+A16", "tag1-1-1/full",
	"F16384+H[P256]2048", "F16384-3+H[P256]2048+A16", "F1-5-900+R4", "F1-5-never+R4", "F64/8+P4",
	"F64-2-never/8+H[P128]2048", "F64-3-7/2+CR4",
	"H[P256]2048@mul", "H[P256]2048@xor", "P8@phase", "H[P256]2048+A16@mul@seed=7@phase",
}

func TestSTRAT28_DescriptionsRoundTrip(t *testing.T) {
	for _, text := range canonical {
		s, err := ParseSpec(text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := s.String(); got != text {
			t.Errorf("%s is written %s", text, got)
		}
		again, err := ParseSpec(s.String())
		if err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("%s is %+v, written and read again %+v (%v)", text, s, again, err)
		}
	}
	for text, want := range map[string]string{
		"tag2-256-2048/2w":        "tag2-256-2048",
		"tag2-256-2048/2048w":     "tag2-256-2048/full",
		"R8@seed=1@table":         "R8",
		"F64-5+R8":                "F64+R8",
		"F64-5-9+R8":              "F64-5-9+R8",
		"F64-5-1000000+R8":        "F64+R8",
		"P8@phase@mul@seed=3":     "P8@mul@seed=3@phase",
		"H[P256]2048+A16@xor@mul": "H[P256]2048+A16@mul",
	} {
		if s, err := ParseSpec(text); err != nil || s.String() != want {
			t.Errorf("%s is written %s (%v), want %s", text, s, err, want)
		}
	}
}

func TestSTRAT28_ParsesToTheStagesMeant(t *testing.T) {
	got, err := ParseSpec("F64-3-900+H[CR256+A2]2048+A16@mul@seed=7@phase")
	want := Spec{
		Filter: Filter{N: 64, Percent: 3, Period: 900},
		Stages: []Stage{
			{Op: Split, N: 2048, Each: []Stage{
				{Op: Random, Counted: true, Rate: 256},
				{Op: Associative, N: 2},
			}},
			{Op: Associative, N: 16},
		},
		Hash:  Mul,
		Seed:  7,
		Phase: true,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	got, err = ParseSpec("tag2-256-2048")
	want = Spec{Stages: []Stage{{Op: Tagged, TagBits: 2, Rate: 256, N: 2048, Ways: 2}}, Seed: 1}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
}

func TestErrorsSayWhatWasExpectedWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "column 1: want one of R, RC, P, C, CR, H[, A, tag",
		"Q":                                      "column 1: want one of R, RC, P, C, CR, H[, A, tag",
		"R":                                      "column 2: want a rate, from 1 to 268435456",
		"R0":                                     "column 2: want a rate, from 1 to 268435456",
		"R99999999999999999999":                  "column 2: want a rate, from 1 to 268435456",
		"R256x":                                  "column 5: want +, @ or the end",
		"R256+":                                  "column 6: want one of R, RC, P, C, CR, H[, A, tag",
		"R256 ":                                  "column 5: want +, @ or the end",
		"H[P256":                                 "column 7: want ]",
		"H[P256]":                                "column 8: want the number of strata, from 1 to 4194304",
		"H[]8":                                   "column 3: want one of R, RC, P, C, CR, H[, A, tag",
		"H[A1000000]8":                           "column 12: want the number of strata, from 1 to 4",
		"A4194304+A1":                            "column 12: want fewer strata and entries before here, 4194304 in all",
		"tag2":                                   "column 5: want -",
		"tag33-256-2048":                         "column 4: want the bits of a tag, from 1 to 32",
		"tag2-256-2048/3w":                       "column 15: want ways that divide the entries",
		"tag2-256-2047":                          "column 14: want ways that divide the entries",
		"tag2-256-2048/2":                        "column 16: want w",
		"tag2-256-2048/x":                        "column 15: want a number of ways, or full, from 1 to 2048",
		"P4+tag2-256-2048":                       "column 4: want tag as the first component only: it counts tuples, not messages",
		"P4+H[tag2-256-2048]8":                   "column 6: want tag as the first component only: it counts tuples, not messages",
		"R4+F64":                                 "column 4: want F at the beginning only",
		"F64":                                    "column 4: want +",
		"F64-5-0+R4":                             "column 7: want a number of events, or never, from 1 to 9223372036854775807",
		"F64/0+R4":                               "column 5: want of how many events of a masked place one passes, from 1 to 268435456",
		"F64/8+tag2-256-2048":                    "column 7: want tag as the first component only: it counts tuples, not messages",
		"F64-99+R4":                              "column 5: want a standard error in percent, from 1 to 50",
		"R4@":                                    "column 4: want one of table, mul, xor, seed=, phase",
		"R4@seed=x":                              "column 9: want a seed, from 1 to 9223372036854775807",
		"H[H[H[H[H[H[H[H[H[R4]2]2]2]2]2]2]2]2]2": "column 19: want at most 8 splitters one in the other",
	} {
		e, err := Parse(text)
		if err == nil {
			t.Errorf("%q: no error", text)
			continue
		}
		if want := "engine " + text + ", " + want; err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
		if e != nil {
			t.Errorf("%q: an engine beside an error", text)
		}
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, text := range canonical {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSpec(text)
		if err != nil {
			if e := err.(*hwsim.SyntaxError); e.Column < 1 || e.Column > len(text)+1 {
				t.Errorf("%q: column %d", text, e.Column)
			}
			return
		}
		again, err := ParseSpec(s.String())
		if err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("%q is written %s, which is %+v (%v), want %+v", text, s, again, err, s)
		}
	})
}

// A compressor sends at most one message for each tuple, and keeps the contract of all
// engines.
func TestEnginesKeepTheContract(t *testing.T) {
	in := biased(11, 20_000)
	for _, text := range canonical {
		s, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		e := s.compressor()
		for n := range 1000 {
			if got := enginetest.Push(e, in[n:n+1]); len(got) > 1 {
				t.Errorf("%s: %d messages of a tuple", text, len(got))
			}
		}
		random := strings.ContainsAny(text, "R@") || thinning.MatchString(text)
		t.Run(text, func(t *testing.T) {
			enginetest.Test(t, func(stream uint32) hwsim.Engine { return s.New(hwsim.NewInstance(stream, 0)) },
				enginetest.Options{Random: random})
		})
	}
}

// lossy matches descriptions that have a random sampler without a counter.
var lossy = regexp.MustCompile(`(^|[^C])R`)

// thinning matches descriptions whose filter lets one of several events pass.
var thinning = regexp.MustCompile(`^F[^+]*/`)

// Balance tells of all compressors whether their counts are right only on average.
func TestBalancesOfSamplers(t *testing.T) {
	for _, text := range canonical {
		if got := mustNew(t, text).Balance().Sampled; got != (lossy.MatchString(text) || thinning.MatchString(text)) {
			t.Errorf("%s: sampled %t", text, got)
		}
	}
	for text, want := range map[string]bool{"A2+P3": true, "CP2+H[P3]4": true, "A2+CP3": false, "P3": true,
		"A4+C": false} {
		s, err := parse(text, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.compressor().Balance().Sampled; got != want {
			t.Errorf("%s behind another engine: sampled %t, want %t", text, got, want)
		}
	}
}

// A message with the count 1 has the same effect as a tuple. Messages with other counts
// add these counts.
func TestEventsWithCounts(t *testing.T) {
	in := biased(13, 20_000)
	for _, text := range []string{"A16", "C", "CP8", "H[P16]64", "CP4+A8", "H[CP4+A2]8"} {
		s, err := parse(text, true)
		if err != nil {
			t.Fatal(err)
		}
		plain, weighted := s.compressor(), s.compressor()
		var got []hwsim.Message
		out := hwsim.NewOut(7, func(msgs []hwsim.Message) { got = append(got, msgs...) })
		for _, x := range in {
			weighted.PushWeighted([]hwsim.Message{{Tuple: x, Count: 1}}, out)
		}
		out.Drain()
		if want := enginetest.Push(plain, in); !slices.Equal(got, want) {
			t.Errorf("%s: %d messages of messages, %d of tuples", text, len(got), len(want))
		}
		enginetest.Flush(weighted)
		got, sum := nil, uint64(0)
		for i, x := range in {
			n := uint64(1 + i%5)
			sum += n
			weighted.PushWeighted([]hwsim.Message{{Tuple: x, Count: n}}, out)
		}
		out.Drain()
		if b := weighted.Balance(); !b.Sampled && counts(got)+uint64(b.Held) != sum {
			t.Errorf("%s: %d sent and %+v, of %d", text, counts(got), b, sum)
		}
	}
}

func TestSeedsDecide(t *testing.T) {
	in := biased(12, 5000)
	for _, text := range []string{"R16", "RC16", "H[P16]64", "H[P16]64@mul", "P16@phase", "H[CR16]64"} {
		a := enginetest.Push(mustNew(t, text+"@seed=2"), in)
		if b := enginetest.Push(mustNew(t, text+"@seed=2"), in); !slices.Equal(a, b) {
			t.Errorf("%s: two runs with the same seed differ", text)
		}
		if c := enginetest.Push(mustNew(t, text+"@seed=4"), in); slices.Equal(a, c) {
			t.Errorf("%s: two seeds do the same", text)
		}
		s, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		if d := enginetest.Push(s.WithSeed(2).New(0), in); !slices.Equal(a, d) {
			t.Errorf("%s: with the seed 2 given later it does something else", text)
		}
	}
}
