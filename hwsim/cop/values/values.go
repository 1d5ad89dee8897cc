// Package values is the host of value profiling: how software on the main processor answers
// the interrupts of the program asm/programs/values.s (sections 5.1 to 5.4 of the paper), and how often it
// estimates that each load had each of its values.
package values

import (
	"math/bits"

	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop/host"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// Constants of the program that the host reads or sets.
const (
	valuesR       = 0
	valuesFailed  = 2 // FTH times the slots
	valuesDropped = 3 // DTH times the slots
	valuesKeep    = 6
	valuesAdvance = 11
	valuesFTH     = 12
	valuesDTH     = 13
)

// valuesRF are the constants of the program that add 1/2, 1, 2 and 4 to RF.
var valuesRF = [...]int{7, 8, 9, 14}

// Registers of the host, from FirstRegister on.
const (
	// store: clear all masks, as the parameter clear does; a phase detector stores here when a phase begins
	ClearMasks      = iota
	ProfileComplete // load: 1 if the profile is complete, see Profiler
	PartitionCount  // load: partitions that the program is divided into
	FullInterrupts  // load: how many FULL interrupts there were
	ThrashInterrupts
)

var Host = &host.Host{
	Name: "values", Check: check, Read: read, Params: paramNames(), Parse: parse,
	View: view, Estimates: true, Ranges: true,
}

// A Profile is what the host keeps in main memory.
type Profile struct {
	o *options
	records
	partitions
	touched []int32 // the loads that the current interrupt has copied slots of
	copies  uint64  // number of times that slots were copied; loads have it as their stamp

	visit     visit
	clearedAt uint64 // events that were retired when masks were last cleared
	first     uint64 // when the era of a load begins that was never found, as in profiled.until

	seen      uint64 // events that the machine had processed when its slots were last cleared
	lostCount uint64 // accepted events that no message and no memory counts

	// Of timer interrupts.
	quiet    uint64 // consecutive visits that the timer has ended
	accepted uint64 // events that the filters had accepted at the last timer interrupt
	empty    uint64 // consecutive timer interrupts without an accepted event before
	unmasked uint64 // the cycle in which masks were last cleared
	turns    uint64 // turns of partitions that have ended since masks were cleared
	complete bool

	random uint64 // the state of the generator for the lengths of visits

	counts valueCounts
}

func (o *options) Memory(m *machine.Machine) host.Memory {
	slots := m.Config().Slots
	v := &Profile{o: o, touched: make([]int32, 0, slots)}
	// The slots of the interrupt that makes the records too many have space, and those that
	// are copied for Loads.
	v.records = newRecords(int(o.records) + 2*slots)
	v.records.bound, v.records.most, v.records.close = o.bound, refinePasses, refineClose
	v.partitions = newPartitions()
	return v
}

func (v *Profile) Reset() {
	fresh := Profile{o: v.o, records: v.records, partitions: v.partitions, touched: v.touched[:0]}
	fresh.records.clear()
	fresh.partitions.clear()
	*v = fresh
}

func (v *Profile) Copy(from host.Memory) {
	old, f := *v, from.(*Profile)
	*v = *f
	v.records, v.partitions, v.touched = old.records, old.partitions, old.touched
	v.records.copy(&f.records)
	v.partitions.copy(&f.partitions)
}

func (v *Profile) Lost() uint64 { return v.lostCount }

// view cuts a word to the 32 bits of the value in a slot. Software extends them by
// their sign, as the Alpha's loads of 32 bits do: words from -2^31 to 2^31-1 stay what they
// are.
func view(t tuple.Tuple) tuple.Tuple {
	t.W = uint64(int64(int32(t.W)))
	return t
}

func check(m *machine.Machine) error {
	k := func(i int) uint64 { return m.Read(machine.SourceK + machine.Source(i)) }
	slots := m.Config().Slots
	width := uint8(bits.Len(uint(slots - 1)))
	wrong := func(what, want string) error { return machine.Error(what + ": the host values wants " + want) }
	switch {
	case m.Config().Data != slots:
		return wrong(digits.Int(int64(slots))+" slots and "+digits.Int(int64(m.Config().Data))+" words of the data array",
			"as many of both: set slots, and leave out data")
	case m.Config().Width != 64:
		return wrong("a width of 32 bits", "64")
	case m.Base(0) != 0 || m.IndexWidth(0) != width || m.IndexWidth(1) != width:
		return wrong("B0, I0 and I1", "that B0 is 0 and that I0 and I1 have "+digits.Uint(uint64(width))+
			" bits, for all words of the data array")
	case m.IndexWidth(2) != 16 && 1<<m.IndexWidth(2) <= k(valuesFailed), m.IndexWidth(3) != 16 &&
		1<<m.IndexWidth(3) <= k(valuesDropped):
		return wrong("I2 and I3", "bits enough for the thresholds in K2 and K3")
	case k(valuesR)&(k(valuesR)+1) != 0 || k(valuesR) > 1<<16-1:
		return wrong("K0 is "+digits.Uint(k(valuesR)), "R there, all ones in binary, at most 65535")
	case k(valuesFailed) == 0 || k(valuesFailed) > 1<<16-1:
		return wrong("K2 is "+digits.Uint(k(valuesFailed)), "1 to 65535, the number of slots times fth: change fth")
	case k(valuesDropped) == 0 || k(valuesDropped) > 1<<16-1:
		return wrong("K3 is "+digits.Uint(k(valuesDropped)), "1 to 65535, the number of slots times dth: change dth")
	}
	return host.CheckFields(m, "values", machine.SelectPC|machine.SelectValue)
}

// read answers FULL and THRASH, and the end of the stream.
func read(w *host.Window, ended bool, out *hwsim.Out) {
	v := w.Memory.(*Profile)
	switch {
	case ended:
		v.copySlots(w)
		v.send(w, out)
	case w.Load(machine.IndexWindow+3) >= w.Machine.Read(machine.SourceK+valuesDropped):
		v.thrash(w)
	default:
		v.counts.full++
		v.profile(w, out)
		v.restart(w)
		v.next(w)
	}
	if !ended {
		v.quiet, w.Alarm = 0, v.wait(w.Now)
		v.clearDue(w)
	}
	v.counts.cycles += w.Cycles
}

// processed returns the number of events that the slots have taken or ignored since the
// machine was made. While the machine is interrupted, one event is processed but not done.
func processed(m *machine.Machine) uint64 {
	done := m.Stats().Done
	if state, _ := m.State(); state == machine.Interrupted {
		done++
	}
	return done
}

// profile copies the slots, and decides which loads need no further samples. If software
// now has too many records, it sends them, and begins new ones.
func (v *Profile) profile(w *host.Window, out *hwsim.Out) {
	v.copySlots(w)
	v.decide(w)
	if n := uint64(len(v.list)); n > v.o.records {
		v.counts.early += n
		v.send(w, out)
	}
}

// copySlots adds all slots in use to the records. The records then count the samples in
// the slots' totals; the other samples since the slots were last cleared were ignored, or
// were in slots that other loads have replaced.
func (v *Profile) copySlots(w *host.Window) {
	v.touched = v.touched[:0]
	v.copies++
	copied := uint64(0)
	current := &v.leaves[v.current]
	if v.o.weigh > 0 {
		now, dropped := retired(w)
		v.visit.stop(now, dropped, processed(w.Machine)-v.seen)
	}
	for i := range w.Machine.Config().Slots {
		word := w.Load(machine.DataWindow + i)
		slot := slotOf(word)
		if slot.total == 0 {
			continue
		}
		w.Load(machine.KeyWindow + i)
		w.Cycles += w.Record
		number := v.find(w.Machine.Origin(i))
		l := &v.loads[number]
		if l.stamp != v.copies {
			if l.first < 0 {
				l.until = v.first
			}
			l.stamp, l.weight = v.copies, 1
			if v.o.weigh > 0 {
				l.weight = v.visit.weight(v.eraOf(current, l.until))
			}
			v.touched = append(v.touched, number)
		}
		v.add(l, slot)
		copied += slot.total
		v.counts.copied++
	}
	current.seen = v.visit.end
	v.clearedSlots(w, copied)
}

// clearedSlots accounts for all samples since the slots were last cleared: the records have
// taken over copied of them.
func (v *Profile) clearedSlots(w *host.Window, copied uint64) {
	now := processed(w.Machine)
	lost := now - v.seen - copied
	v.lostCount += lost
	v.counts.ignored += lost
	v.seen = now
}

// restart makes the slots empty.
func (v *Profile) restart(w *host.Window) {
	w.Store(machine.CommandWindow+machine.InvalidateAll, 0)
	w.Store(machine.CommandWindow+machine.ClearData, 0)
	w.Store(machine.IndexWindow+2, 0)
	w.Store(machine.IndexWindow+3, 0)
	if v.o.weigh > 0 {
		v.visit.start(w)
	}
}

// thrash answers THRASH. The slots have little information, so they are not copied; the
// partition is split (section 5.3). If the slots have thrashed after few samples, the
// partition is much too large.
func (v *Profile) thrash(w *host.Window) {
	v.counts.thrash++
	samples := processed(w.Machine) - v.seen
	v.counts.thrashed += samples
	v.lostCount += samples
	v.seen += samples
	v.restart(w)
	ways := 1
	if samples < v.o.fast*uint64(w.Machine.Config().Slots) {
		ways = 2
	}
	if v.split(ways) {
		v.counts.splits++
		v.selectPartition(w)
	} else {
		v.next(w)
	}
}

// next selects the next partition.
func (v *Profile) next(w *host.Window) {
	v.turns++
	if len(v.leaves) > 1 {
		v.advance()
		v.selectPartition(w)
	}
}

func (v *Profile) FirstAlarm() uint64 { return v.o.firstWait() }

// timer answers the timer of the main processor: the visit has lasted long enough, and all
// unmasked loads of the partition have space in the slots. The next partition gets its turn. If
// no partition leads to an interrupt, the profile is complete.
func (v *Profile) Timer(w *host.Window, out *hwsim.Out) {
	v.counts.timer++
	v.quiet++
	if n := w.Machine.Stats().Accepted; n != v.accepted {
		v.accepted, v.empty = n, 0
	} else {
		v.empty++
	}
	v.complete = v.quiet >= uint64(len(v.leaves))
	if len(v.leaves) > 1 {
		v.profile(w, out)
		v.restart(w)
		if v.empty >= uint64(len(v.leaves)) {
			v.partitions.clear() // no partition had an event
			v.leaves[0].seen = v.visit.end
			v.selectPartition(w)
		} else {
			v.next(w)
		}
	}
	v.clearDue(w)
	w.Alarm = v.wait(w.Now)
	v.counts.cycles += w.Cycles
}

// clearDue clears the masks if they are old enough. Clearing makes the program one partition,
// and its splits begin again with the first part. So masks stay until each partition has had
// its turn; otherwise the last ones would never have theirs if clear is short.
func (v *Profile) clearDue(w *host.Window) {
	turned := len(v.leaves) == 1 || v.turns >= uint64(len(v.leaves))
	if v.o.clear > 0 && w.Now-v.unmasked >= v.o.clear && turned {
		v.clearMasks(w)
	}
}

func (v *Profile) Store(w *host.Window, i int, value uint64) bool {
	if i != ClearMasks {
		return false
	}
	v.clearMasks(w)
	v.counts.cycles += w.Cycles
	return true
}

func (v *Profile) Load(i int) (uint64, bool) {
	switch i {
	case ProfileComplete:
		if v.complete {
			return 1, true
		}
		return 0, true
	case PartitionCount:
		return uint64(len(v.leaves)), true
	case FullInterrupts:
		return v.counts.full, true
	case ThrashInterrupts:
		return v.counts.thrash, true
	}
	return 0, false
}
