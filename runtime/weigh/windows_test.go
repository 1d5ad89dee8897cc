package weigh

import (
	"math"
	"testing"
)

// window returns a window of so many instructions, for which the interpreter takes what its base says, and some cycles more
// for each instruction.
func window(steps, events, ends, extra float64) Window {
	return Window{Time: 1e7, Steps: steps, Events: events, Ends: ends, Cycles: 6*steps + 40*events + 150*ends + extra*steps}
}

// A little time above the base says nothing about memory.
func TestWindowsOnABusyMachine(t *testing.T) {
	var list []Window
	for i := range 200 {
		list = append(list, window(6000, 300+float64(i), 100, float64(i%30)))
	}
	weights := Windows(list)
	for i, w := range weights {
		if w != weights[0] {
			t.Fatalf("window %d has the weight %g, and the first one %g", i, w, weights[0])
		}
	}
}

// Windows of code that waits for memory stand for fewer windows of the program, in the proportion that the interpreter's
// time above its base says, whatever else is in them.
func TestWindowsOfSlowCode(t *testing.T) {
	var list []Window
	for i := range 200 {
		fast := window(6000, 300+float64(i), 100+float64(i%7)*20, 0)
		slow := window(6000, 200+float64(i), 50+float64(i%5)*10, 80)
		list = append(list, fast, slow)
	}
	weights := Windows(list)
	fast, slow := weights[0], weights[1]
	want := (nativeCycles + 80 - noise) / nativeCycles
	if got := fast / slow; got < want/1.5 || got > want*1.5 {
		t.Errorf("fast code has %g times the weight of slow code, want about %g", got, want)
	}
	for i, w := range weights {
		if mean := weights[i%2]; w < mean/1.5 || w > mean*1.5 {
			t.Fatalf("window %d has the weight %g, and the first of its kind %g", i, w, mean)
		}
	}
}

// A window of a few instructions does not outweigh all others, and one in which the thread was off the processor does not
// weigh nothing. What has no instructions has no weight.
func TestOddWindows(t *testing.T) {
	var list []Window
	for range 50 {
		list = append(list, window(6000, 300, 100, 0))
	}
	cut, off := window(5, 1, 1, 0), window(6000, 300, 100, 1e6)
	weights := Windows(append(list, cut, off, Window{Time: 1e7, Cycles: 100}))
	normal := weights[0]
	for i, want := range map[int]float64{50: 10, 51: nativeCycles / (nativeCycles + mostExtra), 52: 0} {
		if got := weights[i] / normal; math.Abs(got-want) > want*.5 {
			t.Errorf("window %d weighs %g times as much as a normal one, want about %g", i, got, want)
		}
	}
	for _, few := range [][]Window{nil, {cut}, {{}}} {
		for _, w := range Windows(few) {
			if w < 0 || math.IsNaN(w) || math.IsInf(w, 0) {
				t.Errorf("%v: weight %g", few, w)
			}
		}
	}
}

// A tick that stands for more time has a window with more weight.
func TestWindowsOfLongTicks(t *testing.T) {
	a, b := window(6000, 300, 100, 0), window(6000, 300, 100, 0)
	b.Time *= 3
	if w := Windows([]Window{a, b, a}); math.Abs(w[1]/w[0]-3) > 1e-9 {
		t.Errorf("weights %g, want one that is three times the others", w)
	}
}
