package windows

import (
	"math/rand/v2"
	"testing"

	"github.com/pepgo/pep/runtime/pepfile"
)

// The clock goes in steps of 26 cycles, so a load of 65 takes 52 or 78, each with a chance of one half. What is
// measured is the longer one in each of 1000 tries: all but three of 63 are the shorter one in fewer than 1 of 10^14
// tries, so a false alarm has a chance below 1 in 10^11. The median would be the shorter one in half of the tries.
func TestNearCacheByAClockInSteps(t *testing.T) {
	const step, took = 26, 65
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		near, memory := measureLoads(func(uint64) uint64 {
			began := rng.Uint64N(1 << 40)
			return (began+took)/step*step - began/step*step
		})
		if near != 78 || memory != 52 && memory != 78 {
			t.Fatalf("a load of %d cycles takes %d by a clock in steps of %d, in the median %d", took, near, step, memory)
		}
	}
}

// Of the instructions of a window, paths count that begin in three of four, also if the window is slow: so counts,
// divided by instructions, mean the same.
func TestSlowWindowIsShorter(t *testing.T) {
	for _, x := range []struct {
		took  uint64 // ns for the first part
		steps int
	}{
		{slowTime, windowSteps},
		{slowTime + 1, pepfile.Settled * windowSteps / firstSteps},
	} {
		w := Taker{part: 1}
		first, steps := 0, pepfile.Settled
		for w.part++; w.part < measured; w.part++ {
			n := w.normalPart(steps, x.took)
			if w.part == lastPart {
				first = steps
			}
			steps += n
		}
		if steps != x.steps || first*windowSteps != steps*firstSteps {
			t.Errorf("behind %d ns a window has %d instructions, want %d; paths begin in %d of them", x.took, steps, x.steps,
				first)
		}
	}
}
