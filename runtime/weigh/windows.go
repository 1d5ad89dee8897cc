package weigh

// This file computes the weights of windows.

// A Window is the interpretation of what the program did behind a tick.
type Window struct {
	Time   float64 // CPU time that it stands for, in ns
	Steps  float64 // instructions
	Waits  float64 // cycles that the program waits in the instructions in which that was looked for
	Memory float64 // of these, for memory
	Watch  float64 // how many instructions these are
	Paths  []Ended // that end in it, each once
	rate   float64 // cycles that the program waits for an instruction, as Level has set it
	usual  waiting // what it waits in one, likewise, without commonSteps
}

// An Ended is a path that ends in a window.
type Ended struct {
	Path uint32  // any number that no other path has
	Part float64 // of the ends of paths in the window
}

const (
	nativeCycles = .22  // cycles that the processor takes for an instruction, without waits
	leastSteps   = 600. // instructions of a window that was cut off count as so many
	commonSteps  = 300. // with so many instructions at the mean rate of all windows, a rate is known
)

// Weight returns how many times the program does what a window has seen, for each ns that the window stands for.
//
// Windows have equal numbers of instructions. So that is one, divided by the time that the program takes for them.
// Nobody measures that, but the interpreter estimates how long it waits (file wait.go of package interp), and what else
// differs is small: cycles of the time stamp counter for an instruction are 0.13 to 0.30 in seven programs, and 0.15 in
// a loop of additions. In a loop that goes through a list in memory they are 100.
//
// A window that is cut off after s instructions, by a system call for example, stands for the stretch of code up to the
// cut. Let that have l instructions. The windows that begin in it have 0 to l instructions, and if each has the weight
// 1/s, the stretch as a whole has the right one. But a window of a few instructions would have a huge weight, so
// s is leastSteps at least.
//
// Level comes first: how long the program waits is that of all windows.
func (w *Window) Weight() float64 {
	if w.Steps <= 0 {
		return 0
	}
	return 1 / (max(w.Steps, leastSteps) * (nativeCycles + w.rate))
}

// Level sets how long the program waits for an instruction in windows, as is usual for what they do.
//
// What a window waits is an estimate from a few of its loads: of two windows that execute the same code, one may wait
// for nothing and the other ten times as long as for its instructions. Weights by that would be less precise than equal
// ones. And a window that ends early was not watched at all. So a path has the rate of all windows that it ends in, by
// its share of the ends there, and a window has those of its paths, by their shares. Loops that wait for memory, and
// others, have no paths in common, and stay apart.
//
// Let two windows of 3,000 watched instructions have path a alone, and wait 0 and 2 cycles an instruction, and a third
// one path b, and 100 cycles. Behind Level that is 1, 1 and 100, but for what paths that were hardly watched need: to
// each path come commonSteps instructions at the mean rate of all windows, 34. So it is 2.6, 2.6 and 94. A window
// without paths has its own rate, likewise.
func Level(windows []Window) {
	usual := map[uint32]waiting{}
	var all waiting
	for i := range windows {
		w := &windows[i]
		all.add(w, 1)
		for _, p := range w.Paths {
			x := usual[p.Path]
			x.add(w, p.Part)
			usual[p.Path] = x
		}
	}
	watched := max(all.steps, 1)
	common := waiting{all.cycles / watched, all.memory / watched, 1}
	for i := range windows {
		w := &windows[i]
		if len(w.Paths) == 0 {
			var own waiting
			own.add(w, 1)
			w.rate, w.usual = own.each(common, commonSteps).cycles, own.each(common, 1)
			continue
		}
		w.rate, w.usual = 0, waiting{}
		for _, p := range w.Paths {
			x := usual[p.Path]
			w.rate += p.Part * x.each(common, commonSteps).cycles
			x = x.each(common, 1)
			w.usual.cycles += p.Part * x.cycles
			w.usual.memory += p.Part * x.memory
		}
	}
}

// A waiting is how many cycles the program waits in some instructions, for anything and for memory.
type waiting struct{ cycles, memory, steps float64 }

// add adds a part of a window.
func (x *waiting) add(w *Window, part float64) {
	x.cycles += part * w.Waits
	x.memory += part * w.Memory
	x.steps += part * w.Watch
}

// each returns what the program waits in one instruction, where some more wait as one of the mean does.
func (x waiting) each(mean waiting, some float64) waiting {
	steps := x.steps + some
	return waiting{(x.cycles + some*mean.cycles) / steps, (x.memory + some*mean.memory) / steps, 1}
}

// Waiting returns how much of its time the program waits for memory, in ns. Level comes first, so a window that was not
// watched waits as others do in which the same paths end. Without commonSteps, since these would have loops wait that
// are seldom seen and wait for nothing. One instruction at the mean rate is left, for paths that were never watched.
func (w *Window) Waiting() float64 { return w.Time * w.usual.memory / (nativeCycles + w.usual.cycles) }
