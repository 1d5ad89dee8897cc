package weigh

// This file computes the weights of windows.

// A Window is the interpretation of what the program did behind a tick.
type Window struct {
	Time  float64 // CPU time that its tick stands for, in ns
	Steps float64 // instructions
	Waits float64 // cycles that the program waits in them
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
