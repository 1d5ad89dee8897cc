package report

// This file makes the profile of loads that windows have timed: from which cache each place of the code has loaded, or
// from memory, and how long the program waited for that. A sample is
//
//	m.next    list.go:12        the load, in a function that is inlined
//	m.walk    list.go:30        into this one
//
// with the labels
//
//	kind   load
//	expr   0x4a2c07             the instruction
//	value  latency=memory       or near cache, far cache; written: the window had written there, so it was not timed
//
// and three values: the loads that it stands for, in 1/Unit samples as in other sampled profiles; the loads that were
// timed; and ns. A window waits as is usual for its paths (weigh.Level). Its loads share that in proportion to what
// they take longer than loads from the near cache do. What windows have waited none of whose loads took longer is
// shared by others that end the same paths, or else by all. The share that an instruction has in all waits has bounds,
// as that of a value in the events of a tap has: one sample of the instruction has them, in ns.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/runtime/weigh"
)

// farCache is how many cycles longer than from the nearest cache a load takes that does not count as from there. The
// clock of some processors goes in steps of 26 cycles, and the second cache takes 10 longer, or so.
const farCache = 20

// Loads has the data for the profile of loads.
type Loads struct {
	Windows []LoadWindow
	At      func(pc uint32) []Frame // what is at an instruction, relative to the text
	Text    uint64                  // address of the text

	// Cycles of a load from the nearest cache, and of one from memory.
	Near, Memory uint64
}

// A LoadWindow is a window with the loads that it has timed.
type LoadWindow struct {
	Weight  float64       // how many windows of the program it stands for
	Waiting float64       // how long the program waited for memory in the time that it stands for, in ns
	Paths   []weigh.Ended // that end in it
	Loads   []TimedLoad
}

// A TimedLoad is a load: its instruction relative to the text, and the cycles that it took, 0 if it was not timed.
type TimedLoad struct{ PC, Cycles uint32 }

// loadBins is the number of [schema.Latencies].
const loadBins = len(schema.Latencies)

// bin returns the index in [schema.Latencies] of what a load is from.
func (l *Loads) bin(cycles uint32) int {
	far, memory := l.bounds()
	switch c := uint64(cycles); {
	case c == 0:
		return 3
	case c > memory:
		return 2
	case c > far:
		return 1
	}
	return 0
}

// bounds returns how many cycles the near cache takes at most, and the far one. Loads from memory take more than half
// of what the mean one takes.
func (l *Loads) bounds() (near, far uint64) {
	near = l.Near + farCache
	return near, max(near, (l.Near+l.Memory)/2)
}

// A loadPlace is an instruction that loads.
type loadPlace struct {
	siteSums
	pc   uint32
	bins [loadBins]loadBin
	late float64 // cycles by which the loads of the window that is being added took longer than loads from the near cache
	wait weigh.Part
}

type loadBin struct {
	seen
	wait float64 // in ns
}

func newLoadPlace(pc uint32) *loadPlace {
	x := &loadPlace{pc: pc}
	for i := range x.bins {
		x.values = append(x.values, &x.bins[i].seen)
	}
	return x
}

// Write returns the profile of loads, in which p has what is the same in all profiles. It returns none if no loads were
// timed.
func (l *Loads) Write(p *Profile) []File {
	places, alike, waits := l.places()
	if len(places) == 0 {
		return nil
	}
	o := p.ofWindows(schema.Loads)
	o.DefaultType = schema.Loads.Types()[2]
	timed := int64(0)
	for _, x := range places {
		x.all.Alike = alike
		var stack []uint64
		for _, f := range l.At(x.pc) {
			id := o.Function(pprofenc.Function{Name: f.Func, SystemName: f.Symbol, Filename: f.File,
				StartLine: int64(f.StartLine)})
			stack = append(stack, o.Location(id, int64(f.Line)))
		}
		if len(stack) == 0 {
			continue
		}
		longest := x.longest()
		for i := range x.bins {
			b := &x.bins[i]
			if b.samples == 0 {
				continue
			}
			timed += b.samples
			labels := o.Labels(pprofenc.Label{Key: schema.Value, Value: schema.ValueText(schema.Latency, schema.Latencies[i])},
				pprofenc.Label{Key: schema.TapKind, Value: schema.Load},
				pprofenc.Label{Key: schema.Expr, Value: digits.Hex(l.Text + uint64(x.pc))})
			labels = x.bounds(o, labels, &b.seen)
			if i == longest && waits.Size > 0 {
				labels = waits.bounds(o, labels, &x.wait)
			}
			o.Sample(stack, []int64{max(whole(b.Sum), 1), b.samples, whole(b.wait)}, labels)
		}
	}
	about := p.factsOf(timed)
	near, far := l.bounds()
	about.Set(facts.NearCache, near)
	about.Set(facts.FarCache, far)
	o.Comments = []string{about.Encode()}
	return []File{{string(schema.Loads), pprofenc.Gzip(o.Encode())}}
}

// longest returns the bin for which the program waited longest, one that has loads if it waited for none.
func (x *loadPlace) longest() (at int) {
	at = -1
	for i := range x.bins {
		if b := &x.bins[i]; b.samples > 0 && (at < 0 || b.wait > x.bins[at].wait) {
			at = i
		}
	}
	return at
}

// An allWaits has the sums of what windows have waited, as if that were the events of a tap.
type allWaits struct {
	weigh.Tap
	whole float64 // what the program has waited, in ns, with what no window shows
}

// bounds adds the bounds of an instruction's part of them to the labels of a sample.
func (a *allWaits) bounds(o *pprofenc.Profile, to pprofenc.Labels, part *weigh.Part) pprofenc.Labels {
	share, b := a.Share(part)
	to = o.Number(to, schema.WaitError, whole(a.whole*(b.High-share)), schema.Nanoseconds)
	return o.Number(to, schema.WaitBelow, whole(a.whole*(share-b.Low)), schema.Nanoseconds)
}

// lateBy returns by how many cycles a load took longer than one from the near cache.
func (l *Loads) lateBy(x TimedLoad) float64 {
	near, _ := l.bounds()
	return max(float64(x.Cycles)-float64(near), 0)
}

// late is the sum of that over the loads of a window, and how many of them took longer.
func (l *Loads) late(w *LoadWindow) (sum, loads float64) {
	for _, x := range w.Loads {
		if by := l.lateBy(x); by > 0 {
			sum += by
			loads++
		}
	}
	return sum, loads
}

// share gives what windows have waited none of whose loads took longer to others that end the same paths.
func (l *Loads) share() {
	// in windows that end a path, and in those of them with a load that took longer
	type waits struct{ all, placed float64 }
	paths := map[uint32]waits{}
	for i := range l.Windows {
		w := &l.Windows[i]
		late, _ := l.late(w)
		for _, p := range w.Paths {
			x := paths[p.Path]
			x.all += p.Part * w.Waiting
			if late > 0 {
				x.placed += p.Part * w.Waiting
			}
			paths[p.Path] = x
		}
	}
	for i := range l.Windows {
		w := &l.Windows[i]
		late, _ := l.late(w)
		waiting := 0.
		for _, p := range w.Paths {
			switch x := paths[p.Path]; {
			case x.placed == 0:
				waiting += p.Part * w.Waiting
			case late > 0:
				waiting += p.Part * w.Waiting * x.all / x.placed
			}
		}
		if len(w.Paths) > 0 {
			w.Waiting = waiting
		}
	}
}

// places returns the instructions with the sums of their loads and waits, how much alike loads of a window are, and the
// waits of all instructions.
func (l *Loads) places() (list []*loadPlace, alike float64, all allWaits) {
	l.share()
	known := map[uint32]*loadPlace{}
	waiting, shared := 0., 0.
	var scale scale
	for i := range l.Windows {
		w := &l.Windows[i]
		scale.add(w.Weight, float64(len(w.Loads)))
		waiting += w.Waiting
		if late, loads := l.late(w); late > 0 {
			shared += w.Waiting
			all.Add(w.Waiting)
			all.Samples += w.Waiting * w.Waiting / loads
		}
	}
	more := waiting / max(shared, 1e-300)
	all.whole = more * shared
	for i := range l.Windows {
		w := &l.Windows[i]
		late, _ := l.late(w)
		var here []*loadPlace
		for _, x := range w.Loads {
			place := known[x.PC]
			if place == nil {
				place = newLoadPlace(x.PC)
				known[x.PC] = place
				list = append(list, place)
			}
			b := &place.bins[l.bin(x.Cycles)]
			if place.see(&b.seen, 1) {
				here = append(here, place)
			}
			if by := l.lateBy(x); by > 0 {
				place.late += by
				b.wait += more * w.Waiting * by / late
			}
		}
		for _, place := range here {
			place.add(scale.of(w.Weight))
			if place.late > 0 {
				place.wait.Add(w.Waiting*place.late/late, w.Waiting)
				place.late = 0
			}
		}
	}
	var loads, late weigh.Alike
	for _, x := range list {
		x.end(len(l.Windows), &loads)
		if x.wait.Sum > 0 {
			all.AddValue(&x.wait)
		}
	}
	late.Add(&all.Tap)
	all.Alike = late.Correlation()
	return list, loads.Correlation(), all
}
