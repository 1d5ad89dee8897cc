package weigh

// This file computes the weights of windows.

// A Window is the interpretation of what the program did behind a tick.
type Window struct {
	Time    float64 // CPU time that its tick stands for, in ns
	Cycles  float64 // that the interpreter took
	Steps   float64 // instructions
	Decoded float64 // instructions that the interpreter had to decode
	Events  float64 // instructions with actions
	Ends    float64 // ends of paths
}

const (
	nativeCycles = .7 // cycles that the processor takes for an instruction whose data is in its first cache
	noise        = 40 // cycles of an instruction above the base that may come from other threads, and from caches that they have emptied
	decodeCost   = 300.
	mostExtra    = 200. // cycles of an instruction above the base; what is more was not the program's, but another thread's
	leastSteps   = 600. // instructions of a window that was cut off count as so many
)

// Windows returns the weights of windows: how many windows of the program each of them stands for.
//
// Ticks are at equal distances in time, and windows have equal numbers of instructions. So a window stands for the CPU
// time between ticks, divided by the time that the program takes for its instructions. Nobody measures that. But the
// interpreter loads from the same addresses, and nothing has brought these into the caches before. What it takes much
// longer than where all is in the caches the program takes longer, too:
//
//	time of the program = instructions · (nativeCycles + (time of the interpreter - its base) / instructions - noise)
//
// For example, an instruction of a chain of pointers through 64 MB takes the processor 75 to 150 cycles and the interpreter
// 75 to 85 with a base of 6, so that it seems to take 35. One of arithmetic takes 0.4, and seems to take nativeCycles. Less
// noise would bring the first closer to what is right, and make weights of all windows differ at random on busy machines.
//
// A window that is cut off after s instructions, by a system call for example, stands for the stretch of code up to the
// cut. Let that have l instructions. The windows that begin in it have 0 to l instructions, and if each has the weight
// 1/s, the stretch as a whole has the right one. But a window of a few instructions would have a huge weight, so
// s is leastSteps at least.
//
// The base is linear in instructions, events and ends of paths; its factors are fitted to the windows.
func Windows(list []Window) []float64 {
	base := fitBase(list)
	weights := make([]float64, len(list))
	for i := range list {
		w := &list[i]
		if w.Steps <= 0 {
			continue
		}
		extra := min(max((w.Cycles-w.Decoded*decodeCost-base.of(w))/w.Steps-noise, 0), mostExtra)
		weights[i] = w.Time / (max(w.Steps, leastSteps) * (nativeCycles + extra))
	}
	return weights
}

// A base is the cycles that the interpreter takes for an instruction, an event and the end of a path.
type base [3]float64

func (b *base) of(w *Window) float64 { return b[0]*w.Steps + b[1]*w.Events + b[2]*w.Ends }

// fitBase fits the base to windows. It is below most windows that read from memory and above few: the fit is that of least
// squares, with windows above it counting for little (asymmetric least squares, Newey and Powell, 1987).
func fitBase(list []Window) base {
	const rounds, above = 12, .05
	first := base{5, 30, 100}
	b := first
	for range rounds {
		var a [3][4]float64
		for i := range list {
			w := &list[i]
			if w.Steps <= 0 || w.Decoded > w.Steps/20 {
				continue
			}
			x, y := [3]float64{w.Steps, w.Events, w.Ends}, w.Cycles-w.Decoded*decodeCost
			weight := 1 / (w.Steps * w.Steps)
			if y > b.of(w) {
				weight *= above
			}
			for j := range x {
				for k := range x {
					a[j][k] += weight * x[j] * x[k]
				}
				a[j][3] += weight * x[j] * y
			}
		}
		const ridge = 1e-3
		for j := range b {
			a[j][3] += ridge * a[j][j] * first[j]
			a[j][j] += ridge*a[j][j] + 1e-12
		}
		b = solve(a)
	}
	return b
}

// solve solves three linear equations whose matrix is positive, and returns 0 for unknowns that would be negative.
func solve(a [3][4]float64) (x base) {
	for j := range a {
		for k := j + 1; k < len(a); k++ {
			f := a[k][j] / a[j][j]
			for l := range a[k] {
				a[k][l] -= f * a[j][l]
			}
		}
	}
	for j := len(a) - 1; j >= 0; j-- {
		sum := a[j][3]
		for k := j + 1; k < len(a); k++ {
			sum -= a[j][k] * x[k]
		}
		x[j] = max(sum/a[j][j], 0)
	}
	return x
}
