package accuracy

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/lab/bench/benchtest"
	"github.com/pepgo/pep/lab/bench/profiles"
	"github.com/pepgo/pep/lab/bench/programs"
)

// fit makes up the accuracy of a program.
func fit(name string, off float64) Fit {
	run := func(x float64) Match {
		return Match{Wall: x - off, Relative: x + 0.02, Absolute: x - 0.1, Paths: 100, Ticks: 300, Samples: 19200}
	}
	few := Match{Wall: 0.5, Relative: 0.7, Absolute: 0.4, Ticks: 300, Samples: 300, Dropped: 2}
	return Fit{
		Program: name,
		Settings: []programs.Setting{programs.PEP, {Samples: 1, Stride: 1},
			{Samples: 64, Stride: 17, Regular: true}},
		Samples:  [][]Match{{run(0.93), run(0.94), run(0.96)}, {few}, {run(0.9)}},
		Together: run(0.97),

		Unweighed: [][]Match{{run(0.91), run(0.92), run(0.93)}, {few}, {run(0.88)}},
		Exact:     profiles.Exact{Paths: 800, Hot: 90, Ends: 5_000_000, Flow: 12_500_000},
		Worst:     Difference{"main.work", 0.25, 0.2},
	}
}

func TestAccuracyTables(t *testing.T) {
	header := []Fit{fit("one", 0), fit("two", 0.1)}
	benchtest.Golden(t, "accuracy.md", Tables(header)+TruncationTables(header, header))
}

func TestAccuracyLines(t *testing.T) {
	text, err := Lines([]Fit{fit("one", 0.25)}, []Fit{fit("one", 0)}, 100)
	if err != nil {
		t.Fatal(err)
	}
	const second = "\nBenchmarkAccuracy/program=one/variant=PEP(64,17) 1 0.69 wall 0.96 relative 0.84 absolute 0.67 sample-wall 0.9400000000000001 sample-relative " +
		"0.8200000000000001 sample-absolute 19200 samples 300 ticks\n"
	const exact = "\nBenchmarkExact/program=one/variant=backedge 1 800 paths 90 hot 5e+06 ends 1.25e+07 decisions\n"
	if n := strings.Count(text, "\nBenchmark"); n != 7 || !strings.Contains(text, exact) ||
		!strings.Contains(text, second) || !strings.Contains(text,
		"\nBenchmarkAccuracy/program=one/variant=PEP(64,17)_regular 1 ") {
		t.Errorf("%d lines, want 7, and the second to be %q:\n%s", n, second, text)
	}
}

func TestAccuracyOfOneProgram(t *testing.T) {
	cfg := benchtest.Config(t)
	fits, err := Measure(cfg, Options{Runs: 1, Settings: []programs.Setting{{Samples: 1024, Stride: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	f := fits[0]
	if f.Exact.Paths == 0 || f.Exact.Ends == 0 || f.Exact.Hot == 0 {
		t.Errorf("got %+v of the exact profile, want no zeros", f.Exact)
	}
	if m := f.Samples[0][0]; m.Wall != f.Together.Wall || m.Samples != f.Together.Samples {
		t.Errorf("adding up one run gives %+v, want the run itself, %+v", f.Together, m)
	}
	if text := Tables(fits); !strings.Contains(text, "| sortbench") {
		t.Errorf("no row of the program in:\n%s", text)
	}
}

// TestMetricsAreThoseOfPep checks that pep accuracy prints the same metrics.
func TestMetricsAreThoseOfPep(t *testing.T) {
	cfg := benchtest.Config(t)
	err := cfg.Each(func(p *programs.Program) error {
		if err := errors.Join(p.BuildInstrumented(programs.Exact, "-pepmode=exact"),
			p.BuildFor([]programs.Setting{programs.PEP, {Windows: true}})); err != nil {
			return err
		}
		exact, err := profiles.Of(p, programs.Exact)
		if err != nil {
			return err
		}
		for _, build := range []string{programs.Polls, programs.Windows} {
			sampled, err := profiles.Of(p, build, "PEPOPTS=tick=1ms")
			if err != nil {
				return err
			}
			if build == programs.Windows {
				sampled.Only(exact)
			}
			table, err := report.Accuracy(&profile.Run{Paths: exact.File, Edges: exact.Edges},
				&profile.Run{Paths: sampled.File, Edges: sampled.Edges})
			if err != nil {
				return err
			}
			var text bytes.Buffer
			if err := listing.Text(&text, table); err != nil {
				return err
			}
			m := match(exact, sampled)
			for name, x := range map[string]float64{"Wall weight matching": m.Wall, "relative overlap": m.Relative,
				"absolute overlap": m.Absolute} {
				if want := regexp.MustCompile(fmt.Sprintf(`(?m)^%s +%.2f%%$`, name, 100*x)); x == 0 || !want.Match(text.Bytes()) {
					t.Errorf("%s: %s is %v, pep accuracy prints\n%s", build, name, x, &text)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
