package figure_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/hwsim/tracetest"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/lab/figure"
)

// synthetic makes up events for some programs. The numbers in figures of them mean
// nothing. The tests look at the form of the figures.
func synthetic(program, taps string) (replay.Source, error) {
	funcs := map[string]int{"typecheck": 200, "lua": 20, "regex": 5, "flate": 60}[program]
	if funcs == 0 {
		return nil, fmt.Errorf("%s: %w", program, figure.ErrNoTrace)
	}
	taps, number, _ := strings.Cut(taps, "-")
	if number == "3" {
		return nil, figure.ErrNoTrace
	}
	return func(do func(trace.Block) error) error {
		p := tracetest.New(1, funcs)
		buf := make([]tuple.Tuple, 4096)
		for {
			tuples := p.Events(buf)
			if taps == "pairs" || taps == "ops" {
				tuples = samples(tuples, taps)
			}
			for i, t := range tuples {
				switch taps {
				case "calls":
					tag := tuple.Edge
					if t.Site()%5 == 0 {
						tag = tuple.Call
					}
					tuples[i] = tuple.New(tag, t.Site(), t.W%4)
				case "blocks":
					tuples[i] = tuple.New(tuple.Edge, 0, 0x400000+t.Site()%tuple.MaxSites*16+t.W%2)
				}
			}
			if err := do(trace.Block{Tuples: tuples}); err != nil {
				return err
			}
		}
	}, nil
}

func TestFigures(t *testing.T) {
	env := &figure.Env{Source: synthetic, Events: 400_000, Permutations: 20, Seeds: 2}
	for _, f := range figure.All {
		t.Run(f.ID, func(t *testing.T) {
			env := *env
			// cop-long takes 16 times as many; those of RAP run many trees, and no curve needs so many.
			if f.ID == "cop-long" || strings.HasPrefix(f.ID, "rap-") {
				env.Events /= 4
			}
			res, err := f.Run(&env)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			l := &figure.Listing{Figures: slices.Values([]*figure.Result{res})}
			if err := listing.Text(&out, l); err != nil {
				t.Fatal(err)
			}
			t.Logf("\n%s", out.String())
			if len(res.Rows) == 0 || len(res.Plots) == 0 || len(res.Setup) == 0 {
				t.Errorf("%d rows, %d plots, %d lines of setup", len(res.Rows), len(res.Plots), len(res.Setup))
			}
			if strings.HasPrefix(f.ID, "strat-") && !strings.Contains(out.String(), "seed 1") {
				t.Error("no seed")
			}
			for _, row := range res.Rows {
				if row.Differs != (row.Note != "") {
					t.Errorf("%+v: want a note if ours differs, else none", row)
				}
				if said := "differs: " + row.What + ": " + row.Note; strings.Contains(out.String(), said) != row.Differs {
					t.Errorf("%+v: and %q", row, said)
				}
			}
			for _, table := range res.Tables {
				for _, row := range table.Rows {
					if len(row) > len(table.Columns) {
						t.Errorf("%s: %d cells below %d heads", table.Title, len(row), len(table.Columns))
					}
				}
			}
			if err := res.Save(t.TempDir()); err != nil {
				t.Error(err)
			}
			for _, p := range res.Plots {
				svg, err := os.ReadFile(p.File)
				if err != nil || !strings.Contains(string(svg), "<svg") {
					t.Errorf("%s: %v, no SVG", p.File, err)
				}
				if len(p.Series) == 0 {
					t.Errorf("%s: no series", p.Name)
				}
				for _, s := range p.Series {
					if len(s.Points) == 0 || !strings.Contains(string(svg), ">"+s.Name+"<") {
						t.Errorf("%s: %s has %d points, or is not in the legend", p.Name, s.Name, len(s.Points))
					}
				}
			}
		})
	}
}

func TestProgramsAreTheTestPrograms(t *testing.T) {
	entries, err := os.ReadDir("../../testprogs")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join("../../testprogs", e.Name(), "go.mod")); err == nil {
			want = append(want, e.Name())
		}
	}
	got = append(got, "flips") // for profiles of paths only
	for _, p := range slices.Concat(figure.Programs, figure.MorePrograms) {
		got = append(got, p.Name)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("programs %q, want %q", got, want)
	}
}

func TestNoTraces(t *testing.T) {
	env := &figure.Env{Source: figure.Files(t.TempDir())}
	for _, f := range figure.All {
		if f.ID == "strat-4" || f.ID == "rap-cost" || f.ID == "cop-table1" {
			continue // these need no trace
		}
		if _, err := f.Run(env); !errors.Is(err, figure.ErrNoTrace) || !strings.HasSuffix(err.Error(), "no such trace (make figures records them)") {
			t.Errorf("%s: got %v", f.ID, err)
		}
	}
	if _, ok := figure.Find("strat-5"); ok {
		t.Error("found strat-5, which is a drawing and no experiment")
	}
}
