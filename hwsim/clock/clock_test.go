package clock

import (
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
)

func TestCyclesOfEvents(t *testing.T) {
	c := New(Config{Near: 2, Far: 8})
	base := tuple.SiteBase("p")
	for i, x := range []struct {
		tag   tuple.Tag
		site  uint64
		stall uint64 // before the event
		want  uint64
	}{
		{tuple.Load, base, 0, 8},
		{tuple.Load, base + 1, 0, 10},
		{tuple.Store, base + 9, 0, 12},                 // the kind of event does not matter
		{tuple.Load, base + 18, 0, 20},                 // the 9th tap further on
		{tuple.Load, base + 18, 0, 28},                 // the same tap again
		{tuple.Load, base + 17, 0, 36},                 // back
		{tuple.Load, base + 18, 100, 138},              // near, after a stall
		{tuple.Load, tuple.SiteBase("q") + 19, 0, 146}, // another package
		{tuple.More, tuple.SiteBase("q") + 19, 0, 146}, // the same instruction
		{tuple.Third, tuple.SiteBase("q") + 19, 0, 146},
		{tuple.Goroutine, 0, 0, 146},
		{tuple.Third, tuple.SiteBase("q") + 19, 0, 154}, // the word before is not there
		{tuple.More, tuple.SiteBase("q") + 20, 0, 156},  // nor is it here
		{tuple.More, tuple.SiteBase("q") + 20, 0, 164},
	} {
		c.Stall(x.stall)
		if got := c.Event(tuple.New(x.tag, x.site, 0)); got != x.want {
			t.Errorf("event %d: cycle %d, want %d", i, got, x.want)
		}
	}
	if now, stalled := c.Cycles(); now != 164 || stalled != 100 {
		t.Errorf("%d cycles, %d stalled, want 164 and 100", now, stalled)
	}
}

// A slow model of the same processor: it goes through the cycles one by one, and through
// the instructions of each.
type processor struct {
	Config
	cycle   uint64
	retired uint64 // in this cycle
	inBurst uint64
}

func (p *processor) nextCycle() { p.cycle, p.retired = p.cycle+1, 0 }

func (p *processor) instruction() {
	if p.Burst > 0 && p.inBurst == p.Burst {
		for range p.Pause {
			p.nextCycle()
		}
		p.nextCycle()
		p.inBurst = 0
	}
	if p.cycle == 0 || p.retired == p.Retire {
		p.nextCycle()
	}
	p.retired++
	p.inBurst++
}

// Events retire in the cycles of the slow model, for random widths, distances, bursts and
// stalls.
func TestCyclesAreThoseOfASlowModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(n uint64) uint64 { return 1 + r.Uint64N(n) }
	same, pauses := 0, 0 // events in the cycle of the event before, streams with pauses
	for range 300 {
		config := Config{Near: pick(5), Far: pick(60), Retire: pick(9)}
		if r.IntN(3) > 0 {
			config.Burst, config.Pause = pick(40), pick(50)
			pauses++
		}
		c, slow := New(config), processor{Config: config}
		site, last, stalled := tuple.SiteBase("p"), uint64(0), uint64(0)
		for i := range 300 {
			distance := config.Far
			if i > 0 && r.IntN(2) == 0 {
				distance = config.Near
				site += pick(8)
			} else {
				site -= r.Uint64N(3)
			}
			for range distance {
				slow.instruction()
			}
			got := c.Event(tuple.New(tuple.Load, site, 0))
			if got != slow.cycle+stalled {
				t.Fatalf("%+v: event %d retires in cycle %d, want %d", config, i, got, slow.cycle+stalled)
			}
			for _, tag := range []tuple.Tag{tuple.More, tuple.Third} {
				if more := c.Event(tuple.New(tag, site, 0)); more != got {
					t.Fatalf("a further word in cycle %d, the first in %d", more, got)
				}
			}
			if got == last {
				same++
			}
			last = got
			if r.IntN(20) == 0 {
				n := pick(100)
				c.Stall(n)
				stalled += n
				last += n
			}
		}
	}
	if same < 1000 || pauses < 100 {
		t.Errorf("%d events share a cycle with another, %d streams have pauses: the test has too few", same, pauses)
	}
}

// The example of the package comment.
func TestABurst(t *testing.T) {
	c := New(Config{Near: 2, Far: 8, Retire: 4, Burst: 64, Pause: 20})
	site := tuple.SiteBase("p")
	var cycles []uint64
	for i := range 33 + 28 {
		cycles = append(cycles, c.Event(tuple.New(tuple.Load, site+uint64(i), 0)))
	}
	// The first event is far: 8 instructions. 28 near ones complete the burst of 64.
	for i, want := range map[int]uint64{0: 2, 1: 3, 2: 3, 3: 4, 28: 16, 29: 37, 30: 37, 31: 38, 60: 52} {
		if cycles[i] != want {
			t.Errorf("event %d retires in cycle %d, want %d", i, cycles[i], want)
		}
	}
}

func TestParse(t *testing.T) {
	parse := func(text string) (string, error) {
		var c Config
		kind := &hwsim.Kind{Params: Params, Parse: func(a *hwsim.Args) hwsim.Spec { c = Parse(a); return nil }}
		spec := "x(" + text + ")"
		if _, err := hwsim.NewArgs(spec, 2, len(spec)-1, false, nil).Parse(kind); err != nil {
			return "", err
		}
		return c.Text(), nil
	}
	for text, want := range map[string]string{
		"":                           "",
		"near=2,far=8,retire=1":      "",
		"pause=20,burst=64,retire=4": ",retire=4,burst=64,pause=20",
		"1,1,64,1048576,1048576":     ",near=1,far=1,retire=64,burst=1048576,pause=1048576",
		"retire=0":                   "engine x(retire=0), column 10: want a number from 1 to 64",
		"near=1048577":               "engine x(near=1048577), column 8: want a number from 1 to 1048576",
		"burst=64":                   "engine x(burst=64), column 9: want pause=N with it, the cycles between two bursts",
		"pause=3":                    "engine x(pause=3), column 9: want burst=N with it, the instructions between two pauses",
	} {
		got, err := parse(text)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
