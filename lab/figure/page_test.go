package figure

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
)

// pageOf writes a page of results, and returns the sentences of its summary and the whole text.
func pageOf(t *testing.T, results ...*Result) (short []string, page string) {
	t.Helper()
	page, err := (&Page{Command: "figures run x", Figures: results}).text("")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(page, "## In short\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	for line := range strings.Lines(rest) {
		if text, ok := strings.CutPrefix(line, "* "); ok {
			short = append(short, strings.TrimSuffix(text, "\n"))
		}
	}
	return short, page
}

// The summary has the numbers and verdicts of the results, whichever they are.
func TestPageIsComputed(t *testing.T) {
	for _, x := range []struct {
		printer float64 // the factor of the second largest working set
		agrees  bool
		want    []string
	}{
		{0.5, true, []string{
			"With 8M loads at equal overhead 2 of the two largest working sets gain. The factors: better printer 0.50, typecheck 0.80; equal bitboard 1.00; worse lua 1.50. With 125K loads no sampler at that overhead has interrupted before the end, so there is nothing to compare. In random order 1 of the two largest gain.",
			"The two largest working sets gain both at 8M (printer 0.50x), 16M (printer 0.50x); not both at none. Their later loads gain both at none; not both at none. printer, the defaults were chosen on it: gains at 8M 0.50 (0.40 to 0.50, 3 of 3), 16M 0.50 (0.40 to 1.50, 2 of 3); not at none.",
			"in random order the curves of error over overhead are one for all rates",
		}},
		{1.25, false, []string{
			"With 8M loads at equal overhead 1 of the two largest working sets gain. The factors: better typecheck 0.80; equal bitboard 1.00; worse printer 1.25, lua 1.50. With 125K loads no sampler at that overhead has interrupted before the end, so there is nothing to compare. In random order 1 of the two largest gain.",
			"The two largest working sets gain both at none; not both at 8M (printer 1.25x), 16M (printer 1.25x). Their later loads gain both at none; not both at none. printer, the defaults were chosen on it: gains at none; not at 8M 1.25 (1.15 to 1.25, 0 of 3), 16M 1.25 (1.15 to 2.25, 0 of 3).",
			"in random order the curves of error over overhead are not one for all rates",
		}},
	} {
		seven := &Result{ID: "cop-7", Tables: []Table{{Title: "value profiles of 8M loads", Columns: []string{"program", "sites", "overhead", "co-processor to it"}}, {
			Title: "value profiles of 125K loads", Columns: []string{"program", "sites", "overhead", "co-processor to it"},
			Rows: [][]Value{{text("lua"), count(9, "sites"), percent(0), factor(0.1)}},
		}}}
		for name, v := range map[string][2]float64{"typecheck": {900, 0.8}, "printer": {500, x.printer}, "lua": {100, 1.5}, "bitboard": {9, 1.004}} {
			seven.Tables[0].Rows = append(seven.Tables[0].Rows, []Value{text(name), count(int(v[0]), "sites"), percent(1), factor(v[1])})
		}
		seven.row("in random order: largest working set: errors at equal overhead", two(percent(1), percent(2), ""), "-", true)
		seven.row("in random order: second largest working set: errors at equal overhead", two(percent(2), percent(1), ""), "-", true)
		long := &Result{ID: "cop-long"}
		set := &longSet{longRecording: longRecording{Program{Name: "printer"}, ofLong, chosenOn}}
		for i, n := range []uint64{8_000_000, 16_000_000} {
			one := tally{1}
			set.lengths = append(set.lengths, &longLength{n, one, one, one, one, one, tally{x.printer - 0.1, x.printer, x.printer + float64(i)}})
		}
		long.Tables = []Table{set.table(), {Title: "printer, where the error is", Rows: [][]Value{{text("10-20")}}}}
		long.longVerdicts([]*longSet{set})
		one := &Result{ID: "cop-1"}
		one.row("in random order: errors at equal overhead, a rate to the next slower one", span(factor(0.9), factor(1.1)), "one curve for all rates", x.agrees)
		got, page := pageOf(t, seven, long, one)
		all := strings.Join(got, "\n")
		for _, want := range x.want {
			if len(got) != 3 || !strings.Contains(all, want) {
				t.Errorf("the summary has %d sentences, and none is\n%s\nbut\n%s", len(got), want, all)
			}
		}
		if !strings.Contains(page, "\n## cop-7\n\n```\n$ figures run x\n\ncop-7: ") {
			t.Errorf("the page has no block with a command line:\n%s", page)
		}
	}
}

// Each paper has a page, which has all of its figures with a sentence each, and no others.
func TestPageHasAllFigures(t *testing.T) {
	nothing := map[string]int{"cop-": 3} // without rows there is nothing to say about the sweep, and about phases and upper halves
	for _, s := range subjects {
		var results []*Result
		var own []Figure
		for _, f := range All {
			if strings.HasPrefix(f.ID, s.prefix) {
				results, own = append(results, &Result{ID: f.ID, Title: f.Title}), append(own, f)
			}
		}
		if err := CheckPage("page.md", own); err != nil || len(own) < 7 {
			t.Errorf("%s: %d figures, %v", s.prefix, len(own), err)
		}
		for _, f := range All {
			mixed := append(slices.Clone(own), f)
			if err := CheckPage("page.md", mixed); (err == nil) != strings.HasPrefix(f.ID, s.prefix) {
				t.Errorf("%s with those of %s: %v", f.ID, s.prefix, err)
			}
			if err := CheckPage("", mixed); err != nil {
				t.Errorf("without a page: %v", err)
			}
		}
		got, page := pageOf(t, results...)
		if len(got) != len(results)-nothing[s.prefix] {
			t.Errorf("%d figures have %d sentences:\n%s", len(results), len(got), strings.Join(got, "\n"))
		}
		for _, f := range All {
			if strings.Contains(page, "\n## "+f.ID+"\n") != strings.HasPrefix(f.ID, s.prefix) {
				t.Errorf("the page of %s: has it %s?", s.prefix, f.ID)
			}
		}
		if !strings.HasPrefix(page, "# "+s.title+"\n\n"+s.introduction) {
			t.Errorf("the page begins with %q", page[:100])
		}
	}
}

// A sentence about rows says how many agree, and has the others.
func TestRowsInShort(t *testing.T) {
	res := &Result{ID: "rap-6", Title: "nodes"}
	res.compare("most", tally{3, 3}, times, "2", atMost(times(2)))
	res.compare("least", tally{1}, times, "2", atMost(times(2)))
	short, _ := pageOf(t, res, &Result{ID: "rap-buffer", Title: "more"})
	want := []string{"[rap-6](#rap-6): nodes: 1 of 2 rows agree. Others: most: 3.00x, paper: 2.", "[rap-buffer](#rap-buffer): more: 0 of 0 rows agree."}
	if !slices.Equal(short, want) {
		t.Errorf("%q, want %q", short, want)
	}
}

// A page keeps the figures that have not run, with their commands, dates and sentences, and has new ones for the others.
// Then it is the page that a run of all of them writes, but for the command and the date.
func TestPageKeepsFigures(t *testing.T) {
	for _, ids := range [][2]string{{"cop-table1", "cop-clock"}, {"rap-2", "rap-buffer"}, {"strat-4", "strat-filter"}} {
		size := func(n float64) *Result {
			r := &Result{ID: ids[0], Title: "a"}
			r.row("transistors", one(percent(n)), "-", true)
			return r
		}
		last := &Result{ID: ids[1], Title: "b"}
		last.row("kept", one(percent(7)), "-", false)
		file := filepath.Join(t.TempDir(), "page.md")
		save := func(command string, failed error, results ...*Result) string {
			err := (&Page{Command: command, Date: "day " + command, Figures: results}).Save(file, failed)
			if err != failed {
				t.Fatal(err)
			}
			text, _ := os.ReadFile(file)
			return string(text)
		}
		both := save("one", nil, size(1), last)
		if got := save("one", nil, last); got != both {
			t.Errorf("with the same figure again the page is\n%s\nwant\n%s", got, both)
		}
		if dated := strings.Count(both, "\n\nday one, "); dated != 2*one01(subjectOf(ids[0]).dated) {
			t.Errorf("the page of two figures has %d dates:\n%s", dated, both)
		}
		got := save("two", nil, size(2))
		above, below, _ := strings.Cut(both, "\n## "+ids[1]+"\n")
		want := strings.NewReplacer("$ one\n", "$ two\n", "day one", "day two", "1.00 %", "2.00 %").Replace(above) + "\n## " + ids[1] + "\n" + below
		if got != want || got == both || !strings.Contains(got, "2.00 %") || !strings.Contains(below, "$ one\n") {
			t.Errorf("with one new figure the page is\n%s\nwant\n%s", got, want)
		}
		if save("three", errors.New("no trace"), size(3)) != got {
			t.Error("a run with an error has changed the page")
		}
	}
}

// Figures that run at the same time have their results in the order of the list, and errors are not lost.
func TestFiguresRunAtTheSameTime(t *testing.T) {
	var list []Figure
	for i := range 9 {
		list = append(list, Figure{ID: fmt.Sprint(i), run: func(env *Env, res *Result) error {
			if i%4 == 3 {
				return fmt.Errorf("no %d", i)
			}
			res.setup("%d", i)
			return nil
		}})
	}
	var err error
	got := ""
	for r := range Run(list, &Env{}, t.TempDir(), &err) {
		got += r.ID + "=" + r.Setup[0] + " "
	}
	if want := "0=0 1=1 2=2 4=4 5=5 6=6 8=8 "; got != want || err == nil || err.Error() != "3: no 3\n7: no 7" {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// Long recordings have 16 times as many loads; without one the usual loads are taken, and the setup says so.
func TestCOP29_LongRecordings(t *testing.T) {
	env := &Env{Events: 1000}
	for _, has := range []bool{true, false} {
		env.Source = func(program, taps string) (replay.Source, error) {
			if taps == ofLong2 || taps == ofLong && !has {
				return nil, ErrNoTrace
			}
			return func(func(trace.Block) error) error { return nil }, nil
		}
		res := &Result{}
		source, most, err := env.longSource(res, longRecording{Program{Name: "made"}, ofLong, ""})
		want := map[bool]uint64{true: 16_000, false: 1000}[has]
		if err != nil || source == nil || most != want || (res.Setup == nil) != has {
			t.Errorf("long recording %v: %d loads, want %d; setup %q, %v", has, most, want, res.Setup, err)
		}
		if _, _, err := env.longSource(res, longRecording{Program{Name: "made"}, ofLong2, ""}); err != ErrNoTrace {
			t.Errorf("later loads that were not recorded: %v", err)
		}
	}
}
