// Package period draws the times between samples, which both kinds of value samplers spread
// around a mean, so that no program runs in step with the sampler.
//
//	interval, jitter := time.Duration(0), 0.0
//	err := period.Check(&interval, &jitter)   // 1/997 s and 0.125 now
//	wait := period.Draw(interval, jitter)     // 0.878 to 1.128 ms
package period

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Check fills in defaults: an interval of 1/997 s for 0, a jitter of 0.125 for 0, and none for a jitter below 0. It
// refuses a jitter of 1 and above, with which times could be 0.
func Check(interval *time.Duration, jitter *float64) error {
	if *interval == 0 {
		*interval = time.Second / 997
	}
	switch {
	case *jitter == 0:
		*jitter = 0.125
	case *jitter < 0:
		*jitter = 0
	case *jitter >= 1:
		return fmt.Errorf("jitter %v: it must be below 1", *jitter)
	}
	return nil
}

// Draw returns a random time, spread evenly over interval ± jitter·interval.
func Draw(interval time.Duration, jitter float64) time.Duration {
	return time.Duration(float64(interval) * (1 + jitter*(2*rand.Float64()-1)))
}
