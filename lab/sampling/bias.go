//go:build linux && amd64

package sampling

// This file measures the bias of samples to slow instructions (section 5 of the paper).

import (
	"fmt"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/programs"
	"github.com/pepgo/pep/internal/tracer/sampler"
)

// Skips are the longest random skips of which the bias is measured: none, a short one, that of
// peptrace values, and the longest one.
var Skips = []int{0, 15, sampler.DefaultSkip, 255}

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
	names := programs.New("")
	defer names.Close()
	tree := source.NewTree("")
	for _, skip := range Skips {
		fmt.Fprintf(e.Log, "bias: skip %d\n", skip)
		r, err := sampled(exe, nil, &way{options: sampler.Options{Interval: 100 * time.Microsecond, Skip: skip}, modules: "operands"}, last)
		if err != nil {
			return nil, err
		}
		b := Bias{Skip: skip}
		for _, binary := range r.db.Binaries() {
			for _, l := range binary.Locations() {
				frames := names.Frames(binary.Image, l.Insn.PC)
				values := l.Lists["result"]
				if l.Insn.Memory&capture.Load == 0 || len(frames) == 0 || values == nil {
					continue
				}
				switch text, _ := tree.Line(frames[0].File, int64(frames[0].Line)); {
				case strings.HasSuffix(text, "// far"):
					b.Far += values.Total()
				case strings.HasSuffix(text, "// near"):
					b.Near += values.Total()
				}
			}
		}
		if b.Far == 0 || b.Near == 0 {
			return nil, fmt.Errorf("skip %d: %d values of the far load, %d of the near one", skip, b.Far, b.Near)
		}
		all = append(all, b)
	}
	return all, nil
}
