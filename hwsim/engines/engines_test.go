package engines

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/enginetest"
	"github.com/pepgo/pep/hwsim/tracetest"
)

// extended is the registry with the engines of enginetest.
var extended = append(All[:len(All):len(All)], enginetest.Cells, enginetest.Gate)

func stream(seed uint64, n int) []tuple.Tuple {
	return tracetest.New(seed, 20).Events(make([]tuple.Tuple, n))
}

func parse(t testing.TB, text string) *Spec {
	t.Helper()
	s, err := extended.Parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every engine keeps the promises of package hwsim: by itself, and behind another
// engine if it can stand there. CP3 is in front, with counts of 3.
func TestContract(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 25 s")
	}
	for _, k := range extended {
		if len(k.Examples) == 0 {
			t.Errorf("%s has no examples", k.Name)
		}
		for i, text := range append(k.Examples[:len(k.Examples):len(k.Examples)], k.Random...) {
			s := parse(t, text)
			o := enginetest.Options{Random: i >= len(k.Examples), Exact: s.Exact}
			t.Run(text, func(t *testing.T) { enginetest.Test(t, s.New, o) })
			if s, err := extended.Parse("CP3:"+text, nil); err == nil {
				t.Run("CP3:"+text, func(t *testing.T) { enginetest.Test(t, s.New, o) })
			} else if k.Weighted && k.Name != "strat" { // of which some cannot
				t.Error(err)
			}
		}
	}
}

// The text of a spec is the description that it was parsed from. A description that is cut
// off or goes on wrongly, at any byte, gives a spec or an error with a column.
func TestDescriptions(t *testing.T) {
	for _, k := range extended {
		for _, text := range append(k.Examples[:len(k.Examples):len(k.Examples)], k.Random...) {
			s := parse(t, text)
			again := parse(t, s.String())
			if again.String() != s.String() {
				t.Errorf("%s is written %s and then %s", text, s, again)
			}
			if k.Name == "strat" && s.String() != text {
				t.Errorf("%s is written %s", text, s)
			}
			for _, x := range []string{k.Name + "(nonsense=1)", text + "!", text + ":", ":" + text, text + "(", text + ")"} {
				if _, err := extended.Parse(x, nil); err == nil {
					t.Errorf("%s: no error", x)
				}
			}
			for i := range text {
				for _, x := range []string{text[:i], text[i:], text[:i] + "(" + text[i:], text[:i] + ":" + text[i:]} {
					checkColumn(t, x)
				}
			}
		}
	}
}

// checkColumn checks that an error of a description says where it is.
func checkColumn(t *testing.T, text string) {
	t.Helper()
	_, err := extended.Parse(text, nil)
	if err == nil {
		return
	}
	e, ok := errors.AsType[*hwsim.SyntaxError](err)
	if !ok || e.Column < 1 || e.Column > len(text)+1 || e.Spec != text || e.Want == "" {
		t.Errorf("%q: %v", text, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, k := range extended {
		for _, text := range k.Examples {
			f.Add("CP3:" + text)
		}
	}
	f.Add(`gate(masks="a,b",entries=2)`)
	f.Fuzz(func(t *testing.T, text string) {
		checkColumn(t, text)
		if s, err := extended.Parse(text, nil); err == nil {
			if again, err := extended.Parse(s.String(), nil); err != nil || again.String() != s.String() {
				t.Errorf("%q is written %s, and then %s (%v)", text, s, again, err)
			}
		}
	})
}

func TestErrorsSayWhatWasExpectedWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "column 1: want one of code, where, cache, morton, cop, rap, raphw, cells, gate, R, RC, P, C, CR, H[, A, tag",
		"R4:rep":                      "column 4: want one of code, where, cache, morton, cop, rap, raphw, cells, gate, R, RC, P, C, CR, H[, A, tag",
		"R4:":                         "column 4: want one of code, where, cache, morton, cop, rap, raphw, cells, gate, R, RC, P, C, CR, H[, A, tag",
		":R4":                         "column 1: want one of code, where, cache, morton, cop, rap, raphw, cells, gate, R, RC, P, C, CR, H[, A, tag",
		"H[P4]8:A":                    "column 9: want the entries of the table, from 1 to 4194304",
		"R4:tag2-16-64":               "column 4: want tag as the first component only: it counts tuples, not messages",
		"R4:F64+R4":                   "column 4: want F at the beginning only",
		"strat(H[P4]8":                "column 6: want both parentheses of a pair, both quotation marks",
		"strat(H[P4])":                "column 12: want the number of strata, from 1 to 4194304",
		"strat(R4)x":                  "column 10: want : or the end",
		"rep(R4)":                     "column 1: want one of strat, code, where, cache, morton, cop, rap, raphw, cells, gate before the parenthesis",
		"R4:rep(R4)":                  "column 4: want one of strat, code, where, cache, morton, cop, rap, raphw, cells, gate before the parenthesis",
		"cells(65)":                   "column 7: want a number from 0 to 64",
		"cells(bits=x)":               "column 12: want a number from 0 to 64",
		"gate(entries=0)":             "column 14: want a number from 1 to 1024",
		"cells(bits=)":                "column 12: want a value",
		"cells(1,)":                   "column 9: want a value",
		"cells(,1)":                   "column 7: want a value",
		"cells(1,bits=2)":             "column 9: want bits once",
		"cells(1,2,3)":                "column 11: want one of bits, slots",
		"R4:cells(1,size=3)":          "column 12: want one of bits, slots",
		"cells:A16":                   "column 6: want the end: cells sends ranges, which no other engine takes",
		"R4:gate":                     "column 4: want an engine that takes messages with counts: gate must be the first",
		"gate(masks=x)":               "column 12: want no file: files cannot be read here",
		"cells(99999999999999999999)": "column 7: want a number from 0 to 64",
		"cells(18446744073709551616)": "column 7: want a number from 0 to 64",
	} {
		_, err := extended.Parse(text, nil)
		if err == nil {
			t.Errorf("%s: no error", text)
		} else if want := "engine " + text + ", " + want; err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// Names of files may have commas, colons and parentheses.
func TestFiles(t *testing.T) {
	read := func(name string) ([]byte, error) {
		if name != "a,b:(1).mc" {
			return nil, os.ErrNotExist
		}
		return []byte{7}, nil
	}
	for _, text := range []string{`gate("a,b:(1).mc",2)`, `gate(entries=2,masks="a,b:(1).mc")`} {
		s, err := extended.Parse(text, read)
		if err != nil {
			t.Fatal(err)
		}
		if got := enginetest.Push(s.New(0), []tuple.Tuple{{PC: 7}, {PC: 8}}); len(got) != 1 || got[0].Tuple.PC != 8 {
			t.Errorf("%s sends %v, want one of 8: 7 is masked by the file", s, got)
		}
		if want := `gate(masks="a,b:(1).mc",entries=2,service=4,interrupt=100)`; s.String() != want {
			t.Errorf("%s is written %s", text, s)
		}
	}
	want := "engine gate(none), column 6: want a file that can be read: file does not exist"
	if _, err := extended.Parse("gate(none)", read); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// The second engine of a chain sees the messages of the first, in order, as the
// components of a compressor do.
func TestChainsAreEnginesOneBehindTheOther(t *testing.T) {
	in := stream(3, 30_000)
	for chain, one := range map[string]string{
		"H[P16]64:A16":     "H[P16]64+A16",
		"CP8:A16:A2":       "CP8+A16+A2",
		"strat(P2):CP5:C":  "P2+CP5+C",
		"strat(P2+CP5):A4": "P2+CP5+A4",
	} {
		a, b := parse(t, chain).New(0), parse(t, one).New(0)
		for n := 1; n < len(in); n = 3 * n {
			got, want := enginetest.Push(a, in[:n]), enginetest.Push(b, in[:n])
			if !equal(got, want) || a.Balance() != b.Balance() {
				t.Errorf("%s: %d messages and %+v, %s: %d and %+v", chain, len(got), a.Balance(), one, len(want), b.Balance())
			}
		}
		if got, want := enginetest.Flush(a), enginetest.Flush(b); !equal(got, want) {
			t.Errorf("%s flushes %v, %s %v", chain, got, one, want)
		}
	}
	if got := len(Stages(parse(t, "P2:A4:cells").New(0))); got != 3 {
		t.Errorf("%d stages, want 3", got)
	}
}

func equal(a, b []hwsim.Message) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// Random numbers differ between streams and between the stages of a chain, and
// the second stream of a seed is not the first of the next.
func TestSeeds(t *testing.T) {
	in := stream(4, 20_000)
	sends := func(text string, seed uint64, stream uint32) []hwsim.Message {
		return enginetest.Push(parse(t, text).WithSeed(seed).New(stream), in)
	}
	all := [][]hwsim.Message{}
	for seed := range uint64(4) {
		for stream := range uint32(4) {
			all = append(all, sends("R16", 1+seed, stream))
		}
	}
	for i := range all {
		for k := range i {
			if equal(all[i], all[k]) {
				t.Errorf("seeds and streams %d and %d send the same", i, k)
			}
		}
	}
	if !equal(all[0], enginetest.Push(parse(t, "R16").New(0), in)) {
		t.Error("stream 0 does not have the seed of the description")
	}
	// With the same random numbers in both stages, the second would take the
	// first message exactly if the first takes the first event.
	both := 0
	for seed := range uint64(1000) {
		e := Stages(parse(t, "R2:R2").WithSeed(1 + seed).New(0))
		var second []hwsim.Message
		out := hwsim.NewOut(1, func(m []hwsim.Message) { second = append(second, m...) })
		first := enginetest.Push(e[0], in[:1])
		e[1].(hwsim.Weighted).PushWeighted([]hwsim.Message{{Tuple: in[0], Count: 2}}, out)
		out.Drain()
		if len(first) == len(second) {
			both++
		}
	}
	// Binomial of 1000 and 1/2: outside 400…600 once in 10^10 times.
	if both < 400 || both > 600 {
		t.Errorf("the stages do the same with %d of 1000 seeds", both)
	}
}

// One event can have hundreds of messages, and software behind a small buffer
// gets all of them.
func TestManyMessagesOfOneEvent(t *testing.T) {
	for _, text := range []string{"cells(0,300)", "P1:cells(0,300)"} {
		e := parse(t, text).New(0)
		var got []hwsim.Message
		out := hwsim.NewOut(16, func(msgs []hwsim.Message) { got = append(got, msgs...) })
		for w := range uint64(300) {
			e.Push([]tuple.Tuple{tuple.New(tuple.Load, 1, w)}, out)
		}
		if got != nil {
			t.Fatalf("%s: %d messages before the cells are full", text, len(got))
		}
		e.Push([]tuple.Tuple{tuple.New(tuple.Load, 1, 300)}, out)
		out.Drain()
		if len(got) != 300 {
			t.Errorf("%s: %d messages of the 301st event, want 300", text, len(got))
		}
	}
}

// A range stands for the words that differ in its free bits only.
func TestRanges(t *testing.T) {
	e := parse(t, "cells(bits=8)").New(0)
	in := []tuple.Tuple{tuple.New(tuple.Load, 1, 0x1234), tuple.New(tuple.Load, 1, 0x12ff),
		tuple.New(tuple.Load, 1, 0x1300)}
	enginetest.Push(e, in)
	got := enginetest.Flush(e)
	want := []hwsim.Message{{Tuple: tuple.New(tuple.Load, 1, 0x1200), Count: 2, Free: 8},
		{Tuple: tuple.New(tuple.Load, 1, 0x1300), Count: 1, Free: 8}}
	if !equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !parse(t, "P2:cells").Ranges() || parse(t, "P2:A4").Ranges() {
		t.Error("Ranges is not that of the last engine")
	}
	if parse(t, "cop").Ranges() || !parse(t, "cop(program=values)").Ranges() {
		t.Error("Ranges is not that of the program of the engine")
	}
	if _, err := extended.Parse("cop(program=values):A4", nil); err == nil ||
		!strings.HasSuffix(err.Error(), "column 20: want the end: cop sends ranges, which no other engine takes") {
		t.Error(err)
	}
}

// Software answers an interrupt before the next event, wherever a stream is cut, and also
// through a chain. The processor waits for the stores of software.
func TestWayBack(t *testing.T) {
	in := stream(5, 20_000)
	var want []hwsim.Message
	var wantTime hwsim.Time
	for _, x := range []struct {
		text      string
		cut, size int
	}{{"gate", 20_000, 512}, {"gate", 1, 1}, {"gate", 333, 7}, {"gate:P1", 333, 7}} {
		e := parse(t, x.text).New(0)
		g := Stages(e)[0].(interface {
			hwsim.Controlled
			hwsim.Timed
		})
		var got []hwsim.Message
		out := hwsim.NewOut(x.size, func(msgs []hwsim.Message) { got = append(got, msgs...) })
		stores, cycles := 0, uint64(0)
		out.OnInterrupt(func() { // masks the place of the last message
			if n := len(got); n != 100*(stores+1) {
				t.Fatalf("%d messages at interrupt %d, want 100 more each time", n, stores)
			}
			cycles += g.Store(stores%16, got[len(got)-1].Tuple.PC)
			stores++
		})
		for rest := in; len(rest) > 0; {
			n := min(x.cut, len(rest))
			e.Push(rest[:n], out)
			rest = rest[n:]
		}
		out.Drain()
		if want == nil {
			want, wantTime = got, g.Time()
		}
		if !equal(got, want) || g.Time() != wantTime {
			t.Errorf("%v: %d messages in %+v, and %d in %+v", x, len(got), g.Time(), len(want), wantTime)
		}
		if stores < 10 || g.Time().Stalled != cycles || g.Time().Stalled != 10*uint64(stores) {
			t.Errorf("%v: %d stores in %d cycles, %+v", x, stores, cycles, g.Time())
		}
		pc, _ := g.Load(0)
		before := len(got)
		e.Push([]tuple.Tuple{{PC: pc, W: 1}}, out)
		out.Drain()
		if len(got) != before {
			t.Errorf("%v: the engine sends an event of a masked place", x)
		}
	}
}

// Buffers overflow where events come faster than they are served.
func TestOverflow(t *testing.T) {
	in := make([]tuple.Tuple, 1000) // taps in a row: 2 cycles from one to the next
	for i := range in {
		in[i] = tuple.New(tuple.Load, 100+uint64(i), 0)
	}
	for text, want := range map[string]uint64{
		"gate(entries=8,service=2)":    0,
		"gate(entries=8,service=4)":    493, // 500 are served in that time, and 7 are left in the buffer
		"gate(entries=1000,service=4)": 0,
	} {
		e := parse(t, text).New(0)
		enginetest.Push(e, in)
		if got := e.Balance().Dropped; got != want {
			t.Errorf("%s drops %d, want %d", text, got, want)
		}
	}
}

func TestSizesOfChains(t *testing.T) {
	s := parse(t, "H[P256]2048:cells(bits=8,slots=4)")
	got := s.Size(32)
	want := []hwsim.Part{{Name: "H[P256]2048", Entries: 2048, Bits: 8}, {Name: "cells", Entries: 4, Bits: 88}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v, want %v", got, want)
	}
	if s.String() != "H[P256]2048:cells(bits=8,slots=4)" || !strings.Contains(s.WithSeed(3).String(), "@seed=3") {
		t.Errorf("%s, with seed 3 %s", s, s.WithSeed(3))
	}
	if !s.WithSeed(3).Ranges() {
		t.Errorf("%s with another seed sends no ranges", s)
	}
}

// Tables do not change how many samples there are, samplers do; an engine that does not say
// so has no rate.
func TestRates(t *testing.T) {
	for text, want := range map[string]uint64{
		"H[P256]2048+A16": 256, "H[P256]2048": 256, "P4": 4, "CP4": 4, "R5+P3": 15, "P2:CP3:A16": 6, "A16": 1, "rap": 0,
	} {
		spec, err := Parse(text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := spec.Rate(); got != want {
			t.Errorf("%s: a sample is one of %d events, want %d", text, got, want)
		}
	}
}
