package values_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/cop/coptest"
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/machine"
	"github.com/pepgo/pep/hwsim/cop/values"
	"github.com/pepgo/pep/hwsim/enginetest"
)

// paper are the parameters of the algorithm as the paper has it, as far as the text says: samples
// have no weights, and estimates no bound of ours.
const paper = "weigh=0,bound=0,early=0,advance=0,rf=3"

// profile returns an engine of value profiling without drops.
func profile(t testing.TB, args string) hwsim.Engine {
	t.Helper()
	if args != "" {
		args = "," + args
	}
	return coptest.New(t, "program=values,near=100,far=100"+args)
}

func meter(t testing.TB, e hwsim.Engine, name string) uint64 {
	t.Helper()
	for _, m := range e.(hwsim.Metered).Meters() {
		if m.Name == name {
			return m.Count
		}
	}
	t.Fatalf("no meter %s", name)
	return 0
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func register(e hwsim.Engine, i int) uint64 {
	v, _ := e.(hwsim.Controlled).Load(i)
	return v
}

// loads returns n tuples.
func loads(n int, load func(i int) (site, value uint64)) (list []tuple.Tuple) {
	for i := range n {
		site, value := load(i)
		list = append(list, tuple.New(tuple.Load, site, value))
	}
	return list
}

// invariance returns the estimated share of a value, -1 if it is not known.
func invariance(e hwsim.Engine, site, value uint64) float64 {
	for _, l := range e.(cop.Profiler).Loads() {
		for i, x := range l.Values {
			if l.PC == loadPC(site) && x.Value == value {
				return l.Invariance(i)
			}
		}
	}
	return -1
}

func loadOf(t testing.TB, e hwsim.Engine, site uint64) values.Load {
	t.Helper()
	for _, l := range e.(cop.Profiler).Loads() {
		if l.PC == loadPC(site) {
			return l
		}
	}
	t.Fatalf("site %d was not profiled", site)
	return values.Load{}
}

// The engine without masks and partitions sends the estimates of the slots that the reference has at
// each interrupt, and accounts for each event.
func TestCOP14_MessagesAreTheReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	in := loads(300_000, func(i int) (uint64, uint64) {
		site := r.Uint64N(14)
		phase := uint64(i) / 20_000 % 2 * (site % 2)              // half of the loads have other values in it
		return site, (min(r.Uint64N(12), site%6) + 6*phase) << 28 // some are negative as numbers of 32 bits
	})
	ref := &reference{r: 31, keep: 16, mostFailed: 64, mostDropped: 64000, twiceRF: 6, slots: make([]referenceSlot, 16),
		lfsr: 1}
	var slots []values.RecordedSlot
	kept := uint64(0) // samples in the slots that were copied
	keep := func() {
		for _, s := range ref.slots {
			if s.total > 0 {
				kept += uint64(s.total)
				slots = append(slots, values.RecordedSlot{PC: s.pc, Word: s.word()})
			}
		}
		ref.restart()
	}
	interrupts, lost := uint64(0), uint64(0)
	for i, x := range in {
		if which := ref.sample(x.PC, uint32(x.W)); which != "" {
			if which != "FULL" {
				t.Fatal("the stream thrashes, which loses slots")
			}
			interrupts++
			keep()
			lost = uint64(i+1) - kept // ignored and replaced samples
		}
	}
	keep()
	// No load has 2^20 samples, and none is profiled a million times: nothing is masked.
	e := profile(t, paper+",slots=16,dth=4000,least=1048576,times=1000000,clear=0")
	if msgs := enginetest.Push(e, in); msgs != nil || register(e, host.FirstRegister+values.FullInterrupts) != interrupts {
		t.Errorf("%d messages, %d interrupts, want %d", len(msgs), register(e, host.FirstRegister+values.FullInterrupts),
			interrupts)
	}
	b := e.Balance()
	sums, samples := map[tuple.Tuple]float64{}, map[uint64]uint64{}
	for _, l := range values.Estimated(slots, 6, 0) {
		samples[l.PC] = l.Samples
		for value, share := range exactShares(slots, l.PC, 6, false) {
			f, _ := share.Float64()
			sums[tuple.Tuple{PC: l.PC, W: uint64(int64(int32(value)))}] += f * float64(l.Samples)
		}
	}
	got := map[tuple.Tuple]uint64{}
	messages := 0
	for _, m := range enginetest.Flush(e) {
		samples[m.Tuple.PC] -= m.Count
		if m.Free == 64 {
			continue // the samples of no value
		}
		got[m.Tuple] += m.Count
		messages++
	}
	for pc, n := range samples {
		if n != 0 {
			t.Errorf("%#x: the messages have %d samples too few", pc, int64(n))
		}
	}
	for x, n := range got {
		if want := sums[x]; float64(n) < want-1.01 || float64(n) > want+1 {
			t.Errorf("%+v: %d, want %.2f", x, n, want)
		}
		delete(sums, x)
	}
	if messages != len(slots) {
		t.Errorf("%d messages of %d slots", messages, len(slots))
	}
	for x, want := range sums {
		if want >= 2 {
			t.Errorf("no message of %+v, want %.2f", x, want)
		}
	}
	if want := (hwsim.Balance{Held: int64(uint64(len(in)) - lost), Dropped: lost, Sampled: true}); b != want ||
		interrupts < 50 {
		t.Errorf("%d interrupts, %+v, want %+v", interrupts, b, want)
	}
}

// Each event is in a message, held or dropped, although counts are estimates; also if records
// are sent early, events are masked, slots thrash, and the buffer overflows.
func TestValuesLoseNothingSilently(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	zipf := rand.NewZipf(r, 1.2, 4, 5000)
	in := loads(400_000, func(i int) (uint64, uint64) { return zipf.Uint64(), r.Uint64N(1 + zipf.Uint64()%9) })
	for _, args := range []string{"slots=16,records=20,timer=20000,clear=1000000",
		"slots=64,near=1,far=3,buffer=40,timer=5000", "slots=8,dth=1,fth=1"} {
		e := coptest.New(t, "program=values,"+args)
		sent := uint64(0)
		out := hwsim.NewOut(100, func(msgs []hwsim.Message) { sent += enginetest.Sum(msgs) })
		for i, part := range slices.Collect(slices.Chunk(in, 1000)) {
			e.Push(part, out)
			out.Drain()
			if b := e.Balance(); int64(sent)+b.Held+int64(b.Dropped) != int64(1000*(i+1)) || !b.Sampled || b.Held < 0 {
				t.Fatalf("%s: after %d events %d sent, %+v", args, 1000*(i+1), sent, b)
			}
		}
		held, before := e.Balance().Held, sent
		e.Flush(out)
		out.Drain()
		if int64(sent-before) > held {
			t.Errorf("%s: %d events flushed, and %d were held", args, sent-before, held)
		}
		if args[:8] == "slots=16" {
			if before == 0 {
				t.Errorf("%s: nothing was sent early", args)
			}
		}
	}
}

// A new set of loads finds the slots full of loads that are worth more, and the machine interrupts
// after FTH failed replacements for each slot.
func TestCOP21_NewLoadsInterrupt(t *testing.T) {
	e := profile(t, "slots=16")
	first := loads(16*60, func(i int) (uint64, uint64) { return uint64(i % 16), 1 })
	second := loads(16*4, func(i int) (uint64, uint64) { return 100 + uint64(i%16), 1 })
	enginetest.Push(e, first)
	enginetest.Push(e, first)
	full := func() uint64 { return register(e, host.FirstRegister+values.FullInterrupts) }
	if full() != 0 {
		t.Fatalf("%d interrupts while all loads have slots", full())
	}
	enginetest.Push(e, second[:63])
	if full() != 0 || register(e, machine.IndexWindow+2) != 62 { // the last event is in the buffer
		t.Errorf("%d interrupts, %d failed", full(), register(e, machine.IndexWindow+2))
	}
	enginetest.Push(e, second[63:])
	enginetest.Push(e, second[:1]) // the next event finds the machine interrupted
	if full() != 1 || meter(t, e, "slots copied") != 16 {
		t.Errorf("%d interrupts, %d slots copied", full(), meter(t, e, "slots copied"))
	}
	// These loads had one value, so they are masked, and only the new ones are profiled.
	for _, l := range e.(cop.Profiler).Loads() {
		if old := l.PC < loadPC(100); old != l.Masked || old && l.Samples != 120 {
			t.Errorf("%+v", l)
		}
	}
}

// The cost of the handler: the interrupt, reading slots and keys, records, decisions, and the
// stores that make the slots empty.
func TestCOP12_HandlerOfValues(t *testing.T) {
	e := profile(t, paper+",slots=16,access=3,handler=1000,record=7,decide=11,least=1000,lo=0")
	enginetest.Push(e, loads(16*60, func(i int) (uint64, uint64) { return uint64(i % 16), 1 }))
	enginetest.Push(e, loads(65, func(i int) (uint64, uint64) { return 100 + uint64(i%16), 1 }))
	const want = 1000 + 3 + 16*(3+3+7) + 16*11 + 4*3
	if got := e.(hwsim.Timed).Time().Stalled; got != want || meter(t, e, "handler cycles") != want {
		t.Errorf("%d cycles, %d in the meter, want %d", got, meter(t, e, "handler cycles"), want)
	}
}

// Loads that are ten times as many as the slots, all equally frequent, thrash. Nothing is copied, and the
// program is split 4 ways; with a threshold that no stream is quicker than, 2 ways.
func TestCOP22_Thrash(t *testing.T) {
	in := loads(4000, func(i int) (uint64, uint64) { return uint64(i * 7 % 2560), 1 })
	for _, x := range []struct {
		fast, ways, mask uint64
	}{{8, 4, 3}, {0, 2, 1}} {
		e := profile(t, fmt.Sprintf("fast=%d", x.fast))
		for n := 0; register(e, host.FirstRegister+values.ThrashInterrupts) == 0; n++ {
			if n == len(in) {
				t.Fatal("no THRASH")
			}
			enginetest.Push(e, in[n:n+1])
		}
		if got := register(e, host.FirstRegister+values.PartitionCount); got != x.ways {
			t.Errorf("%d partitions, want %d", got, x.ways)
		}
		if got := register(e, machine.SampleWindow+machine.FilterMask); got != 2<<32|x.mask {
			t.Errorf("mask %#x", got)
		}
		if n := meter(t, e, "slots copied"); n != 0 || meter(t, e, "samples thrashed") < 512 {
			t.Errorf("%d slots copied, %d samples thrashed", n, meter(t, e, "samples thrashed"))
		}
		for i := range 256 {
			if word := register(e, machine.DataWindow+i); word != 0 {
				t.Errorf("slot %d has %#x after the interrupt", i, word)
			}
		}
		if b := e.Balance(); b.Held < 0 || b.Held > 1 { // the next event, if the filter accepts it
			t.Errorf("%+v", b)
		}
		e.(hwsim.Controlled).Store(host.FirstRegister+values.ClearMasks, 0)
		if n, mask := register(e, host.FirstRegister+values.PartitionCount),
			register(e, machine.SampleWindow+machine.FilterMask); n != 1 || mask != 2<<32 {
			t.Errorf("%d partitions after masks are cleared, mask %#x", n, mask)
		}
	}
	// Each of 2560 loads is in the end profiled, in turn by partition.
	e := profile(t, paper+",filterpcs=1048576,timer=100000,clear=0")
	for range 200 {
		enginetest.Push(e, in)
	}
	if n := len(e.(cop.Profiler).Loads()); n != 2560 || meter(t, e, "partitions split") < 2 ||
		!e.(cop.Profiler).Complete() {
		t.Errorf("%d loads profiled, %d splits, complete %v", n, meter(t, e, "partitions split"), e.(cop.Profiler).Complete())
	}
	// All loads are masked, so one partition is enough again.
	if n := register(e, host.FirstRegister+values.PartitionCount); n != 1 {
		t.Errorf("%d partitions in the end", n)
	}
}

// A partition that thrashes and cannot be split any more gives way to the next one.
func TestCOP22_PartitionsOfTheLastSizeTakeTurns(t *testing.T) {
	e := profile(t, "slots=8,dth=1,fth=100,timer=1000000000")
	matches := map[uint64]bool{}
	for i := range 300 {
		enginetest.Push(e, loads(1000, func(n int) (uint64, uint64) { return uint64(1000*i+n) * 7919 % 100_000, 1 }))
		matches[register(e, machine.SampleWindow+machine.FilterMatch)] = true
	}
	// Six splits 4 ways make partitions of 12 bits, which is the limit. Each has about 24 loads, three
	// times the slots.
	if n, splits := register(e, host.FirstRegister+values.PartitionCount), meter(t, e, "partitions split"); n != 19 ||
		splits != 6 || len(matches) < 3 {
		t.Errorf("%d partitions after %d splits, %d have had a turn", n, splits, len(matches))
	}
}

// Partitions are disjoint and cover all hashes, and each split adds bits to the current one.
func TestCOP22_Partitions(t *testing.T) {
	for _, text := range []string{"", "1", "2", "22", "2n1", "2nn2nnn1nn1", "1111111111111", "222222222222",
		"2n2n2n2n2n1n1n1n1"} {
		list, current := values.SplitPartitions(text)
		covered := 0.0
		for i, a := range list {
			covered += 1 / float64(uint64(1)<<bits.Len32(a[0]))
			for _, b := range list[:i] {
				if both := a[0] & b[0]; a[1]&both == b[1]&both {
					t.Errorf("%s: %x and %x have hashes in common", text, a, b)
				}
			}
		}
		if covered != 1 || current >= len(list) {
			t.Errorf("%s: %v of all hashes are in %x", text, covered, list)
		}
	}
	if list, _ := values.SplitPartitions("2n1"); !slices.Equal(list, [][2]uint32{{3, 0}, {7, 1}, {7, 5}, {3, 2}, {3, 3}}) {
		t.Errorf("%v", list)
	}
}

// Two sites whose low 32 bits are equal, of different packages, are different loads.
func TestValuesTellPackagesApart(t *testing.T) {
	a, b := tuple.SiteBase("a")+5, tuple.SiteBase("b")+5
	b = b&^(1<<32-1) | a&(1<<32-1)
	e := profile(t, "")
	enginetest.Push(e, loads(1000, func(i int) (uint64, uint64) { return []uint64{a, b}[i%2], uint64(i % 2) }))
	if x, y := invariance(e, a, 0), invariance(e, b, 1); x != 1 || y != 1 {
		t.Errorf("%v and %v, want 1 and 1", x, y)
	}
}

// Parameters that make no sense together, and those of another program.
func TestValuesParameters(t *testing.T) {
	const machine = "column 5: want one of program, clock, access, handler, record, k0, seed, slots, keybits, data, microcode, " +
		"filterpcs, buffer, penalty, watchdog, predictor, near, far, retire, burst, pause"
	for args, want := range map[string]string{
		"nothing=1": machine,
		"nothing=1,program=values": machine +
			", r, rf, keep, fth, dth, advance, hi, lo, times, least, fast, timer, clear, records, decide, estimate, weigh, bound, early",
		"program=edges,keep=3":                  "column 24: want no keep: only programs for the host values have it, such as program=values",
		"keep=3,program=values,keep=4":          "column 27: want keep once",
		"keep=,program=values":                  "column 10: want a value",
		"hi=50":                                 "column 8: want no hi: only programs for the host values have it, such as program=values",
		"program=values,r=30":                   "column 22: want 0, 1, 3, 7 or another number that is all ones in binary",
		"program=values,rf=8":                   "column 23: want one of 0.5, 1, 1.5 and so on up to 7.5",
		"program=values,clear=1125899906842625": "column 26: want a number from 0 to 1125899906842624",
		"program=values,hi=20,lo=30":            "column 29: want less than hi, which is 20",
		"program=values,data=512":               "column 13: want a program for this machine: 256 slots and 512 words of the data array: the host values wants as many of both: set slots, and leave out data",
		"program=values,fth=0":                  "column 13: want a program for this machine: K2 is 0: the host values wants 1 to 65535, the number of slots times fth: change fth",
		"program=values,slots=4096,dth=4000":    "column 13: want a program for this machine: K3 is 16384000: the host values wants 1 to 65535, the number of slots times dth: change dth",
	} {
		if _, err := coptest.Parse(args, nil); err == nil || err.Error() != "engine cop("+args+"), "+want {
			t.Errorf("%s: %v\nwant %s", args, err, want)
		}
	}
	const all = `cop(program="values",slots=64,r=7,rf=1.5,keep=3,fth=5,dth=6,advance=1,hi=90,lo=2,times=3,least=4,fast=5,timer=6000,clear=7000,records=800,decide=9,estimate=8,weigh=0,bound=0,early=7)`
	if s, err := coptest.Parse(all[4:len(all)-1], nil); err != nil || s.String() != all {
		t.Errorf("%v, %v", s, err)
	}
	// The program may follow its parameters.
	if s, err := coptest.Parse("keep=3,near=4,program=values", nil); err != nil ||
		s.String() != `cop(program="values",near=4,keep=3)` {
		t.Errorf("%v, %v", s, err)
	}
}
