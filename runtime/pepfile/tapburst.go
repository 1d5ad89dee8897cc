package pepfile

// This file holds the numbers of bursts of taps. taps/burst.go explains bursts.

// A Burst has the numbers of all bursts of a program, and when the current one began.
// Handlers and other threads write the fields without a lock, each by one atomic store.
type Burst struct {
	Ticks   uint64 // that began a burst, even if no tap has reported in it
	Seen    uint64 // events in bursts
	Taken   uint64 // samples of them that were recorded
	Inside  uint64 // ns of program time in those bursts that have events
	Longest uint64 // ns of program time of the longest burst
	CPU     uint64 // ns of CPU time of the program at its end, or when the last burst ended

	// The tick that began the burst, the one that began the burst before, and the last tick
	// that began none, by the CPU time in ns. A burst ends at the latest where Until is.
	Tick, Before, Until uint64

	// Heaviest is the greatest number of events that the samples of a word in one burst have
	// stood for; with an engine, those of a tap.
	Heaviest float64
}

// Scale returns the factor from the CPU time that bursts stand for, which ends at the
// last tick, to that of the whole program.
func (b *Burst) Scale() float64 {
	if b.Tick == 0 || b.CPU <= b.Tick {
		return 1
	}
	return float64(b.CPU) / float64(b.Tick)
}
