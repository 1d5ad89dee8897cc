//go:build linux && amd64

package sampling

// This file measures the latency of loads (section 3.3 and Figure 1 of the paper). An interpreter in the kernel
// executes no load of the program, so windows measure it: programs that are built for them interpret some of what they
// are about to do.

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/driver"
)

// A Latency says where a load of the program latencies was from. The comment of its line is its name: far, middle or
// near.
type Latency struct {
	Load  string
	Bins  map[string]float64 // percent of the load's executions by schema.Latencies, as the profile estimates them
	Timed int                // executions that were timed
	Wait  float64            // seconds of CPU time in which the program waited for it
}

// Latencies has windows time the loads of the program latencies, for some seconds of CPU time in each of its two loops.
// A round has each load once.
func (e *Experiment) Latencies(rounds, seconds int) (all [][]*Latency, err error) {
	pepbuild, err := driver.Build("pepbuild", e.Work)
	if err != nil {
		return nil, err
	}
	exe, dir := filepath.Join(e.Work, "latencies"), filepath.Join(e.Root, "lab/sampling/testdata/hidden")
	if _, err := driver.Tool(dir, nil, pepbuild, "build", "-pepmode=windows", "-o", exe, "./latencies"); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "latencies", "main.go"))
	if err != nil {
		return nil, err
	}
	for round := range rounds {
		fmt.Fprintf(e.Log, "latencies of loads: round %d of %d\n", round+1, rounds)
		words, err := e.timed(exe, seconds)
		if err != nil {
			return nil, err
		}
		list, err := latencies(words, strings.Split(string(text), "\n"))
		if err != nil {
			return nil, err
		}
		all = append(all, list)
	}
	return all, nil
}

// timed runs the program latencies and returns what windows have seen of its loads.
func (e *Experiment) timed(exe string, seconds int) ([]profile.Word, error) {
	dir, err := os.MkdirTemp(e.Work, "profiles")
	if err != nil {
		return nil, err
	}
	if _, err := driver.Tool("", []string{"GOMAXPROCS=1", "PEPDIR=" + dir, "PEPOPTS=tick=4ms,say=never"}, exe,
		strconv.Itoa(middle()), strconv.Itoa(seconds)); err != nil {
		return nil, err
	}
	name, err := driver.Profile(dir, schema.Loads)
	if err != nil {
		return nil, err
	}
	f, err := profile.Open(name)
	if err != nil {
		return nil, err
	}
	return f.Words()
}

// middle returns how many KB of memory fit no cache but the last: half as many again as the second cache has.
func middle() (kb int) {
	text, err := os.ReadFile("/sys/devices/system/cpu/cpu0/cache/index2/size")
	if err != nil {
		return 1536
	}
	if _, err := fmt.Sscanf(string(text), "%dK", &kb); err != nil {
		return 1536
	}
	return kb * 3 / 2
}

// latencies returns the loads of the program latencies, by the lines of its source.
func latencies(words []profile.Word, lines []string) (list []*Latency, err error) {
	for _, name := range []string{"far", "middle", "near"} {
		l, all := &Latency{Load: name, Bins: map[string]float64{}}, 0.
		for _, w := range words {
			if w.Line < 1 || int(w.Line) > len(lines) ||
				!strings.HasSuffix(lines[w.Line-1], "// "+name) {
				continue
			}
			l.Bins[w.Value] += float64(w.Count)
			all += float64(w.Count)
			l.Timed += int(w.Messages)
			l.Wait += float64(w.Wait) / 1e9
		}
		if all == 0 {
			return nil, fmt.Errorf("no window has timed the load %s", name)
		}
		for bin := range l.Bins {
			l.Bins[bin] *= 100 / all
		}
		list = append(list, l)
	}
	return list, nil
}
