package randprog

// This file makes programs and functions.

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
)

//go:embed testdata/support.go
var support string

//go:embed testdata/traced.go
var traced string

// A Program is a random program in two forms.
type Program struct {
	Seed          uint64
	Plain, Traced map[string]string // files by name
	Kinds         map[string]int    // how many statements of each kind

	outcomes []Outcome
	loops    []*loop
	funcs    []int // first lines by number
}

// Main is the file that Paths speaks of. Other files of the program support it.
const Main = "main.go"

// An Outcome is a way that a branch of the plain form can go.
type Outcome struct {
	Line, Col int
	Kind      string // if, for, range, …
	Name      string // true, body, case 1, …
}

// String is the outcome as in the label branches.
func (o Outcome) String() string {
	return fmt.Sprintf("%d:%d %s %s", o.Line, o.Col, o.Kind, o.Name)
}

// A loop is a point where paths begin: the head of a loop, or the statement behind a range
// over a function.
type loop struct {
	fn int
	// of its statement; of the first statement in it if it has no condition, and behind a range over a function
	line   int
	head   [2]int // the lines of a range over a function and of its label; or 0
	branch int    // in the latter two cases the line of the first branch, which may be in the same block; or 0
	back   bool   // something jumps back to its head
}

// A Config says how large a program is.
type Config struct {
	Funcs int // functions that are declared
	Size  int // statements in each, about
}

// New makes the program of a seed.
func New(seed uint64, c Config) *Program {
	g := &generator{
		Program: &Program{Seed: seed, Kinds: map[string]int{}},
		w:       newWriter(),
		rand:    rand.New(rand.NewPCG(seed, 1)),
		config:  c,
	}
	g.w.both("package main\n\nimport \"unsafe\"\n\nvar _ unsafe.Pointer\n")
	var tops strings.Builder
	for i := range c.Funcs {
		fmt.Fprintf(&tops, "\t%s,\n", g.declare(i))
	}
	list := "package main\n\nvar tops = []func(p *P, a, b, c int) int{\n" + tops.String() + "}\n"
	main := strings.ReplaceAll(support, "seedOfProgram uint64 = 0", fmt.Sprintf("seedOfProgram uint64 = %d", seed))
	g.Plain = map[string]string{Main: g.w.plain.String(), "support.go": main, "tops.go": list}
	g.Traced = map[string]string{Main: g.w.traced.String(), "support.go": main, "tops.go": list, "traced.go": traced}
	return g.Program
}

// A generator makes a program.
type generator struct {
	*Program
	w      *writer
	rand   *rand.Rand
	config Config

	names  int // of labels
	budget int // statements left for the function
	fn     *function
}

// A function is the function that the generator is writing.
type function struct {
	id       int
	outer    *function
	targets  []*target // enclosing statements that break and continue leave
	counters int       // used elements of the array k
	noReturn bool      // has no result: body of a range over a function, or a closure without

	// Of the body of a range over a function: the loop, its position, and whether a return or jump in the
	// body goes elsewhere than behind the loop.
	loop      *target
	line, col int
	left      bool
}

// A target is a statement that break leaves. If it is a loop, continue goes on with it.
type target struct {
	fn        *function // that it stands in
	label     string
	loop      int  // index of the loop, or -1
	ranges    bool // the end of the loop must be told apart from a break
	ofFunc    bool // a range over a function
	broken    bool // a break leaves it
	continued bool
}

func (g *generator) n(n int) int { return g.rand.IntN(n) }

// one reports true once in n times.
func (g *generator) one(n int) bool { return g.n(n) == 0 }

// count counts a statement of a kind.
func (g *generator) count(kind string) { g.Kinds[kind]++ }

// declare writes function i and returns an expression for it.
func (g *generator) declare(i int) (name string) {
	g.budget = g.config.Size/2 + g.n(g.config.Size)
	g.w.both("\n")
	const params = "(p *P, a, b, c int) int"
	head, name := fmt.Sprintf("func f%d%s", i, params), fmt.Sprintf("f%d", i)
	switch i % 8 {
	case 3:
		head, name = fmt.Sprintf("func (r *M) f%d%s", i, params), fmt.Sprintf("new(M).f%d", i)
	case 5:
		head, name = fmt.Sprintf("func (r V) f%d%s", i, params), fmt.Sprintf("V{}.f%d", i)
	case 6:
		head, name = fmt.Sprintf("func f%d[E any]%s", i, params), fmt.Sprintf("f%d[string]", i)
	case 7:
		head, name = fmt.Sprintf("func (r *G[E]) f%d%s", i, params), fmt.Sprintf("new(G[int]).f%d", i)
	}
	g.begin(&function{})
	g.w.open("%s", head)
	g.enter()
	g.locals("a, b, c")
	g.w.start()
	g.ifStop()
	if g.block(0) {
		g.end("return x + y - z")
	}
	g.w.close("\n")
	g.fn = nil
	return name
}

// begin makes f the function that the generator writes. Its first line is the line of the
// next text.
func (g *generator) begin(f *function) {
	f.id, f.outer = len(g.funcs), g.fn
	g.funcs = append(g.funcs, g.w.line)
	g.fn = f
}

// enter logs that the function has been called. Bodies of ranges over functions in it use the second name of its log.
func (g *generator) enter() { g.w.trace("t := enter(%d); t%[1]d := t; _, _ = t, t%[1]d; ", g.fn.id) }

// locals declares the variables that all statements use, at the top of a
// function: goto may not jump over declarations.
func (g *generator) locals(from string) {
	g.w.ln("x, y, z := %s", from)
	g.w.ln("var k [%d]int", counters)
	g.w.ln("s, ok := []int{x, y, 3}, x < y")
	g.w.ln("_, _, _, _ = k, s, ok, z")
}

// counters is how many loops of a function can have a counter of their own.
const counters = 12

// ifStop ends the recursion. It is a branch like any other.
func (g *generator) ifStop() {
	g.w.both("if ")
	g.cond(&cond{atom: "p.stop()"}, "if")
	g.w.open("")
	g.end("return x")
	g.w.close("\n")
}

// end writes a statement that leaves the function, before which a path ends.
func (g *generator) end(statement string) {
	g.w.start()
	g.w.trace("t.end(); ")
	g.w.both("%s\n", statement)
}

// outcome makes an outcome of a branch at a line and column, and returns its number.
func (g *generator) outcome(line, col int, kind, name string) int {
	g.outcomes = append(g.outcomes, Outcome{line, col, kind, name})
	for _, l := range g.loops {
		if l.fn == g.fn.id && l.branch == -1 {
			l.branch = line
		}
	}
	return len(g.outcomes) - 1
}

// newLoop makes a loop that begins at a line.
func (g *generator) newLoop(line int) int {
	g.loops = append(g.loops, &loop{fn: g.fn.id, line: line})
	return len(g.loops) - 1
}
