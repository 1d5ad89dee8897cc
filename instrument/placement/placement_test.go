package placement_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/placement"
)

// functions returns the functions of a package, given by the text of a file or the
// names of several.
func functions(t *testing.T, src any, names ...string) (*token.FileSet, []*flow.Func) {
	t.Helper()
	return marked(t, false, src, names...)
}

// marked does so with or without the markers of decisions.
func marked(t *testing.T, decisions bool, src any, names ...string) (*token.FileSet, []*flow.Func) {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	cfg := &flow.Config{Path: "p", Fset: fset, Files: files, Importer: importer.Default()}
	var plain *types.Info
	if decisions {
		var err error
		if plain, err = flow.Types(cfg); err != nil {
			t.Fatal(err)
		}
	}
	cfg.Markers = mark.Files(files, plain, func(*ast.File) bool { return false }, func(ast.Node) {})
	funcs, _, err := flow.Functions(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return fset, funcs
}

// code returns the code of the plan of a function, in source order.
func code(t *testing.T, fset *token.FileSet, p *placement.Plan) string {
	t.Helper()
	var b bytes.Buffer
	p.Write(&b, fset)
	_, text, ok := strings.Cut(b.String(), "code\n")
	if !ok {
		t.Fatalf("no code in\n%s", &b)
	}
	return strings.ReplaceAll(text, "\t", "")
}

var plans = []struct{ name, src, header, backEdge string }{
	{
		"a tree of paths needs no register: where a path ends, its number is known",
		`func f(a, b bool) int {
	if a {
		return 1
	}
	if b {
		return 2
	}
	return 3
}`,
		`before 4:3: end of path 2
before 7:3: end of path 0
before 9:2: end of path 1
`, "",
	},
	{
		"where ways meet, the register tells which one it was; the one without a block of its own adds nothing",
		`func f(err error, b bool) int {
	n := 0
	if err != nil {
		n++
	}
	if b {
		n++
	}
	return n
}`,
		`start: r = 0
if at 4:5 is true: r += 2
if at 7:5 is true: r += 1
before 10:2: end of path r
`, "",
	},
	{
		"a loop ends paths in front of it and at its end",
		`func f(n int) {
	for i := 0; i < n; i++ {
		if i == 7 {
			n--
		}
	}
}`,
		`start: r = 0
before 3:2: end of path 0; r = 1
if at 4:6 is true: r += 1
end 7:2: end of path r; r = 1
end 8:1: end of path 3
`, `start: r = 0
if at 4:6 is true: r += 1
end 7:2: end of path r; r = 3
after 7:3: r += 2
end 8:1: end of path r
`,
	},
	{
		"a switch has a point in each clause, and one for no case",
		`func f(n int) {
	switch n {
	case 1:
		n = 5
	case 2, 3:
		fallthrough
	case 4:
		n = 6
	}
	println(n)
}`,
		`start: r = 0
start 4:9: r += 1
start 6:12: r += 2
no case 10:2: r += 3
end 12:1: end of path r
`, "",
	},
	{
		"a jump out of the body of a loop over a function has its code behind the loop",
		`func f(seq func(func(int) bool), n int) {
outer:
	for range n {
		for x := range seq {
			if x == n {
				continue outer
			}
		}
		n++
	}
}`,
		`before 3:1: end of path 0
before 5:3: end of path 1
continue outer, behind the loop at 5:3: end of path 4
end 11:2: end of path 3
end 12:1: end of path 2
`, "",
	},
	{
		"an endless loop never returns, and ends a path in each round",
		`func f(c chan int) {
	for {
		if <-c == 0 {
			println()
		}
	}
}`,
		`start: r = 0
before 3:2: end of path 0; r = 1
if at 4:6 is true: r += 1
end 7:2: end of path r; r = 1
`, "",
	},
}

// The code of small functions, for paths that end at loop headers and at back edges.
func TestCode(t *testing.T) {
	for _, test := range plans {
		t.Run(test.name, func(t *testing.T) {
			fset, funcs := functions(t, "package p\n"+test.src, "p.go")
			for kind, want := range map[pathnum.Truncation]string{pathnum.Header: test.header, pathnum.BackEdge: test.backEdge} {
				if kind == pathnum.BackEdge && want == "" {
					continue
				}
				p, err := placement.New(funcs[0], pathnum.Options{Truncate: kind})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, code(t, fset, p)); diff != "" {
					t.Errorf("truncation %d (-want +got):\n%s", kind, diff)
				}
			}
		})
	}
}

// A simulation executes the code of a plan along the edges of the function's graph. It
// does not look at the values of the numbering.
type simulation struct {
	t     *testing.T
	plan  *placement.Plan
	paths map[string]uint64 // number by path
	of    map[uint64]string // and the other way round
	todo  []state
	begun map[string]bool // starts of paths that have been in todo
	steps int
}

// A state is an execution that has reached a node. At a start of paths, path is empty.
type state struct {
	node  *flow.Node
	r     uint64 // path register
	path  string
	last  *mark.Marker // the marker passed last, whose code is not executed again
	start string
}

// poison is the value of the register while the register holds nothing of use.
const poison = 0xdead << 32

// run executes all paths of the function, up to a bound.
func (s *simulation) run() (complete bool) {
	r := uint64(poison)
	if s.plan.Register {
		r = s.plan.Graph.Starts[0].Val
	}
	s.todo = []state{{node: s.plan.Func.Nodes[0], r: r, start: "entry"}}
	for len(s.todo) > 0 {
		x := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		if s.steps++; s.steps > 200_000 {
			return false
		}
		for i, e := range x.node.Out {
			if !e.Never {
				s.take(x, i, e)
			}
		}
	}
	return true
}

// take executes the code on edge e.
func (s *simulation) take(x state, i int, e *flow.Edge) {
	if ends := s.plan.Graph.Nodes[x.node.Index].Out[i].Ends; ends && e.Point.Out && e.Point.Marker == x.last {
		// The path has ended already, with the code of the edge before.
		x.path, x.start = "", fmt.Sprint("node ", e.To.Index)
	} else {
		x.path += fmt.Sprintf(" %d.%d", x.node.Index, i)
	}
	x.node = e.To
	switch p := e.Point; {
	case p.Leaf != nil:
		s.execute(&x, s.plan.Outcomes[placement.Outcome{Leaf: p.Leaf, True: p.Outcome}])
		x.last = nil
	case p.Jump != nil:
		s.execute(&x, s.plan.Jumps[p.Jump])
		x.last = nil
	case p.Marker == nil:
		x.last = nil
	default:
		if p.Marker != x.last {
			s.execute(&x, s.plan.Markers[p.Marker])
		}
		x.last = p.Marker
		if p.Marker.Kind == mark.Fallthru && e.Case != nil {
			s.execute(&x, s.plan.Markers[e.Case]) // control falls through to this marker
			x.last = e.Case
		}
	}
	if x.node == nil {
		return
	}
	if x.path == "" { // a path begins here: run takes each start once only
		key := fmt.Sprint(x.node.Index, x.start, x.r, x.last)
		if s.begun[key] {
			return
		}
		s.begun[key] = true
	}
	s.todo = append(s.todo, x)
}

// execute executes the code at a point.
func (s *simulation) execute(x *state, ops []placement.Op) {
	for _, op := range ops {
		if !op.Ends {
			x.r += op.Add
			continue
		}
		number := x.r + op.Add
		if op.Known {
			number = op.Add
		}
		s.end(x.start+x.path, number)
		x.r, x.path, x.start = poison, "", "the exit"
		if x.node != nil {
			x.start = fmt.Sprint("node ", x.node.Index)
		}
		if op.Restarts {
			x.r = op.Restart
		}
	}
}

// end notes that a path has ended.
func (s *simulation) end(path string, number uint64) {
	if n, ok := s.paths[path]; ok && n != number {
		s.t.Errorf("%s: path %s has the numbers %d and %d", s.plan.Func.Name, path, n, number)
	}
	if p, ok := s.of[number]; ok && p != path {
		s.t.Errorf("%s: number %d is that of %s and of %s", s.plan.Func.Name, number, p, path)
	}
	s.paths[path], s.of[number] = number, path
}

// checkPaths executes all paths of a function and compares their number with the number
// of the plan. It reports whether it could.
func checkPaths(t *testing.T, p *placement.Plan) bool {
	s := &simulation{t: t, plan: p, paths: map[string]uint64{}, of: map[uint64]string{}, begun: map[string]bool{}}
	if !s.run() {
		return false
	}
	if uint64(len(s.of)) != p.Graph.N {
		t.Errorf("%s: %d paths were executed, the numbering has %d", p.Func.Name, len(s.of), p.Graph.N)
	}
	for n, path := range s.of {
		if n >= p.Graph.N {
			t.Errorf("%s: path %s has the number %d of %d", p.Func.Name, path, n, p.Graph.N)
		}
	}
	return true
}

// checkPoints checks that every edge that needs code has an insertion point, and that
// no other edge has the same one.
func checkPoints(t *testing.T, fset *token.FileSet, p *placement.Plan) {
	used := map[string]*flow.Edge{}
	for i, n := range p.Func.Nodes {
		for j, e := range n.Out {
			num := p.Graph.Nodes[i].Out[j]
			if num.Dead {
				continue
			}
			if !e.Point.Known() {
				if num.Val != 0 || num.Ends || e.To == nil {
					t.Errorf("%s: edge %d of node %d needs code and has no insertion point", p.Func.Name, j, i)
				}
				continue
			}
			at := e.Point.Text(fset) + fmt.Sprintf(" %p", e.Point.Marker)
			if other := used[at]; other != nil {
				t.Errorf("%s: two edges have the insertion point %s, of nodes %d and %d", p.Func.Name, at, i, other.From.Index)
			}
			used[at] = e
		}
	}
}

// An execution of the code at the insertion points gives every path a number of its
// own, from 0 up to N. The test holds this for the small functions and for packages of
// std, with both truncations, and with a low limit that cuts paths early.
func TestAllPathsHaveTheirNumbers(t *testing.T) {
	checkAllPaths(t, load(t, false))
}

// A source is functions of one file set.
type source struct {
	fset  *token.FileSet
	funcs []*flow.Func
}

// load returns small functions and packages of std.
func load(t *testing.T, decisions bool) (loads []source) {
	t.Helper()
	packages := []string{"sort", "strconv", "text/template/parse", "go/printer", "regexp/syntax"}
	if testing.Short() {
		packages = packages[:2]
	}
	for _, x := range plans {
		fset, funcs := marked(t, decisions, "package p\n"+x.src, "p.go")
		loads = append(loads, source{fset, funcs})
	}
	for _, path := range packages {
		pkg, err := build.Import(path, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, name := range pkg.GoFiles {
			names = append(names, filepath.Join(pkg.Dir, name))
		}
		fset, funcs := marked(t, decisions, nil, names...)
		loads = append(loads, source{fset, funcs})
	}
	return loads
}

// merges reports whether paths with different numbers come to one node of g: over several edges on which none ends, or
// at an entry that is a start of further paths.
func merges(g *pdag.Graph) bool {
	in := make([]int, len(g.Nodes))
	for _, s := range g.Starts {
		in[s.Node]++
	}
	for _, n := range g.Nodes {
		for _, e := range n.Out {
			if !e.Dead && !e.Ends && e.To != pdag.Exit {
				in[e.To]++
			}
		}
	}
	return slices.Max(in) > 1
}

func checkAllPaths(t *testing.T, loads []source) {
	t.Helper()
	checked, big := 0, 0
	for _, l := range loads {
		for _, f := range l.funcs {
			if f.Skipped != "" {
				continue
			}
			for _, opts := range []pathnum.Options{{}, {Truncate: pathnum.BackEdge}, {Limit: 4}, {Order: pathnum.Coldest},
				{Truncate: pathnum.Rest}, {Truncate: pathnum.Join}} {
				p, err := placement.New(f, opts)
				if err != nil {
					continue // it is not instrumented with these options
				}
				checkPoints(t, l.fset, p)
				if opts.Truncate == pathnum.Join && p.Register && !merges(p.Graph) {
					t.Errorf("%s: the number of an edge is in a register", f.Name)
				}
				if checkPaths(t, p) {
					checked++
				} else {
					big++
				}
			}
		}
	}
	t.Logf("%d plans have been executed, %d are too big", checked, big)
	if checked < 20*big {
		t.Errorf("%d plans have been executed, and %d are too big for it", checked, big)
	}
}
