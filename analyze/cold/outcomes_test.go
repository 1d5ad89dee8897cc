package cold

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/internal/listing"
)

// decided is a function with a branch at 5 in its first block, which jumps to the fourth one, and one at 15 in the
// second, which jumps to the last: that has other ways, too. Functions with a block each stand before it.
func decided(before ...code) *Program {
	p := program(map[string]int{"main.f": 1, "main.d": 80, "main.e": 90},
		append(before, code{"main.f", "main.f 2"}, code{"main.f", "main.f 3"}, code{"main.f", "main.f 4"},
			code{"main.f", "main.f 2+"}, code{"main.f", "main.f 5"})...)
	f := &p.Functions[len(before)]
	f.Size = 50
	f.Blocks[0].Branch, f.Blocks[0].Taken = 5, 30
	f.Blocks[1].Branch, f.Blocks[1].Taken = 15, 40
	f.Blocks[1].One, f.Blocks[2].One, f.Blocks[3].One = true, true, true
	return p
}

func tableOf(size uint64, outcomes []branches.Outcome, rows ...branches.Row) []branches.Package {
	return []branches.Package{{Path: "main",
		Funcs: []branches.Func{{Name: "main.f", Size: size, Outcomes: outcomes, Rows: rows}}}}
}

func outcome(kind branches.Kind, line int, lost branches.Loss) branches.Outcome {
	return branches.Outcome{Kind: kind, Lost: lost, Pos: branches.Pos{File: "app.go", Line: line, Col: 2}}
}

func TestOutcomes(t *testing.T) {
	const T, F, C = branches.True, branches.False, branches.Clause
	list := []branches.Outcome{outcome(T, 2, 0), outcome(F, 2, 0), outcome(T, 3, 0), outcome(F, 3, 0), outcome(C, 5, 0),
		outcome(T, 6, branches.Selected), outcome(T, 7, 0)}
	rows := []branches.Row{
		{PC: 5, Way: branches.NotTaken, Outcomes: []int{0}}, {PC: 5, Way: branches.Taken, Outcomes: []int{1}},
		{PC: 15, Way: branches.NotTaken, Outcomes: []int{2}}, {PC: 15, Way: branches.Taken, Outcomes: []int{3}},
		{PC: 12, Way: branches.Taken, Outcomes: []int{6}}, // in front of the branch of its block
		{PC: 40, Way: branches.At, Outcomes: []int{4}},
	}
	const lost = "true 6 unknown conditional move, true 7 "
	const moved = lost + "unknown conditional move"
	for _, c := range []struct {
		ran  []int
		want string
	}{
		{nil, "true 2 never, false 2 never, true 3 never, false 3 never, clause 5 never in lines, " + lost + "never"},
		{[]int{0, 1, 4}, "true 2 happened reached, false 2 never reached, true 3 never reached in lines, false 3 unknown reached no block of its own, clause 5 happened, " + moved},
		{[]int{0, 3, 4}, "true 2 never reached in lines, false 2 happened reached, true 3 never, false 3 never, clause 5 happened, " + lost + "never"},
		{[]int{0, 1, 2}, "true 2 happened reached, false 2 never reached, true 3 happened reached, false 3 never reached in lines, clause 5 never reached in lines, " + moved},
	} {
		var got []string
		for _, o := range outcomesOfF(t, ran(decided(), c.ran...), list, rows) {
			s := fmt.Sprintf("%s %d %s", o.Outcome, o.Line, o.State)
			if o.Reached {
				s += " reached"
			}
			if o.Said {
				s += " in lines"
			}
			if o.Reason != "" {
				s += " " + o.Reason
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.ran, diff)
		}
	}
}

// Where one comparison stands for two conditions, the way on which both hold says that the first does, and the other
// way nothing of the first.
func TestOutcomesOfJoinedConditions(t *testing.T) {
	const T = branches.True
	list := []branches.Outcome{outcome(T, 2, branches.Merged), outcome(T, 2, branches.Either),
		outcome(branches.False, 3, 0)}
	rows := []branches.Row{{PC: 5, Way: branches.NotTaken, Outcomes: []int{0}},
		{PC: 5, Way: branches.Taken, Outcomes: []int{1, 2}}}
	for _, c := range []struct {
		ran  []int
		want string
	}{
		{[]int{0, 1, 4}, "happened "},
		{[]int{0, 3, 4}, "unknown merged"},
	} {
		got := outcomesOfF(t, ran(decided(), c.ran...), list, rows)
		if len(got) != 2 || got[0].Line != 2 || got[0].State+" "+got[0].Reason != c.want {
			t.Errorf("%v: got %+v, want line 2 %s", c.ran, got, c.want)
		}
	}
}

// What is known of a function's outcomes does not depend on the functions before it.
func TestOutcomesBehindOtherFunctions(t *testing.T) {
	list := []branches.Outcome{outcome(branches.True, 3, 0), outcome(branches.False, 3, 0)}
	rows := []branches.Row{{PC: 15, Way: branches.NotTaken, Outcomes: []int{0}},
		{PC: 15, Way: branches.Taken, Outcomes: []int{1}}}
	want := outcomesOfF(t, ran(decided(), 0, 1, 4), list, rows)
	got := outcomesOfF(t, ran(decided(code{"main.d", "main.d 81"}, code{"main.e", "main.e 91"}), 2, 3, 6), list, rows)
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 2 {
		t.Errorf("(-alone +behind others):\n%s", diff)
	}
}

// outcomesOfF returns those of main.f in a table of data.
func outcomesOfF(t *testing.T, d *Data, list []branches.Outcome, rows []branches.Row) []OutcomeRow {
	t.Helper()
	if err := d.Decide(tableOf(50, list, rows...)); err != nil {
		t.Fatal(err)
	}
	for _, f := range NewTable(d, 0).Packages[0].Functions {
		if f.Name == "main.f" {
			return f.Outcomes
		}
	}
	t.Fatal("no main.f")
	return nil
}

// The text has the outcomes that lines do not say, files of LCOV the conditions that are known, and the table of
// another program is refused.
func TestListingOfOutcomes(t *testing.T) {
	d := ran(decided(), 0, 1, 2, 4)
	table := tableOf(50, []branches.Outcome{outcome(branches.True, 2, 0), outcome(branches.False, 2, 0),
		outcome(branches.True, 3, 0), outcome(branches.False, 3, 0)},
		branches.Row{PC: 5, Way: branches.NotTaken, Outcomes: []int{0}},
		branches.Row{PC: 5, Way: branches.Taken, Outcomes: []int{1}},
		branches.Row{PC: 15, Way: branches.NotTaken, Outcomes: []int{2}},
		branches.Row{PC: 15, Way: branches.Taken, Outcomes: []int{3}})
	if err := d.Decide(table); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := listing.Text(&text, NewTable(d, 0)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nbranches: 1 of 3 outcomes never happened; 1 more is unknown\n",
		"\nmain\n  never false  /src/app.go:2:2  f\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text does not have %q:\n%s", want, &text)
		}
	}
	var lcov strings.Builder
	if err := d.Coverage(source.NewTree("")).WriteLCOV(&lcov); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(lcov.String(), "BRDA:2,0,0,1\nBRDA:2,0,1,0\nBRF:2\nBRH:1\n") {
		t.Errorf("the file of LCOV has not just the branch of line 2:\n%s", &lcov)
	}
	table[0].Funcs[0].Size++
	if err := d.Decide(table); err == nil || !strings.Contains(err.Error(), "the table is of another program") {
		t.Errorf("another table: %v", err)
	}
}
