package interp

// This file estimates how long the program waits, for memory and behind mispredicted branches (predict.go). The
// interpreter loads from the addresses that the program will load from, before the program does, so it finds them where
// the program would: in a cache, or in memory. It times one load of eight.
//
// The processor does many loads at the same time, unless the address of one comes from the one before. So a wait counts
// whole if the next load is chained to it, and else divided by overlap. They are chained if
//   - the address of one of the next two is in the bytes around what was timed: it is a pointer
//   - or the addresses of the loads behind two timed loads in a row differ by what the values differ, times a size:
//     these are indices
//   - or a branch behind the timed load is mispredicted, before there is another load that may wait
//
// Only loads that leave the lines met last are timed, so that timing costs less than the loads.
//
// The tick and its handler have displaced some of what the program had in its caches, and where its pages are. To bring
// that back takes one or two loads of a hundred 350 to 1300 cycles in programs that do not wait for memory otherwise,
// most of them at the beginning of a window. So whoever takes a window calls Settle when its first instructions are
// behind, and waits begin there.

const (
	timedMean = 8       // one load of so many is timed
	longWait  = 2000    // cycles; what takes longer is a switch to another thread
	cacheWait = 60      // cycles that a load may take from a cache, since the tick has emptied the nearer ones
	overlap   = 8       // loads that the processor does at the same time
	block     = 64      // bytes that come from memory together
	field     = 256     // largest offset in what a pointer points to
	follow    = 2       // loads behind a timed one that may be chained to it
	maxSize   = 1 << 12 // of an element
	restart   = 14      // cycles behind a mispredicted branch, without the wait for what it depends on
)

// A waitMeter decides which loads are timed, and adds up what they waited.
type waitMeter struct {
	chained uint64 // cycles that timed loads have waited, with a chained load behind them
	others  uint64 // without
	misses  uint64 // mispredicted branches
	random  uint64
	until   uint32 // loads until the next timed one
	after   uint32 // loads behind the last timed one that may still be chained to it
	at      uint64 // the address of the last timed load
	wait    uint64 // and its wait
	indices [2]indexed
}

// An indexed is the value of the last timed load, of 4 or 8 bytes, and the address of the load behind it.
type indexed struct{ value, next uint64 }

// Settle forgets what the program has waited so far in the window.
func (m *Machine) Settle() { m.meter.forget() }

// Waits returns how many cycles the program waits in the window since Settle, for memory and behind mispredicted
// branches.
func (m *Machine) Waits() uint64 {
	return m.MemoryWaits() + m.meter.misses*restart
}

// MemoryWaits returns how many of these it waits for memory.
func (m *Machine) MemoryWaits() uint64 {
	l := &m.meter
	return (l.chained + l.others/overlap) * timedMean
}

// forget begins anew.
func (l *waitMeter) forget() {
	l.chained, l.others, l.misses, l.after = 0, 0, 0, 0
	l.indices = [2]indexed{}
}

// mayTime is called for a load from a line that is not among the lines met last, at the program's address a, which the
// machine reads at the address at. It times the load if its turn has come.
func (m *Machine) mayTime(a, at uint64) {
	l := &m.meter
	if l.after > 0 {
		l.follows(a)
	}
	if l.until > 0 {
		l.until--
		return
	}
	l.random = l.random*6364136223846793005 + 1442695040888963407
	l.until = uint32(follow + l.random>>61 + l.random>>58&3) // in the mean 7: one of eight loads is timed
	took := m.Time(at)
	if took <= m.Quick+cacheWait {
		l.after = 0
		return
	}
	l.wait = min(took-m.Quick-cacheWait, longWait)
	l.others += l.wait
	l.after, l.at = follow, at
}

// follows is called for a load behind a timed one that has waited.
func (l *waitMeter) follows(a uint64) {
	chained := false
	if l.after == follow { // the next one
		at := l.at
		if at%block > block-8 {
			at &^= 7
		}
		long := l.indices[0].isIndex(*word(at), a)
		short := l.indices[1].isIndex(*word(at)&(1<<32-1), a)
		chained = long || short
	}
	l.after--
	line := l.at &^ (block - 1)
	for i := uint64(0); i < block && !chained; i += 8 {
		chained = a-*word(line + i) < field
	}
	if chained {
		l.chain()
	}
}

// chain counts the wait of the last timed load whole.
func (l *waitMeter) chain() {
	l.chained += l.wait
	l.others -= l.wait
	l.after = 0
}

// mispredicted is called for a branch that the processor is likely to mispredict. It is taken to depend on what was
// loaded last, so it waits for that.
func (l *waitMeter) mispredicted() {
	l.misses++
	if l.after == follow {
		l.chain()
	}
}

// isIndex reports whether a value that was loaded is the index of what is at the address of the next load, as far as
// the timed load before tells.
func (x *indexed) isIndex(value, next uint64) bool {
	by, to := value-x.value, next-x.next
	if int64(by) < 0 {
		by, to = -by, -to
	}
	x.value, x.next = value, next
	return by != 0 && to != 0 && to%by == 0 && to/by < maxSize
}
