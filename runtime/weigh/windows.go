package weigh

// This file computes the weights of windows.

// A Window is the interpretation of what the program did behind a tick.
type Window struct {
	Time  float64 // CPU time that its tick stands for, in ns
	Steps float64 // instructions
	Waits float64 // cycles that the program waits in them
	Paths []Ended // that end in it, each once
}

// An Ended is how often a path ends in a window.
type Ended struct {
	Path  uint32 // any number that no other path has
	Count float64
}

const (
	nativeCycles = .22  // cycles that the processor takes for an instruction, without waits
	leastSteps   = 600. // instructions of a window that was cut off count as so many
)

// Weight returns how many windows of the program a window stands for.
//
// Ticks are at equal distances in time, and windows have equal numbers of instructions. So a window stands for the CPU
// time between ticks, divided by the time that the program takes for its instructions. Nobody measures that, but the
// interpreter estimates how long it waits (file wait.go of package interp), and what else differs is small: cycles of the
// time stamp counter for an instruction are 0.13 to 0.30 in seven programs, and 0.15 in a loop of additions. In a loop that
// goes through a list in memory they are 100.
//
// A window that is cut off after s instructions, by a system call for example, stands for the stretch of code up to the
// cut. Let that have l instructions. The windows that begin in it have 0 to l instructions, and if each has the weight
// 1/s, the stretch as a whole has the right one. But a window of a few instructions would have a huge weight, so
// s is leastSteps at least.
func (w *Window) Weight() float64 {
	if w.Steps <= 0 {
		return 0
	}
	return w.Time / (max(w.Steps, leastSteps) * (nativeCycles + w.Waits/w.Steps))
}

// Level makes the waits of windows the usual ones of what they do.
//
// What a window waits is an estimate from a few of its loads: of two windows that execute the same code, one may wait for
// nothing and the other ten times as long as for its instructions. Weights by that would be less precise than equal ones. So
// a path has the waits, for each instruction, of all windows that it ends in, by its share of the ends there, and a window has
// those of its paths, by their shares. Loops that wait for memory, and others, have no paths in common, and stay apart.
// Let two windows have path a alone, and wait 0 and 2 cycles an instruction, and a third one path b, and 100 cycles. Behind
// Level that is 1, 1 and 100. A window without paths keeps its waits.
func Level(windows []Window) {
	type sum struct{ waits, steps float64 }
	usual := map[uint32]sum{}
	for i := range windows {
		w := &windows[i]
		all := w.ends()
		if all <= 0 {
			continue
		}
		for _, p := range w.Paths {
			x := usual[p.Path]
			usual[p.Path] = sum{x.waits + p.Count/all*w.Waits, x.steps + p.Count/all*w.Steps}
		}
	}
	for i := range windows {
		w := &windows[i]
		if all := w.ends(); all > 0 && w.Steps > 0 {
			w.Waits = 0
			for _, p := range w.Paths {
				if x := usual[p.Path]; x.steps > 0 {
					w.Waits += p.Count / all * w.Steps * x.waits / x.steps
				}
			}
		}
	}
}

func (w *Window) ends() (n float64) {
	for _, p := range w.Paths {
		n += p.Count
	}
	return n
}

// Part returns how much of its time some cycles of the window are.
func (w *Window) Part(cycles float64) float64 {
	if w.Steps <= 0 {
		return 0
	}
	return w.Time * cycles / (w.Steps*nativeCycles + w.Waits)
}
