// Package figuretest helps to test the experiments of a paper.
package figuretest

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
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

// Synthetic is an Env.Source that makes up events for some programs. The numbers in figures of them mean
// nothing. Tests look at the form of the figures.
func Synthetic(program, taps string) (replay.Source, error) {
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

// samples makes samples of several words of loads: with addresses far from each other, or
// operations with operands.
func samples(loads []tuple.Tuple, taps string) (list []tuple.Tuple) {
	for i, t := range loads {
		if taps == "pairs" {
			list = append(list, t, tuple.New(tuple.More, t.Site(), 0xc000000000+t.W%64*uint64(i%977)*64))
			continue
		}
		list = append(list, tuple.New(tuple.Op, t.Site(), t.W+1), tuple.New(tuple.More, t.Site(), t.W),
			tuple.New(tuple.Third, t.Site(), 1))
	}
	return list
}

// Tuples returns a source of tuples, in blocks.
func Tuples(list []tuple.Tuple) replay.Source {
	return func(do func(trace.Block) error) error {
		for b := range slices.Chunk(list, 4096) {
			if err := do(trace.Block{Tuples: slices.Clone(b)}); err != nil {
				return err
			}
		}
		return nil
	}
}

// Run runs a figure of a paper.
func Run(t *testing.T, p figure.Paper, id string, env *figure.Env) *figure.Result {
	t.Helper()
	f, ok := p.Find(id)
	if !ok {
		t.Fatalf("no figure %s", id)
	}
	res, err := f.Run(env)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Cell returns the number in a row of a table.
func Cell(t *testing.T, res *figure.Result, table, row int, column string) float64 {
	t.Helper()
	i := slices.Index(res.Tables[table].Columns, column)
	if i < 0 {
		t.Fatalf("%s: no column %q in %q", res.ID, column, res.Tables[table].Columns)
	}
	return res.Tables[table].Rows[row][i].Number
}

// Value returns the first number of the row with a key.
func Value(t *testing.T, res *figure.Result, key string) float64 {
	t.Helper()
	row := res.Row(key)
	if len(row.Values) == 0 {
		t.Fatalf("%s: no row %q", res.ID, key)
	}
	return row.Values[0].Number
}

// Near reports whether a number is what is wanted, but for a part of it.
func Near(x, want, relative float64) bool { return math.Abs(x-want) <= relative*want }

var isKey = regexp.MustCompile(`^[^ ]+$`).MatchString

// Form runs a figure, and checks that it has all of what a figure has, as text, as data and as plots. It returns the
// result.
func Form(t *testing.T, f figure.Figure, env *figure.Env) *figure.Result {
	t.Helper()
	res, err := f.Run(env)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	l := &figure.Listing{Figures: slices.Values([]*figure.Result{res})}
	if err := listing.Text(&out, l); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", out.String())
	if len(res.Rows)+len(res.Tables) == 0 || len(res.Plots) == 0 || len(res.Setup) == 0 {
		t.Errorf("%d rows, %d tables, %d plots, %d lines of setup", len(res.Rows), len(res.Tables), len(res.Plots),
			len(res.Setup))
	}
	seen := map[string]bool{}
	for _, row := range res.Rows {
		if !isKey(row.Key) || seen[row.Key] {
			t.Errorf("%+v: want a key without spaces that no other row has", row)
		}
		seen[row.Key] = true
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
			// A curve may be equal to another one, which the legend names behind it.
			if len(s.Points) == 0 || !strings.Contains(string(svg), ">"+s.Name+"<") &&
				!strings.Contains(string(svg), ">"+s.Name+" (= ") {
				t.Errorf("%s: %s has %d points, or is not in the legend", p.Name, s.Name, len(s.Points))
			}
		}
	}
	return res
}

// NoTraces checks that each figure of a paper says so if there are no traces. Some figures need none.
func NoTraces(t *testing.T, p figure.Paper, needNone ...string) {
	t.Helper()
	dir := t.TempDir()
	env := &figure.Env{Source: figure.Files(dir), Layout: figure.Layouts(dir)}
	for _, f := range p.Figures {
		if slices.Contains(needNone, f.ID) {
			continue
		}
		if _, err := f.Run(env); !errors.Is(err, figure.ErrNoTrace) ||
			!strings.HasSuffix(err.Error(), "no such trace (make figures records them)") {
			t.Errorf("%s: got %v", f.ID, err)
		}
	}
}

// Planted checks that each claim of a page can be refuted: for each key there are two ways to plant numbers, the first
// so that the claim agrees, and the others so that each of them refutes it. All claims must have them, but for those
// that cannot be shown, and for the columns in which they cannot. Numbers that are not planted are those of all.
func Planted(t *testing.T, b *figure.Beside, all *figure.Measured,
	plants map[string][]func(m *figure.Measured, column string), columns [2]string) {
	t.Helper()
	for i := range b.Claims {
		c := &b.Claims[i]
		if c.Cannot != "" {
			if plants[c.Key] != nil {
				t.Errorf("%s cannot be shown, and has numbers", c.Key)
			}
			continue
		}
		if len(plants[c.Key]) < 2 {
			t.Errorf("%s: want numbers that agree, and some that refute it", c.Key)
			continue
		}
		for extended, column := range columns {
			if extended == 1 && c.Only || extended == 0 && c.CannotRules != "" {
				continue
			}
			for k, plant := range plants[c.Key] {
				m, err := figure.ParseMeasured(all.String())
				if err != nil {
					t.Fatal(err)
				}
				plant(m, column)
				want := figure.Differs
				if k == 0 {
					want = figure.Agrees
				}
				if got, ours, err := c.Judge(m, extended == 1); got != want || err != nil {
					t.Errorf("%s: with numbers %d of %s it %s, want %s: ours is %s, %v", c.Key, k, column, got, want, ours, err)
				}
			}
		}
	}
	for key := range plants {
		if !slices.ContainsFunc(b.Claims, func(c figure.Claim) bool { return c.Key == key }) {
			t.Errorf("no claim %q", key)
		}
	}
}

// Recount compares what was measured with a file: of each name how many numbers there are, their median, least and
// greatest. update writes the file.
func Recount(t *testing.T, m *figure.Measured, file string, update bool) {
	t.Helper()
	var got strings.Builder
	for line := range strings.Lines(m.String()) {
		name, _, _ := strings.Cut(line, " ")
		x := m.Of(name)
		fmt.Fprintf(&got, "%s %d %.5g %.5g %.5g\n", name, len(x), x.Median(), x.Least(), x.Most())
	}
	if update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d is\n%s\nwant\n%s", i+1, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d lines, want %d", len(a), len(b))
	}
}

// Always returns the same numbers for each program.
func Always(x ...float64) func(i int) []float64 { return func(int) []float64 { return x } }

// Some returns one number for the first n programs and another one for the rest.
func Some(n int, x, rest float64) func(i int) []float64 {
	return func(i int) []float64 {
		if i < n {
			return []float64{x}
		}
		return []float64{rest}
	}
}
