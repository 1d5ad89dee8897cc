package pagetest

// This file has the programs that the tests look at, made by hand.

import (
	"fmt"
	"strings"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/spent"
)

const (
	seen  = annotate.Seen
	ran   = annotate.Ran
	never = annotate.Never
	few   = annotate.Few
	none  = annotate.None
)

// line is a line of source: its number, its count if it was seen, and its text.
func line(n, count int64, state annotate.State, text string) annotate.Line {
	return annotate.Line{Line: n, Text: [][2]string{{"", text}}, Count: count, Raw: count, State: state}
}

// yes and no are the outcomes of a condition with some count each.
func conditions(yes, no int64, states ...annotate.State) []annotate.Outcome {
	total := float64(max(yes+no, 1))
	list := []annotate.Outcome{
		{Name: "true", Line: 12, Count: yes, Raw: yes, Share: float64(yes) / total, State: seen},
		{Name: "false", Line: 14, Count: no, Raw: no, Share: float64(no) / total, State: seen},
	}
	for i := range list {
		list[i].Low, list[i].High = max(0, list[i].Share-.05), min(1, list[i].Share+.05)
		if i < len(states) {
			list[i].State = states[i]
		}
	}
	return list
}

// walk is a function with a loop, conditions, a long switch, a call and values.
func walk() *annotate.Detail {
	d := &annotate.Detail{
		End: 32, Entries: 1000, PathsSeen: 7, Entropy: 1.5, Outcomes: 16, Unseen: 3, Reconciled: true,
		Lines: []annotate.Line{
			line(10, 1000, seen, "func walk(list []int) int {"),
			line(11, 8000, seen, "\tfor _, n := range list {"),
			line(12, 7000, seen, "\t\tif ä(n) && n > 0 {"),
			line(13, 3500, seen, "\t\t\tsum += n"),
			line(14, 0, none, "\t\t}"),
			line(15, 7000, seen, "\t\tswitch n {"),
			line(16, 0, none, "\t\tcase 0:"),
			line(17, 0, never, "\t\t\tpanic(n)"),
			line(18, 0, none, "\t\t}"),
			line(19, 0, ran, "\t\tlog(n)"),
			line(20, 0, none, "\t}"),
			line(21, 0, none, "\t// "+strings.Repeat("long ", 60)),
			line(22, 0, few, "\tif list == nil {"),
			line(23, 0, few, "\t\treturn -1"),
			line(24, 0, none, "\t}"),
			line(25, 1000, seen, "\treturn sum"),
			line(26, 0, none, "}"),
		},
		Branches: []annotate.Branch{
			{Line: 11, Col: 2, Kind: "range", Count: 8000, State: seen, Outcomes: []annotate.Outcome{
				{Name: "body", Line: 12, Count: 7000, Raw: 6900, Share: .875, Low: .82, High: .93, State: seen},
				{Name: "done", Line: 22, Count: 1000, Raw: 1100, Share: .125, Low: .07, High: .18, State: seen}}},
			{Line: 12, Col: 6, Kind: "&&", Count: 7000, State: seen, Outcomes: conditions(3500, 3500)},
			// The column is of bytes: ä has two.
			{Line: 12, Col: 15, Kind: "if", Count: 3500, State: seen, Outcomes: conditions(3500, 0, seen, never)},
			{Line: 15, Col: 3, Kind: "switch", Count: 7000, State: seen},
			{Line: 22, Col: 5, Kind: "if", State: few, Outcomes: conditions(0, 0, few, few)},
		},
		Paths: []annotate.Path{
			{Name: "p4", From: "loop", Line: 11, Loop: true, Flow: 14000, Count: 3500, Raw: 3500, Samples: 35, Share: .56,
				Low: .5, High: .62,
				Lines: [][2]int64{{11, 15}}, Branches: []annotate.Decision{{Branch: 0, Outcome: 0}, {Branch: 1, Outcome: 0},
					{Branch: 2, Outcome: 0}, {Branch: 3, Outcome: 1}}, Nodes: []int{1, 2, 3, 4}},
			{Name: "p5", From: "loop", Line: 11, Loop: true, Flow: 10000, Count: 3500, Raw: 3500, Samples: 35, Share: .3,
				Low: .2, High: .4,
				Lines:    [][2]int64{{11, 12}, {15, 15}},
				Branches: []annotate.Decision{{Branch: 0, Outcome: 0}, {Branch: 1, Outcome: 1}}, Nodes: []int{1, 2, 4}},
			{Name: "p1", From: "entry", Line: 10, Flow: 1000, Count: 1000, Raw: 1000, Samples: 10, Share: .04, Low: .02,
				High:  .06,
				Lines: [][2]int64{{10, 11}}, Branches: []annotate.Decision{{Branch: 0, Outcome: 0}}, Nodes: []int{0, 1}},
			{Name: "p2", From: "loop", Line: 11, Flow: 1000, Count: 1000, Raw: 900, Samples: 9, Share: .04, Low: .02, High: .06,
				Lines: [][2]int64{{11, 11}, {25, 25}}, Branches: []annotate.Decision{{Branch: 0, Outcome: 1}}, Nodes: []int{1, 5}},
		},
		MorePaths: 1, MoreShare: .01,
		Callers: []annotate.Call{{Name: "main.main", Line: 40, Count: 900, Share: .9}, {Name: "", Count: 100, Share: .1}},
		Callees: []annotate.Call{{Name: "other.helper", Line: 12, Count: 3500, Share: 1}},
		Taps: []annotate.Tap{{Line: 13, Col: 4, Kind: "load", Expr: "n", Type: "int", Events: 1000, More: 3,
			Values: []annotate.Value{
				{Text: "7", Share: .75, Low: .7, High: .8}, {Text: "9", Share: .2, Low: .15, High: .25}}}, {
			Line: 19, Col: 6, Kind: "call", Expr: "log", Type: "func(int)", Events: 1000, Values: []annotate.Value{
				{Text: "other.helper", Share: .6, Low: .5, High: .7}, {Text: "main.(*T).log", Share: .2, Low: .1, High: .3},
				{Text: "example.com/log.(*T).log", Share: .1, Low: .05, High: .15},
				{Text: "main.last", Share: .06, Low: 0, High: .1}, {Text: "(other)", Share: .04, Low: 0, High: .1}}}, {
			Line: 19, Col: 7, Kind: "type", Expr: "n", Type: "any", Events: 1000, Values: []annotate.Value{
				{Text: "*example.T", Share: .96, Low: .9, High: .98}, {Text: "int", Share: .02, High: .1},
				{Text: "nil", Share: .02, High: .1}}}},
		Graph: annotate.Graph{Nodes: []annotate.Node{
			{First: 10, Last: 10, Count: 1000, Out: []annotate.Arc{{To: 1, Count: 1000}}},
			{First: 11, Last: 11, Count: 8000, Out: []annotate.Arc{{To: 2, Name: "body", Count: 7000},
				{To: 5, Name: "done", Count: 1000}}},
			{First: 12, Last: 12, Count: 7000, Out: []annotate.Arc{{To: 3, Name: "true", Count: 3500},
				{To: 4, Name: "false", Count: 3500}}},
			{First: 13, Last: 13, Count: 3500, Out: []annotate.Arc{{To: 4, Count: 3500}}},
			{First: 15, Last: 19, Count: 7000, Out: []annotate.Arc{{To: 1, Count: 7000}}},
			{First: 25, Last: 25, Count: 1000, Out: []annotate.Arc{{To: -1, Count: 1000}}},
		}},
	}
	shares := []float64{.01, .3, .2, .1, .25, .09, .05, 0, 0}
	for i, share := range shares {
		o := annotate.Outcome{Name: fmt.Sprintf("case %d", i), Line: 17, Count: int64(7000 * share), Raw: int64(7000 * share),
			Share: share, Low: share / 2, High: min(1, share*1.5), State: seen}
		if share == 0 {
			o.State, o.High = never, .004
		}
		d.Branches[3].Outcomes = append(d.Branches[3].Outcomes, o)
	}
	return d
}

// helper is a function without branches.
func helper() *annotate.Detail {
	return &annotate.Detail{
		End: 3, Entries: 10, PathsSeen: 1, Reconciled: true,
		Lines: []annotate.Line{line(1, 10, seen, "func helper() {"), line(2, 10, seen, "\twork()"), line(3, 0, none, "}")},
		Paths: []annotate.Path{{Name: "p0", From: "entry", Line: 1, Flow: 10, Count: 10, Raw: 10, Samples: 1, Share: 1,
			Low: .9, High: 1, Lines: [][2]int64{{1, 2}}, Nodes: []int{0}}},
		Callers: []annotate.Call{{Name: "main.walk", Line: 12, Count: 10, Share: 1}},
		Graph: annotate.Graph{Nodes: []annotate.Node{{First: 1, Last: 2, Count: 10,
			Out: []annotate.Arc{{To: -1, Count: 10}}}}},
	}
}

// small is a program with a function of each state.
func small() *annotate.Program {
	return programOf(
		annotate.Function{Name: "main.walk", Package: "main", File: "/src/app/walk.go", Short: "app/walk.go", Line: 10,
			Flow: 25000, Share: .7, Total: 29450, TotalShare: .95, Count: 9000, Samples: 90, State: seen},
		annotate.Function{Name: "other.helper", Package: "other", File: "/src/other/help.go", Short: "other/help.go", Line: 1,
			Flow: 5000, Share: .25, Total: 5000, TotalShare: .25, Count: 10, Samples: 1, State: seen},
		annotate.Function{Name: "other.(*T).second", Package: "other", File: "/src/other/help.go", Short: "other/help.go",
			Line: 9, Flow: 1000, Share: .05, Total: 1000, TotalShare: .05, Count: 10, Samples: 1, State: seen},
		annotate.Function{Name: "main.main", Package: "main", File: "/src/app/main.go", Short: "app/main.go", Line: 30,
			Total: 31000, TotalShare: 1, State: ran},
		annotate.Function{Name: "main.usage", Package: "main", File: "/src/app/main.go", Short: "app/main.go", Line: 60,
			State: never},
		annotate.Function{Name: "main.rare", Package: "main", File: "/src/app/main.go", Short: "app/main.go", Line: 70,
			State: few},
	)
}

// timed is a program of which all packages are profiled.
func timed() *annotate.Program {
	p := small()
	more := annotate.Function{Name: "runtime.mallocgc", Package: "runtime", File: "/go/runtime/malloc.go",
		Short: "runtime/malloc.go", Line: 900, Flow: 20000, Share: .9, Count: 10, Samples: 9, State: seen, Own: .25, Cum: .25,
		Owner: 3}
	p.Functions = append([]*annotate.Function{p.Functions[1], &more, p.Functions[0]}, p.Functions[2:]...)
	for i, x := range []struct {
		own, cum float64
		owner    int
	}{{.2, .45, 1}, {.25, .25, 3}, {.1, .4, 0}, {.05, .05, 2}, {0, .8, 0}} {
		p.Functions[i].Own, p.Functions[i].Cum, p.Functions[i].Owner = x.own, x.cum, x.owner
	}
	p.Where = []annotate.Place{{Name: "main module", Share: .1, Cum: .8,
		In: []spent.Share{{Name: "main.walk", Share: .1}}},
		{Name: "std", Share: .25, Cum: .45, In: []spent.Share{{Name: "other", Share: .25}},
			For: []spent.Share{{Name: "main.walk", Share: .15}}},
		{Name: "maps", Share: .0001}, {Name: "unseen", Share: .2, In: []spent.Share{{Name: "method wrappers", Share: .2}}}}
	p.Packages = []annotate.Package{{Name: "main", Own: .1, Cum: .8}, {Name: "other", Own: .25, Cum: .5},
		{Name: "runtime", Own: .25, Cum: .25}}
	return p
}

// covered is a program that was built for coverage.
func covered() *annotate.Program {
	p := small()
	p.Exact, p.Coverage = true, &annotate.Coverage{Statements: [2]int{9, 10}, Outcomes: [2]int{13, 16},
		Conditions: [2]int{1, 2}}
	p.Functions[0].Missing, p.Functions[1].Missing, p.Functions[4].Missing = 5, 0, 7
	p.Detail = func(i int) (*annotate.Detail, error) {
		d := helper()
		switch i {
		case 4: // not executed
			d.Paths, d.Callers = nil, nil
		case 0:
			d = walk()
			d.Decisions = []annotate.Decided{{
				Line: 12, Text: "ä(n) && n > 0", Conditions: []annotate.Condition{{Text: "ä(n)", Shown: true}, {Text: "n > 0"}},
				Vectors: []annotate.Vector{{Values: "TT", Outcome: true, Count: 3500}, {Values: "F-", Count: 3500}},
				Wanted:  []annotate.Vector{{Values: "TF"}},
			}}
		}
		return d, nil
	}
	return p
}

// programOf is a program whose first function is walk, and whose others are helpers.
func programOf(functions ...annotate.Function) *annotate.Program {
	p := &annotate.Program{
		Name: "app", Build: "4711", Paths: 8, Count: 9020, Flow: 31000, Samples: 92, CPUTime: 2e9, Cost: .012,
		Outside: .4, OutsideIn: []annotate.Share{{Name: "runtime", Share: .3}, {Name: "fmt", Share: .1}}, More: .1,
		Unseen: .004,
		Notes:  []string{"The file of values was not found; build with -peptaps for values."},
	}
	for i := range functions {
		p.Functions = append(p.Functions, &functions[i])
	}
	p.Detail = func(i int) (*annotate.Detail, error) {
		if i == 0 {
			return walk(), nil
		}
		return helper(), nil
	}
	return p
}

// large is a program with n functions in packages of a hundred, of which a tenth was seen.
func large(n int) *annotate.Program {
	var functions []annotate.Function
	for i := range n {
		pkg := fmt.Sprintf("example.com/some/module/package%d", i/100)
		f := annotate.Function{Name: fmt.Sprintf("%s.(*Type).method%d", pkg, i), Package: pkg, State: never,
			File: fmt.Sprintf("/home/user/src/%s/file%d.go", pkg, i%7), Short: fmt.Sprintf("%s/file%d.go", pkg, i%7),
			Line: int64(i)}
		if i < n/10 {
			f.State, f.Flow, f.Share, f.Count, f.Samples = seen, int64(n-i), 2/float64(n+i), int64(n-i), 1
		}
		functions = append(functions, f)
	}
	return programOf(functions...)
}

// evil is markup that would do something if it were markup.
const evil = `</script><img src=x onerror="window.hacked=1"><b title='`

// hostile is a program whose every text has markup in it.
func hostile() *annotate.Program {
	p := small()
	p.Name, p.Build = "app"+evil, evil
	p.Notes = []string{evil}
	p.OutsideIn = []annotate.Share{{Name: evil, Share: .3}}
	for _, f := range p.Functions {
		f.Name, f.Package, f.File, f.Short = f.Name+evil, f.Package+evil, f.File+evil, f.Short+evil
	}
	p.Detail = func(i int) (*annotate.Detail, error) {
		d := walk()
		d.Note = evil
		for i := range d.Lines {
			d.Lines[i].Text = append(d.Lines[i].Text, [2]string{"s", evil})
		}
		for i := range d.Branches {
			d.Branches[i].Kind += evil
			for j := range d.Branches[i].Outcomes {
				d.Branches[i].Outcomes[j].Name += evil
			}
		}
		for i := range d.Paths {
			d.Paths[i].Name += evil
		}
		d.Decisions = []annotate.Decided{{Line: 12, Text: evil, Conditions: []annotate.Condition{{Text: evil}},
			Vectors: []annotate.Vector{{Values: "T"}}, Wanted: []annotate.Vector{}}}
		for i := range d.Taps {
			d.Taps[i].Expr, d.Taps[i].Type = evil, evil
			d.Taps[i].Values[0].Text = evil
		}
		for _, list := range [][]annotate.Call{d.Callers, d.Callees} {
			for i := range list {
				list[i].Name += evil
			}
		}
		for i := range d.Graph.Nodes {
			for j := range d.Graph.Nodes[i].Out {
				d.Graph.Nodes[i].Out[j].Name += evil
			}
		}
		return d, nil
	}
	return p
}
