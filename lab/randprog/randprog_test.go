package randprog

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
)

const seeds = 40

func program(seed uint64) *Program { return New(seed, Config{Funcs: 16, Size: 30}) }

// The type checker finds mistakes of the generator: unused labels, jumps over declarations,
// functions that end without a result.
func TestProgramsAreGo(t *testing.T) {
	fset := token.NewFileSet()
	std := importer.ForCompiler(fset, "source", nil)
	for seed := range uint64(seeds) {
		p := program(seed)
		for form, texts := range map[string]map[string]string{"plain": p.Plain, "traced": p.Traced} {
			var files []*ast.File
			for name, text := range texts {
				f, err := parser.ParseFile(fset, name, text, 0)
				if err != nil {
					t.Fatalf("seed %d, %s: %v", seed, form, err)
				}
				files = append(files, f)
			}
			conf := types.Config{Importer: std}
			if _, err := conf.Check("main", fset, files, nil); err != nil {
				t.Errorf("seed %d, %s: %v", seed, form, err)
			}
		}
	}
}

func TestEveryKindOfStatementIsMade(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(seeds) {
		for k, n := range program(seed).Kinds {
			kinds[k] += n
		}
	}
	want := []string{
		"block", "break", "clear", "closure", "continue", "defer", "else if", "fallthrough", "fault", "for", "for cond",
		"for ever", "go", "goto", "goto back", "if", "labelled break", "labelled continue", "load through a number",
		"one comparison",
		"outward labelled break", "outward labelled continue", "outward return", "outward return value", "panic",
		"range channel",
		"range func", "range int", "range map", "range slice", "range string", "recover", "return", "return value",
		"select", "simple", "store through a number", "switch", "type switch",
	}
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(kinds))); d != "" {
		t.Errorf("kinds of %d programs (-want +got):\n%s", seeds, d)
	}
}

func TestASeedMakesOneProgram(t *testing.T) {
	a, b, c := program(7), program(7), program(8)
	if a.Plain[Main] != b.Plain[Main] || a.Traced[Main] != b.Traced[Main] {
		t.Error("two programs of seed 7 differ")
	}
	if a.Plain[Main] == c.Plain[Main] {
		t.Error("the programs of seeds 7 and 8 are the same")
	}
}

// Positions are positions in the plain form. At the position of each outcome stands the
// keyword or operator of its branch.
func TestOutcomesStandWhereTheyAreSaidToBe(t *testing.T) {
	p := program(3)
	lines := strings.Split(p.Plain[Main], "\n")
	for _, o := range p.outcomes {
		text := lines[o.Line-1][o.Col-1:]
		word := map[string]string{"range": "for", "range func": "for", "switch": "switch", "type switch": "switch",
			"select": "select"}[o.Kind]
		if !strings.HasPrefix(text, word) || word == "" && strings.ContainsAny(text[:1], " \t&|{") {
			t.Errorf("%s: there stands %q", o, text)
		}
	}
}

// small is the program
//
//	1 func f() {
//	2 	for a && b {        loop 0
//	3 		if c { break }
//	  	}
//	5 	switch …            with a clause that falls through
//	9 	for range s {}      loop 1: never comes round
//	  }
var small = &Program{
	outcomes: []Outcome{
		{2, 6, "&&", "true"}, {2, 6, "&&", "false"}, {2, 11, "for", "true"}, {2, 11, "for", "false"},
		{3, 6, "if", "true"}, {3, 6, "if", "false"}, {5, 2, "switch", "case 1"}, {5, 2, "switch", "case 2"},
		{9, 2, "range", "body"}, {9, 2, "range", "done"},
	},
	loops: []*loop{{line: 2, back: true}, {line: 9}, {line: 10, head: [2]int{7, 8}, branch: 12},
		{line: 20, branch: 22, back: true}, {line: 21, branch: 22, back: true}},
	funcs: []int{1},
}

// The first activation has one round, then a false b and a fall through. A panic leaves the
// second activation in its second round.
const log = `0 e0 h0 o0 o2 o5 h0 o0 o3 o6 f0 o7 e1 h1 o9 r0
0 e0 h0 o0 o2 o5 h0 o0
`

func TestPathsOfALog(t *testing.T) {
	const (
		round = "2:6 && true; 2:11 for true; 3:6 if false"
		rest  = "2:6 && true; 2:11 for false; 5:2 switch case 1; 9:2 range done"
	)
	for truncation, want := range map[Truncation]*Log{
		Header: {
			Ended: map[Path]int64{{1, "entry", ""}: 2, {1, "loop 2", round}: 2, {1, "loop 2", rest}: 1},
			Left:  map[Path]int64{{1, "loop 2", "2:6 && true"}: 1},
		},
		Backedge: {
			Ended: map[Path]int64{{1, "entry", round}: 2, {1, "loop 2", rest}: 1},
			Left:  map[Path]int64{{1, "loop 2", "2:6 && true"}: 1},
		},
	} {
		got, err := small.Paths(strings.NewReader(log), truncation)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", truncation, d)
		}
	}
}

func TestBadLogs(t *testing.T) {
	for _, log := range []string{"1 r0\n", "0 r0 o1\n", "0 q1\n", "0 oo\n"} {
		if got, err := small.Paths(strings.NewReader(log), Header); err == nil {
			t.Errorf("%q: got %v, want an error", log, got)
		}
	}
}

// startOf reads "loop 7" as the start of a profile.
func startOf(text string) (s profile.Start) {
	fmt.Sscan(text, &s.How, &s.Line)
	return s
}

// profiled turns paths of a log into those of a profile.
func profiled(t *testing.T, log string) (paths []profile.Path) {
	t.Helper()
	l, err := small.Paths(strings.NewReader(log), Header)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range sorted(l.Ended) {
		p := profile.Path{
			ID: profile.PathID{Func: profile.Func{Name: "main.f", File: "/src/" + Main, StartLine: int64(k.Func)},
				Number: uint64(i)},
			From:  startOf(k.From),
			Count: l.Ended[k],
		}
		for b := range strings.SplitSeq(k.Branches, "; ") {
			for _, o := range small.outcomes {
				if o.String() == b {
					p.Branches = append(p.Branches, profile.Decision{Line: int64(o.Line), Col: int64(o.Col), Kind: o.Kind,
						Outcome: o.Name})
				}
			}
		}
		paths = append(paths, p)
	}
	return paths
}

// The comparison must notice each of these changes of the profile.
func TestComparisonNoticesWhatDiffers(t *testing.T) {
	want, err := small.Paths(strings.NewReader(log), Header)
	if err != nil {
		t.Fatal(err)
	}
	if c := small.Compare(want, profiled(t, log), nil); len(c.Differ) > 0 || c.Paths != 3 {
		t.Fatalf("%d paths are equal, want 3; %q", c.Paths, c.Differ)
	}
	for name, change := range map[string]func([]profile.Path) []profile.Path{
		"A path was counted once too often.": func(p []profile.Path) []profile.Path { p[1].Count++; return p },
		"A path is missing.":                 func(p []profile.Path) []profile.Path { return p[1:] },
		"Two outcomes are swapped.": func(p []profile.Path) []profile.Path {
			p[1].Branches[0], p[2].Branches[1] = p[2].Branches[1], p[1].Branches[0]
			return p
		},
		"A path begins elsewhere.":  func(p []profile.Path) []profile.Path { p[1].From = profile.Start{How: "entry"}; return p },
		"A path begins at no loop.": func(p []profile.Path) []profile.Path { p[1].From = profile.Start{How: "loop", Line: 77}; return p },
		"A branch is missing.": func(
			p []profile.Path) []profile.Path {
			p[1].Branches = p[1].Branches[1:]
			return p
		},
		"A path is of another function": func(p []profile.Path) []profile.Path { p[2].ID.Func.StartLine = 4; return p },
	} {
		if c := small.Compare(want, change(profiled(t, log)), nil); len(c.Differ) == 0 {
			t.Errorf("%s The comparison does not notice.", name)
		}
	}
}

// The log leaves one path, in the second round of the loop.
func TestComparisonOfPathsThatHaveNotEnded(t *testing.T) {
	want, err := small.Paths(strings.NewReader(log), Header)
	if err != nil {
		t.Fatal(err)
	}
	f := profile.Func{Name: "main.f", File: "/src/" + Main, StartLine: 1}
	left := profile.Unended{Func: f, From: profile.Start{How: "loop", Line: 2}, Count: 1}
	for _, test := range []struct {
		name    string
		prof    []profile.Unended
		differs bool
	}{
		{"the same", []profile.Unended{left}, false},
		{"none", nil, true},
		{"one more", []profile.Unended{left, left}, true},
		{"one elsewhere", []profile.Unended{left, {Func: f, From: profile.Start{How: "entry"}, Count: 1}}, true},
		{"at no loop", []profile.Unended{left, {Func: f, From: profile.Start{How: "loop", Line: 77}, Count: 1}}, true},
	} {
		c := small.Compare(want, profiled(t, log), nil)
		c.Unended(small, want, test.prof)
		if (len(c.Differ) > 0) != test.differs {
			t.Errorf("%s: %q differs", test.name, c.Differ)
		}
	}
	c := small.Compare(want, profiled(t, log), []int{int(f.StartLine)})
	if c.Unended(small, want, nil); len(c.Differ) > 0 {
		t.Errorf("the function is cut: %q differs", c.Differ)
	}
}

func TestSampledPathsAreThoseOfTheExactProfile(t *testing.T) {
	want, err := small.Paths(strings.NewReader(log), Header)
	if err != nil {
		t.Fatal(err)
	}
	c := small.Compare(want, profiled(t, log), nil)
	sampled := profiled(t, log)[1:]
	sampled[0].Count = 1
	if strange := c.Within(small, sampled); strange != nil {
		t.Errorf("got %q, want nothing", strange)
	}
	sampled[0].Branches = sampled[0].Branches[:1]
	if strange := c.Within(small, sampled); len(strange) != 1 {
		t.Errorf("got %q, want one path that was never taken", strange)
	}
}

// If the profile has cut paths, the count of an outcome is at least the count in paths that
// were completed, and at most this count plus the count in paths that a panic has left.
func TestPathsThatAreCutAreComparedByOutcomes(t *testing.T) {
	want, err := small.Paths(strings.NewReader(log), Header)
	if err != nil {
		t.Fatal(err)
	}
	piece := func(n int64) []profile.Path {
		paths := profiled(t, log)
		p := paths[1]
		p.ID.Number, p.From, p.Count = 9, profile.Start{How: "cut", Line: 99}, n
		p.Branches = []profile.Decision{{Line: 2, Col: 6, Kind: "&&", Outcome: "true"}}
		return append(paths, p)
	}
	if c := small.Compare(want, piece(1), nil); len(c.Differ) > 0 || c.Cut != 1 {
		t.Errorf("%d functions are cut, want 1; %q", c.Cut, c.Differ)
	}
	if c := small.Compare(want, piece(2), nil); len(c.Differ) != 1 {
		t.Errorf("got %q, want one difference", c.Differ)
	}
}

func TestLoopsAreFoundByLine(t *testing.T) {
	for line, want := range map[int]int{2: 2, 7: 10, 8: 10, 12: 10, 22: 21, 33: 0} {
		if got, _ := small.loop(1, line); got != want {
			t.Errorf("loop(1, %d) = %d, want %d", line, got, want)
		}
	}
}

// Paths that are cut at the head of a loop differ from whole ones, and their outcomes do not.
func TestPathsThatAreCutAtLoopsAreComparedByOutcomes(t *testing.T) {
	want, err := small.Paths(strings.NewReader(log), Header)
	if err != nil {
		t.Fatal(err)
	}
	paths := profiled(t, log)
	first := paths[0]
	first.ID.Number, first.From, first.Branches = 9, paths[1].From, nil
	paths = append(paths, first) // a piece without an outcome
	if c := small.Compare(want, paths, nil); len(c.Differ) == 0 {
		t.Error("a path that was never taken makes no difference")
	}
	if c := small.Compare(want, paths, []int{int(first.ID.Func.StartLine)}); len(c.Differ) > 0 {
		t.Errorf("got %q, want nothing", c.Differ)
	}
}
