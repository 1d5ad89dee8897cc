//go:build linux && amd64

package sampling

// This file measures the bias of samples to slow instructions (section 5 of the paper).

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/tracer"
)

// Skips are the longest random skips of which the bias is measured: none, a short one, that of
// peptrace values, and the longest one.
var Skips = []int{0, 15, tracer.DefaultSkip, 255}

// A Bias has the number of values that were sampled of two loads of one basic block, which is
// executed in a loop.
type Bias struct {
	Skip      int
	Far, Near uint64 // of memory that is in no cache, and of memory in the first cache
}

// Ratio is that of the load with more values to the other one; 1 is right.
func (b Bias) Ratio() float64 { return float64(max(b.Far, b.Near)) / float64(min(b.Far, b.Near)) }

// Bias samples the program loads for some CPU time with each skip.
func (e *Experiment) Bias(last time.Duration) (all []Bias, err error) {
	exe, err := e.hidden("loads")
	if err != nil {
		return nil, err
	}
	for _, skip := range Skips {
		fmt.Fprintf(e.Log, "bias: skip %d\n", skip)
		b := Bias{Skip: skip}
		w := values(tracer.SampleRequest{Interval: 100 * time.Microsecond, Skip: skip})
		w.use = b.count
		if _, err := sampled(exe, nil, &w, last); err != nil {
			return nil, err
		}
		if b.Far == 0 || b.Near == 0 {
			return nil, fmt.Errorf("skip %d: %d values of the far load, %d of the near one", skip, b.Far, b.Near)
		}
		all = append(all, b)
	}
	return all, nil
}

// load matches an instruction that loads a register from memory.
var load = regexp.MustCompile(`^MOV\w* \S*\(\S*, \w+$`)

// count counts the values of the two loads, which comments in the source name.
func (b *Bias) count(s *tracer.Sampled) {
	for _, binary := range s.List(tracer.Selection{Source: source.NewTree("")}).Binaries {
		for _, f := range binary.Functions {
			for _, in := range f.Instructions {
				for _, l := range in.Lists {
					switch {
					case l.Kind != "result" || !load.MatchString(in.Instruction):
					case strings.HasSuffix(in.Source, "// far"):
						b.Far += l.Samples
					case strings.HasSuffix(in.Source, "// near"):
						b.Near += l.Samples
					}
				}
			}
		}
	}
}
