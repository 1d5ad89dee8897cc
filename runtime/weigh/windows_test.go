package weigh

import (
	"math"
	"testing"
)

// A window stands for its time, divided by what the program takes for its instructions and for memory.
func TestWindow(t *testing.T) {
	usual := Window{Time: 1e7, Steps: 6000}
	for _, test := range []struct {
		name string
		Window
		want float64 // times the usual weight
	}{
		{"three times as much time", Window{Time: 3e7, Steps: 6000}, 3},
		{"half as many instructions", Window{Time: 1e7, Steps: 3000}, 2},
		{"as much time for memory as for instructions", Window{Time: 1e7, Steps: 6000, Waits: 6000 * nativeCycles}, .5},
		{"100 cycles for memory each instruction", Window{Time: 1e7, Steps: 6000, Waits: 6e5}, nativeCycles / (100 + nativeCycles)},
		{"cut off", Window{Time: 1e7, Steps: 5}, 6000 / leastSteps},
		{"cut off, and memory", Window{Time: 1e7, Steps: 5, Waits: 5 * nativeCycles}, 3000 / leastSteps},
		{"no instructions", Window{Time: 1e7, Waits: 100}, 0},
	} {
		if got := test.Weight() / usual.Weight(); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %g times the usual weight, want %g", test.name, got, test.want)
		}
	}
}
