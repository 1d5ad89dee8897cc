package windows

// This file takes windows. At a tick the handler interprets what the program does next, some thousand instructions, on
// a copy of its registers; what the program would store goes into a buffer. Package follow keeps the path registers,
// and the paths that end count as those of polls do: with callers and labels.
//
// Paths have the same chance to be counted, however long they are up to a length, if those count that begin in the
// first part of a window and end in it. One window of longEach goes on behind its normal length until it has longTimes
// as many instructions, or has taken maxTime, for paths that began in its first part; these count longEach times.
//
// The program waits as long as a window takes, so a window that is slow has fewer instructions, in the same proportion:
// its counts, divided by its instructions, mean the same.

import (
	"unsafe"

	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/follow"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pace"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/window"
)

const (
	windowSteps = 6000   // instructions of a window
	firstSteps  = 4500   // of these, in which paths begin that count
	slowTime    = 150000 // ns: a window that has taken longer when its waits begin to count is slow
	longEach    = 16
	longTimes   = 10
	longPart    = 1500   // instructions between two looks at the clock
	maxTime     = 200000 // ns
	freshSteps  = 1500   // instructions that a window decodes at most: these take some 125 µs

	Takers    = 4  // windows at the same time
	tallyBits = 9  // logarithm of how many entries a window counts at most, and a taker knows
	tallyTry  = 16 // slots that are looked at
	walkFew   = 16 // callers of a path when the window has walked walkMost of them
	walkMost  = 8192

	maxLoads = 64 // that a window times: it chooses 47 of 6000

	lastPart = 3 // of the normal length of a window: paths that begin in it do not count
	measured = 4 // the part of a window that begins behind its normal length
)

// A Taker takes a window at a time.
type Taker struct {
	sp   uintptr // what the handler's stack pointer is while the window lasts, for handlers of faults: assembly; else 0
	lock uint32

	ended   interp.Stop
	window  pepfile.Window
	weight  uint32 // what the end of a path counts
	walked  int    // callers that the window has looked at
	part    int    // of the window
	began   uint64 // cycles
	loads   int    // that it has timed: they are the first records
	made    int    // notes, up to the normal length of the window
	records [pepfile.WindowRecords]pepfile.WindowRecord

	// The callers of the last path, which those of the next one often are. They are good while chainBP is where RBP points
	// to and the frame has not returned.
	chain   pepfile.Key
	chainOf uintptr // the *window.Stack; as a pointer it would be stored with write barriers
	chainBP uint64
	chainAt uint64 // hash of the callers

	noted   noted
	tally   [1 << tallyBits]tally
	first   uint16 // 1 + the index of the tally in which the window counted first; its next leads to the second one
	last    uint16
	stacks  window.Stacks
	machine interp.Machine

	followed [window.MaxStacks]struct { // memory of stacks
		frames    [128]follow.Frame
		registers [1024]uint32
		ends      [1024]uint32
	}
}

// A tally is how often a window has counted an entry. Its entry stays known in later windows until another one needs
// the space, since to look it up in the .pep file, whose pages are cold, takes as long as fifty instructions.
type tally struct {
	hash   uint64 // of the entry's key; 0 if the tally was never used
	window uint32 // number of the last window that counted, as the taker counts them
	entry  uint32
	n      uint32
	next   uint16
	short  bool // the key lacks callers, for want of space
}

var (
	counts       pepfile.Table
	labelsAt     uintptr // offset of the labels in a g; 0 if not known
	theTakers    *[Takers]Taker
	decodedCode  interp.Code
	vectors      window.Layout
	program      *window.Rows
	fatalPCs     [2]uintptr
	windowNumber uint64 // of windows so far
)

// Begin returns the taker of a window that begins where a tick has interrupted ctx, a struct ucontext; nil if all are
// busy. The tick stands for some ns; the base of segment FS is fs, and the thread's g is at the address g.
func Begin(ctx uintptr, stands, fs, g uint64) *Taker {
	var t *Taker
	for i := range theTakers {
		if golink.Cas32(&theTakers[i].lock, 0, 1) {
			t = &theTakers[i]
			break
		}
	}
	if t == nil {
		golink.Add64(&counts.Windows.Busy, 1)
		return nil
	}
	m := &t.machine
	vectors.Load(m, ctx, fs)
	// A goroutine that is asked to let go of its thread would spend the window in the scheduler.
	// (R14 has the g as well, but not in assembly, and a fault here would be the program's.)
	const stackLo, stackGuard, guard = 0, 16, 928
	if lo, ok := m.Load(g+stackLo, 8); ok {
		m.Store(g+stackGuard, lo+guard, 8)
	}
	t.stacks.Reset()
	t.chainOf, t.walked, t.weight, t.part, t.first, t.last, t.loads = 0, 0, 1, 0, 0, 0, 0
	n := t.window.Number + 1 // as the taker counts
	t.window = pepfile.Window{Number: n, Time: stands}
	t.ended = interp.Fault // if the window faults
	return t
}

// Run interprets the next part of a window, at a time in cycles, and reports whether there are more. A fault ends the
// window: the thread goes on behind the last call of Run.
func Run(t *Taker, now uint64) (more bool) {
	m := &t.machine
	steps := longPart
	took := pace.Ns(now - t.began)
	switch t.part++; {
	case t.part == 1:
		t.began, m.TSC, steps = now, now, pepfile.Settled
	case t.part < measured:
		if t.part == 2 {
			m.Settle()
		}
		if steps = t.normalPart(m.Steps, took); t.part == lastPart {
			t.stacks.Late()
		}
	case t.part == measured:
		t.measure()
		if golink.Add64(&windowNumber, 1)%longEach != 0 {
			t.ended = interp.Done
			return false
		}
		golink.Add64(&counts.Windows.Long, 1)
		t.weight = longEach
	case m.Steps >= longTimes*windowSteps || took > maxTime:
		t.ended = interp.Done
		return false
	}
	if why := m.Run(steps); why != interp.Done {
		t.ended = why
		return false
	}
	return true
}

// normalPart returns the number of instructions of the part that begins behind some steps, which took some ns. If the
// window is slow, it makes that the last part.
func (t *Taker) normalPart(steps int, took uint64) int {
	switch {
	case t.part == lastPart:
		return windowSteps - steps
	case took > slowTime:
		t.part = lastPart
		return steps * (windowSteps - firstSteps) / firstSteps
	}
	return firstSteps - steps
}

// measure notes what the weight of the window comes from, up to its normal length.
func (t *Taker) measure() {
	t.window.Steps, t.made = uint32(t.machine.Steps), t.machine.Noted
	if t.part < 2 {
		return // it has not settled
	}
	t.window.Waits = uint32(min(t.machine.Waits(), 1<<32-1))
	t.window.Memory = uint32(min(t.machine.MemoryWaits(), 1<<32-1))
}

// End counts what a window has seen.
func End(t *Taker) {
	m := &t.machine
	w := &t.window
	m.Leave()
	program.Leave(m.Actions())
	if program.Full() {
		decodedCode.Fill()
	}
	if t.part < measured {
		t.measure()
	}
	if t.ended == interp.Refused && isFatal(m.PC) {
		golink.Add64(&counts.Windows.Thrown, 1)
		golink.Store32(&t.lock, 0)
		return
	}
	w.Ended = uint16(t.ended)
	if m.Changed() {
		golink.Add64(&counts.Windows.Changed, 1)
	}
	golink.Add64(&counts.Windows.Ended[t.ended&(pepfile.WindowEnds-1)], 1)
	golink.Add64(&counts.Windows.Steps, int64(m.Steps))
	n, sum := t.loads, uint64(0)
	w.Loads = uint16(n)
	for i := t.first; i != 0; {
		x := &t.tally[(i-1)&(1<<tallyBits-1)]
		counts.AddTo(x.entry, uint64(x.n), w.Time)
		sum += uint64(x.n)
		if x.short {
			golink.Add64(&counts.Shortened, int64(x.n))
		}
		if n >= 0 && n < len(t.records) {
			t.records[n] = pepfile.WindowRecord{Entry: x.entry + 1, Count: x.n}
			n++
		} else {
			w.Missed += x.n
		}
		i = x.next
	}
	w.Ends = uint32(min(sum, 1<<32-1))
	golink.Add64(&counts.Taken, int64(sum))
	if n >= 0 && n <= len(t.records) {
		kept := w.Number
		w.Unnoted = t.noted.sum(t.made)
		counts.LogWindow(w, t.records[:n], t.noted.records())
		w.Number = kept
	}
	golink.Store32(&t.lock, 0)
}

// isFatal reports whether pc is where a fatal error begins.
func isFatal(pc uint64) bool { return pc == uint64(fatalPCs[0]) || pc == uint64(fatalPCs[1]) }

// onDecode is called for each instruction that is decoded.
func onDecode(pc uint64, a *interp.Actions) bool {
	if isFatal(pc) {
		return false
	}
	if !program.Actions(pc, a) {
		return false
	}
	if !a.Changed {
		addValues(pc, a)
	}
	return true
}

// onEvent is called for each instruction with an action in a window, and for each load that was chosen.
func onEvent(m *interp.Machine, event uint64) {
	t := (*Taker)(golink.At(uintptr(unsafe.Pointer(m)) - unsafe.Offsetof(Taker{}.machine)))
	if event == interp.LoadEvent {
		t.load()
		return
	}
	fn, action, ok := program.Event(event)
	if !ok {
		return
	}
	s, _ := t.stacks.Of(m)
	if s == nil {
		return
	}
	s.Step(s.Hi-m.R[4], fn, action)
	ended := s.Ended()
	if len(ended) == 0 {
		return
	}
	t.label(s)
	pc := uint32(program.PC(event) - uint64(callers.Text.Base))
	for _, path := range ended {
		t.end(s, path, pc)
	}
}

// load times a load, but none behind the normal length of the window, since these have no part in its weight.
func (t *Taker) load() {
	n := t.loads
	if t.part >= measured || n < 0 || n >= maxLoads {
		return
	}
	pc, cycles, ok := t.machine.TimeLoad()
	at, inText := callers.Offset(uintptr(pc))
	if ok && inText {
		t.records[n] = pepfile.WindowRecord{Entry: at, Count: uint32(cycles)}
		t.loads = n + 1
	}
}

// label finds the number of a goroutine's labels, which the window may change. Labels that the window has made are in
// its buffer: its paths count as if there were none.
func (t *Taker) label(s *window.Stack) {
	if labelsAt == 0 {
		return
	}
	at, ok := t.machine.Load(s.G+uint64(labelsAt), 8)
	if !ok || at == s.LabelsAt {
		return
	}
	s.LabelsAt, s.Labels, t.chainOf = at, 0, 0
	if !t.machine.Wrote(at) {
		s.Labels = uint32(counts.WordLabels((*golink.Labels)(golink.At(uintptr(at)))))
	}
}

// end counts a path that ends at pc, relative to the text.
func (t *Taker) end(s *window.Stack, path, pc uint32) {
	m := &t.machine
	bp, sp := m.R[5], m.R[4]
	if t.chainOf != uintptr(unsafe.Pointer(s)) || t.chainBP != bp || m.Returned >= bp+8 {
		t.walk(s, sp, bp)
	}
	if s.Labels == pepfile.TooManyLabels {
		golink.Add64(&counts.Unlabelled, int64(t.weight))
	}
	leaf := uint32(0)
	if top, ok := m.Load(sp, 8); ok {
		if off, ok := callers.Offset(uintptr(top)); ok {
			leaf = off
		}
	}
	h := pepfile.Mix(pepfile.Mix(t.chainAt, uint64(path)<<32|uint64(pc)), uint64(leaf))
	h |= 1
	number := uint32(t.window.Number)
	var free uint64 // 1 + the index of a tally that this window has not used
	for i := range uint64(tallyTry) {
		at := (h>>1 + i) & (1<<tallyBits - 1)
		x := &t.tally[at]
		if x.hash == h {
			if x.window == number {
				x.n += t.weight
			} else {
				t.begin(at)
			}
			return
		}
		if free == 0 && x.window != number {
			free = 1 + at
		}
		if x.hash == 0 {
			break
		}
	}
	if free != 0 {
		k := &t.chain
		k.Path, k.PC, k.Leaf, k.Labels = path, pc, leaf, s.Labels
		if s.Labels == pepfile.TooManyLabels {
			k.Labels = 0
		}
		n := k.N
		e, short, ok := counts.Claim(k) // which may shorten k
		if k.N != n {
			t.chainOf = 0
		}
		if ok {
			x := &t.tally[(free-1)&(1<<tallyBits-1)]
			x.hash, x.entry, x.short = h, e, short
			t.begin(free - 1)
			return
		}
	}
	golink.Add64(&counts.Dropped, int64(t.weight))
	golink.Add64(&counts.Taken, int64(t.weight))
}

// begin counts for the first time in a window, in the tally with an index.
func (t *Taker) begin(at uint64) {
	x := &t.tally[at&(1<<tallyBits-1)]
	x.window, x.n, x.next = uint32(t.window.Number), t.weight, 0
	if t.last == 0 {
		t.first = uint16(at) + 1
	} else {
		t.tally[(t.last-1)&(1<<tallyBits-1)].next = uint16(at) + 1
	}
	t.last = uint16(at) + 1
}

// walk finds the callers of the function that is executed, by frame pointers.
func (t *Taker) walk(s *window.Stack, sp, bp uint64) {
	m := &t.machine
	k := &t.chain
	k.N = 0
	list := callers.New(k, counts.Header)
	at, low := bp, sp
	h := uint64(s.Labels)
	most := callers.MaxWalk
	if t.walked > walkMost {
		most = walkFew
	}
	for range most {
		if at < low || at > s.Hi-16 || at%8 != 0 {
			break
		}
		ret, ok := m.Load(at+8, 8)
		if !ok {
			break
		}
		off, ok := callers.Offset(uintptr(ret))
		if !ok {
			break
		}
		t.walked++
		h = pepfile.Mix(h, uint64(off))
		if !list.Add(off) {
			break
		}
		low = at + 16
		if at, ok = m.Load(at, 8); !ok {
			break
		}
	}
	list.Finish()
	t.chainOf, t.chainBP, t.chainAt = uintptr(unsafe.Pointer(s)), bp, h
	m.Returned = 0
}
