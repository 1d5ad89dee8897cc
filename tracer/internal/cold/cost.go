//go:build linux && amd64

package cold

// This file says what a session has cost.

import (
	"slices"
	"syscall"
	"time"

	"github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/machine/site"
)

// costs are what is known of the cost of a session.
type costs struct {
	probes         int
	attach, detach time.Duration
	hits, stepped  uint64
	cpu            time.Duration // of this process, when the session began
	used           time.Duration // by the session
	latencies      []uint64      // ns
	ticks          []tick
	differ         []string
}

// A tick is an estimate of what the program has spent on hits until then.
type tick struct {
	at    time.Time
	spent time.Duration
}

// most is how many ticks and latencies are kept.
const (
	mostTicks     = 1 << 16
	mostLatencies = 1 << 20
)

func (c *costs) begin() { c.cpu = cpu() }

func (c *costs) attached(probes int, t time.Duration) { c.probes, c.attach = probes, t }

func (c *costs) detached(t time.Duration) { c.detach, c.used = t, cpu()-c.cpu }

// latency notes the time from a hit until now.
func (c *costs) latency(hit uint64) {
	if t := now(); t > hit && len(c.latencies) < mostLatencies {
		c.latencies = append(c.latencies, t-hit)
	}
}

// count notes the number of hits so far.
func (c *costs) count(hits, stepped uint64) {
	c.hits, c.stepped = hits, stepped
	if len(c.ticks) == mostTicks { // every other one is enough
		for i := range mostTicks / 2 {
			c.ticks[i] = c.ticks[2*i]
		}
		c.ticks = c.ticks[:mostTicks/2]
	}
	c.ticks = append(c.ticks, tick{time.Now(), c.spent()})
}

// spent estimates what the hits have cost the program.
func (c *costs) spent() time.Duration {
	return time.Duration(c.stepped)*site.CostStepped + time.Duration(c.hits-c.stepped)*site.CostEmulated
}

// steady returns which share of a CPU the hits took in the last minute, or in the second half of a shorter session.
func (c *costs) steady() (share float64, of time.Duration) {
	if len(c.ticks) < 2 {
		return 0, 0
	}
	last := c.ticks[len(c.ticks)-1]
	from := min(time.Minute, last.at.Sub(c.ticks[0].at)/2)
	i, _ := slices.BinarySearchFunc(c.ticks, last.at.Add(-from),
		func(t tick, at time.Time) int { return t.at.Compare(at) })
	i = min(i, len(c.ticks)-2)
	of = last.at.Sub(c.ticks[i].at)
	return float64(last.spent-c.ticks[i].spent) / float64(max(of, 1)), of
}

// Cost returns what the session has cost. It is called after Detach.
func (s *Session) Cost() *cold.Cost {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.cost
	slices.Sort(c.latencies)
	quantile := func(q float64) float64 {
		if len(c.latencies) == 0 {
			return 0
		}
		return float64(c.latencies[int(q*float64(len(c.latencies)-1))])
	}
	mode := "write"
	if s.careful != "" {
		mode = "re-attach"
	}
	steady, of := c.steady()
	return &cold.Cost{
		Mode: mode, Probes: c.probes, Attach: c.attach.Seconds(), Detach: c.detach.Seconds(), Hits: c.hits,
		Stepped: c.stepped,
		Warm:    c.spent().Seconds(), Tracer: c.used.Seconds(), Steady: steady, Last: of.Seconds(),
		Median: quantile(.5), P90: quantile(.9), P99: quantile(.99), Max: quantile(1),
		Process: max(len(s.pids), min(s.target.PID, 1)), TextSame: len(c.differ) == 0,
	}
}

// Differences says where the code of processes was not as the file says when all probes had been taken away.
func (s *Session) Differences() []string { return s.cost.differ }

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
