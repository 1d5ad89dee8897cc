package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/lab/plot"
)

func TestFindFigures(t *testing.T) {
	counts, err := FindFigures([]string{"counts"})
	if err != nil {
		t.Fatal(err)
	}
	times, err := FindFigures([]string{"times"})
	if err != nil {
		t.Fatal(err)
	}
	if len(counts)+len(times) != len(Figures) || len(times) == 0 {
		t.Errorf("%d that count and %d that measure time, of %d", len(counts), len(times), len(Figures))
	}
	one, err := FindFigures([]string{"pep-33"})
	if err != nil || len(one) != 1 || one[0].ID != "pep-33" {
		t.Errorf("pep-33: got %v, %v", one, err)
	}
	if _, err := FindFigures([]string{"pep-32", "pep-34"}); err == nil || !strings.Contains(err.Error(), "no figure pep-34: there are pep-32, ") {
		t.Errorf("pep-34: got %v", err)
	}
}

// A figure that measures does not fail in the end because there is no directory for its plots.
func TestPlotsGoToANewDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "plots")
	drawing := Figure{ID: "x", Title: "X", run: func(*lab) (*FigureResult, error) {
		r := &FigureResult{}
		r.plot("x", plot.Bars{Title: "X", Groups: []string{"a"}, Series: []plot.Series{series("b", []float64{1})}})
		return r, nil
	}}
	if _, err := RunFigures(&Config{}, []Figure{drawing}, FigureOptions{Plots: dir}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "x.svg")); err != nil {
		t.Error(err)
	}
}

// The profiles of a running program grow, and the last is that of the whole run. What paths say of
// branches is what the profile of edges says.
func TestPathFiguresOfOneProgram(t *testing.T) {
	cfg := smokeConfig(t)
	cfg.Programs, cfg.Packages, cfg.Scale = []string{phasedProgram}, ".", 12
	l := &lab{Config: cfg, opts: FigureOptions{Runs: 1, Rounds: 1, Sampled: Setting{Samples: 1024, Stride: 1}}}
	all, err := l.observe()
	if err != nil {
		t.Fatal(err)
	}
	o := all[0]
	if len(o.growing) < 3 {
		t.Fatalf("%d profiles of a run, want 3 or more", len(o.growing))
	}
	for i := 1; i < len(o.growing); i++ {
		if flow(since(o.growing[i], o.growing[i-1])) != flow(o.growing[i])-flow(o.growing[i-1]) {
			t.Errorf("profile %d of %d has lost counts", i, len(o.growing))
		}
	}
	err = cfg.each(func(p *program) error {
		if err := p.pepbuild(exactBuild, "-pepmode=exact"); err != nil {
			return err
		}
		exact, run := profiled(t, p, exactBuild)
		paths, err := summed(run.Paths)
		if err != nil {
			return err
		}
		if diff := gocmp.Diff(biases(exact.outcomes), biasesOf(paths)); diff != "" {
			t.Errorf("biases of paths, and of edges (-edges +paths):\n%s", diff)
		}
		if diff := gocmp.Diff(biasesOf(paths), biasesOf(o.whole())); diff != "" {
			t.Errorf("two exact runs of a program without concurrency differ:\n%s", diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []func(*lab) (*FigureResult, error){(*lab).oneTime, (*lab).phased, (*lab).ablation, (*lab).flipped} {
		r, err := f(l)
		if err != nil {
			t.Fatal(err)
		}
		text, err := r.markdown(Figure{ID: "x", Title: "title"}, t.TempDir())
		if err != nil || strings.Contains(text, "NaN") || strings.Contains(text, "%!") {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// timed makes up costs: least CPU seconds, by program and variant.
func timed(variants []Variant, seconds map[string][]float64, names ...string) (costs []Cost) {
	for _, name := range names {
		c := Cost{Program: name, Variants: variants}
		for _, s := range seconds[name] {
			least := time.Duration(s * float64(time.Second))
			c.Runs = append(c.Runs, []Run{{CPU: least + time.Second}, {CPU: least}})
		}
		costs = append(costs, c)
	}
	return costs
}

func TestTimesAndTruncationAsMarkdown(t *testing.T) {
	dir := t.TempDir()
	costs := timed([]Variant{{"plain", plainBuild, nil}, {"no ticks", sampleBuild, nil}, {PEP.String(), sampleBuild, nil}},
		map[string][]float64{"one": {1, 1.02, 1.05}, "two": {2, 2.08, 2.2}}, "one", "two")
	r := new(FigureResult)
	r.say("Times.")
	r.timeRows("pep-25", costs, []paperTimes{{}, {1.011, 1.054}, {1.012, 1.043}})
	xs := against(costs, 2, 1)
	r.row("samples", ranged(xs, percent), "0.1%", effect(xs, 0))
	text, err := r.markdown(Figure{ID: "pep-25", Title: "overhead"}, dir)
	if err != nil {
		t.Fatal(err)
	}
	fit := func(name string, ends int64, wall float64) Fit {
		return Fit{Program: name, Settings: []Setting{PEP}, Exact: Exact{Paths: 100, Hot: 10, Ends: ends}, Samples: [][]Match{{{Wall: wall, Relative: wall + 0.01}}}}
	}
	more, err := compareTruncation([]Fit{fit("one", 12_000_000, 0.95), fit("two", 10_500_000, 0.9)}, []Fit{fit("one", 10_000_000, 0.94), fit("two", 10_000_000, 0.87)}).
		markdown(Figure{ID: "truncate", Title: "cuts"}, dir)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "figures.md", text+more)
	for _, name := range []string{"pep-25", "pep-truncate"} {
		svg, err := os.ReadFile(filepath.Join(dir, name+".svg"))
		if err != nil || !strings.Contains(string(svg), "<svg") || !strings.Contains(string(svg), ">two<") {
			t.Errorf("%s: %v, or no plot of two programs", name, fmt.Sprint(err))
		}
	}
}
