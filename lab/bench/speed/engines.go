// Package speed measures how fast engines are simulated.
//
//	all, err := speed.Engines(cfg, 20)
//	fmt.Print(speed.EngineTables(all))
//
// prints how many million tuples a second each engine takes. Cop does so for the co-processor, in microinstructions and
// samples.
package speed

// This file measures the speed of engines.

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/markdown"
	"github.com/pepgo/pep/lab/stats"
)

// engineSpecs are the engines to measure. Among them are the default engine of make taps
// and its parts, trees of ranges in software and in modelled hardware, and the
// co-processor with the program that is built in.
var engineSpecs = []string{
	"P256", "H[P256]2048@mul", "H[P256]2048@xor", "H[P256]2048", "H[P256]2048+A16@mul", "H[P256]2048+A16", "H[CR256]2048",
	"tag2-256-2048",
	"rap(10%,over=words)", "rap(1%,over=words)", "raphw(1%,over=words,buffer=1024)", "cop",
}

const (
	engineTuples = 1 << 20 // of a program, from the middle of its trace
	engineFrom   = 8_000_000
	engineBatch  = 1024 // tuples pushed at a time, as in a program
	engineOut    = 512  // messages sent at a time, likewise
)

// EngineRates are the rates of the engines on the tuples of a program.
type EngineRates struct {
	Program string
	Rates   [][]float64 // by engine and round, in million tuples a second
}

// Engines measures engines by turns, on the loads of the test programs that make figures
// has recorded. It starts no other program meanwhile.
func Engines(cfg *programs.Config, rounds int) ([]EngineRates, error) {
	var all []EngineRates
	err := cfg.Each(func(p *programs.Program) error {
		p.Logf("%s", p.Name)
		name := filepath.Join(cfg.Root, "build", "traces", p.Name+".loads.trace")
		in, err := recorded(name)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: make figures records it", err)
		}
		if err != nil {
			return err
		}
		r := EngineRates{p.Name, make([][]float64, len(engineSpecs))}
		for range rounds {
			for i, spec := range engineSpecs {
				rate, err := push(spec, in)
				if err != nil {
					return err
				}
				r.Rates[i] = append(r.Rates[i], rate)
			}
		}
		all = append(all, r)
		return nil
	})
	return all, err
}

// recorded returns tuples of a trace.
func recorded(name string) ([]tuple.Tuple, error) {
	r, err := trace.Open(name, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	in := make([]tuple.Tuple, 0, engineTuples)
	part := trace.Filter{From: engineFrom, First: engineTuples}
	err = part.Each(r, func(block trace.Block) error {
		in = append(in, block.Tuples...)
		return nil
	})
	if err == nil && len(in) < engineTuples {
		err = fmt.Errorf("%s: %d tuples from the %dth on, want %d", name, len(in), engineFrom, engineTuples)
	}
	return in, err
}

// push pushes tuples twice, and returns how many million tuples per second the engine takes
// in the second round.
func push(spec string, in []tuple.Tuple) (float64, error) {
	s, err := engines.Parse(spec, nil)
	if err != nil {
		return 0, err
	}
	e, messages := s.New(0), 0
	out := hwsim.NewOut(engineOut, func(msgs []hwsim.Message) { messages += len(msgs) })
	var elapsed time.Duration
	for range 2 {
		start := time.Now()
		for batch := range slices.Chunk(in, engineBatch) {
			e.Push(batch, out)
			out.Drain()
		}
		elapsed = time.Since(start)
	}
	return float64(len(in)) / 1e6 / elapsed.Seconds(), nil
}

// EngineTables returns the results as Markdown tables.
func EngineTables(all []EngineRates) string {
	best, spread := markdown.NewTable(append([]string{"program"}, engineSpecs...)...),
		markdown.NewTable(append([]string{"program"}, engineSpecs...)...)
	for _, r := range all {
		fastest, quartiles := []string{r.Program}, []string{r.Program}
		for _, rates := range r.Rates {
			s := stats.Summarize(rates)
			fastest = append(fastest, fmt.Sprintf("%.0f", s.Max))
			quartiles = append(quartiles, fmt.Sprintf("%.0f (%.0f–%.0f)", s.Median, s.P25, s.P75))
		}
		best.Row(fastest...)
		spread.Row(quartiles...)
	}
	return markdown.Section("Rates", "Million tuples a second on one processor: the fastest of all rounds.", best) +
		markdown.Section("Spread", "Median (quartiles) over the rounds.", spread)
}
