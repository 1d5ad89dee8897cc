// Package annotate puts what profiles of a run say beside the source of the program: how often each
// line ran, which way each branch went, the hottest paths, callers, and what taps saw.
//
//	p, err := annotate.New(annotate.Input{Run: run, Program: program, Source: source.NewTree("")})
//	d, err := p.Detail(0) // of p.Functions[0], the hottest
//	d.Lines[3].Count      // how often its fourth line ran
//
// For the function of package profile's worked example, exact, with 7 calls with a negative number
// and 1 other,
//
//	8  10  func sign(n int) int {
//	8  11  	if n < 0 {              if: true 7, false 1
//	7  12  		return -1
//	   13  	}
//	1  14  	return 1
//	   15  }
//
// # Counts
//
// A line has run as often as the paths that go over it. A path goes through a line once, but the line
// of a loop belongs to two paths for each round: the one that ends there and the one that begins.
// So only paths that begin there count for it.
//
// # Reconciled counts
//
// Samples of a path are independent of those of the next one. So the paths that lead to a loop,
// together, rarely have the count of those that leave it, though control went in as often as out.
// Counts of a function are reconciled as follows. Let c be the count of each path, s the place where
// it begins and e the one where it ends: the loops of the function, and its entry, at which returns
// end. Each path's count becomes c·w(s)/w(e), with weights w > 0, one for each place, for which as
// many paths begin at each place as end there (this is the balancing of a matrix, Osborne 1960), times
// a factor that keeps the function's flow. What was never seen stays never seen. Where no weights
// do it, because no sample shows how a loop was left or reached, the counts stay as they were
// sampled, and the function is not Reconciled. Exact counts need no reconciliation.
package annotate

import (
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/spent"
	"github.com/pepgo/pep/format/tuple"
)

// A Program is all functions of a profiled program.
type Program struct {
	Name  string `json:"program"` // base name of its file
	Build string `json:"build"`   // hash of its site tables
	Exact bool   `json:"exact"`   // every path was counted
	// counts are of windows, in which a thread's code is seen before the thread executes it
	Windows bool  `json:"windows"`
	Paths   int   `json:"paths"`   // that were seen
	Count   int64 `json:"count"`   // of all paths; in sampled profiles an estimate, 1000 for each sample on average
	Flow    int64 `json:"flow"`    // the sum over all paths of the count times the branches on the path
	Samples int64 `json:"samples"` // of paths; 0 if Exact
	CPUTime int64 `json:"cpu_ns"`  // of the run in ns; 0 if not known
	// share of CPUTime that sampling took, without the code of polls and registers
	Cost      float64 `json:"cost"`
	Budget    float64 `json:"budget"`    // share that it was allowed to take on average, if that has fallen; else 0
	BudgetEnd float64 `json:"budgetEnd"` // likewise, at the end
	Outside   float64 `json:"outside"`   // share of the ticks that were outside of instrumented functions
	OutsideIn []Share `json:"outsideIn"` // the packages with most of these, as shares of all ticks
	More      float64 `json:"more"`      // share of the ticks that -peppkg=all would bring inside
	// what no sample shows has at most this share of all counts, with 95 % confidence
	Unseen   float64   `json:"unseen"`
	Where    []Place   `json:"where"`    // where the time was, if the profile is of all packages; else none
	Packages []Package `json:"packages"` // their time, likewise
	Coverage *Coverage `json:"coverage"` // null if the program was not built for it
	Notes    []string  `json:"notes"`    // what is missing, and what to do about it; sentences
	// with paths, by flow; then those that ran without a sample; then those never seen
	Functions []*Function `json:"functions"`

	// Detail computes the details of Functions[i], when they are wanted: a program may have tens of
	// thousands of functions.
	Detail func(i int) (*Detail, error) `json:"-"`
}

// A Share is a part of a whole with its name.
type Share struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// A Place is where time was.
type Place = spent.Place

// A Package has the time of a package, as shares of all ticks.
type Package struct {
	Name string  `json:"name"`
	Own  float64 `json:"own"` // in its own code
	Cum  float64 `json:"cum"` // and in what that called
}

// A State says what is known of code or of an outcome.
type State string

// What is known of code or of an outcome.
const (
	Seen  State = "seen"  // it has a count
	Ran   State = "ran"   // no sample shows it, but something that a sample shows cannot have run without it
	Never State = "never" // never seen, and there are samples enough to say how rare it is
	Few   State = "few"   // never seen, and there are too few samples to say anything

	// Untold is code on a way that the code of a program with windows does not tell from others (see wire.OutUntold), or
	// of a function none of whose paths it tells.
	Untold State = "untold"

	None State = "none" // no code of its own: comments, closing braces, declarations
)

// A Function is what is known of a function at once. Program.Detail computes the rest.
type Function struct {
	Name    string  `json:"name"`    // "go/types.(*Checker).expr"
	Package string  `json:"package"` // "go/types"
	File    string  `json:"file"`    // as the program names it
	Short   string  `json:"short"`   // relative to the module or std: "go/types/expr.go"
	Line    int64   `json:"line"`    // where it begins
	Flow    int64   `json:"flow"`
	Share   float64 `json:"share"` // of the program's flow
	// flow of its paths and of those in what it called; exact profiles have no callers
	Total      int64   `json:"total"`
	TotalShare float64 `json:"totalShare"` // likewise
	// share of the ticks, in its own code, if the profile is of all packages; else 0
	Own float64 `json:"own"`
	Cum float64 `json:"cum"` // likewise, with what it called
	// 0 the main module, 1 dependencies, 2 std, 3 the Go runtime; 0 if the profile does not tell
	Owner   int   `json:"owner"`
	Count   int64 `json:"count"`   // of its paths
	Samples int64 `json:"samples"` // likewise; 0 if exact
	State   State `json:"state"`   // Seen, Ran, Untold or Never (Few if there are few samples at all)
	// why the code of a program with windows tells none of its paths; else empty
	Untold string `json:"untold,omitempty"`
	// statements, outcomes and conditions that are not covered; 0 without Coverage
	Missing int `json:"missing"`
}

// A Detail is a function's source with counts, and its paths.
type Detail struct {
	End        int64     `json:"end"`        // last line
	Entries    int64     `json:"entries"`    // paths that begin at the entry: calls
	PathsSeen  int       `json:"pathsSeen"`  // distinct paths
	Entropy    float64   `json:"entropy"`    // of the paths' counts, in bits
	Outcomes   int       `json:"outcomes"`   // of all branches
	Unseen     int       `json:"unseen"`     // of these, never seen
	Reconciled bool      `json:"reconciled"` // counts are (see the package comment); else as sampled, or exact
	Note       string    `json:"note"`       // what is wrong with source or counts; a sentence
	Lines      []Line    `json:"lines"`
	Branches   []Branch  `json:"branches"` // by position
	Paths      []Path    `json:"paths"`    // the hottest by flow, 12 at most
	MorePaths  int       `json:"morePaths"`
	MoreShare  float64   `json:"moreShare"` // of the function's flow, of paths that are not in Paths
	Callers    []Call    `json:"callers"`   // by count; none if exact
	Callees    []Call    `json:"callees"`   // functions with paths that it called, by count
	Taps       []Tap     `json:"taps"`      // by position
	Decisions  []Decided `json:"decisions"` // likewise; none without Coverage
	Graph      Graph     `json:"graph"`     // without nodes if the program's file was not found
}

// A Line is a line of source.
type Line struct {
	File string `json:"file,omitempty"` // if not the function's, by a //line directive
	Line int64  `json:"line"`
	// runs of text, each behind its class: "k" keyword, "s" string, "n" number, "c" comment, "f" name that is called, "b"
	// predeclared, "" other
	Text  [][2]string `json:"text"`
	Count int64       `json:"count"` // how often it ran
	Raw   int64       `json:"raw"`   // Count before it was reconciled
	State State       `json:"state"`
}

// A Branch is a branch with its outcomes.
type Branch struct {
	File     string    `json:"file,omitempty"` // as in a Line
	Line     int64     `json:"line"`
	Col      int64     `json:"col"` // of its first byte, from 1
	Kind     string    `json:"kind"`
	Count    int64     `json:"count"`
	State    State     `json:"state"`
	Outcomes []Outcome `json:"outcomes"` // in the order of the source
}

// An Outcome is a way that a branch goes.
type Outcome struct {
	Name  string  `json:"name"` // "true", "body", "case 1, 2"
	Line  int64   `json:"line"` // it leads to
	Count int64   `json:"count"`
	Share float64 `json:"share"` // of the branch's count
	Raw   int64   `json:"raw"`   // Count before it was reconciled
	Low   float64 `json:"low"`   // 95 % bounds of the share before it was reconciled
	High  float64 `json:"high"`
	State State   `json:"state"` // Seen, Ran, Never (High says how rare it is) or Few

	RawBounds profile.Bounds `json:"-"` // 95 % bounds of Raw
}

// A Path is a path of a function.
type Path struct {
	Name     string     `json:"name"` // "p12"
	From     string     `json:"from"` // "entry", "loop", "cut"
	Line     int64      `json:"line"` // where it begins
	Loop     bool       `json:"loop"` // it is a round of a loop: it ends where it began
	Flow     int64      `json:"flow"`
	Count    int64      `json:"count"`
	Raw      int64      `json:"raw"`
	Samples  int64      `json:"samples"`
	Share    float64    `json:"share"` // of the function's flow
	Low      float64    `json:"low"`   // 95 % bounds of the share
	High     float64    `json:"high"`
	Lines    [][2]int64 `json:"lines"` // first and last of each run of lines, in increasing order; in the function's file
	Branches []Decision `json:"branches"`
	Nodes    []int      `json:"nodes"` // of Graph, in order
}

// A Decision is the outcome of a branch on a path.
type Decision struct {
	Branch  int `json:"branch"`  // index into Detail.Branches
	Outcome int `json:"outcome"` // index into its Outcomes
}

// A Call is a caller or a called function.
type Call struct {
	Name  string  `json:"name"`
	Line  int64   `json:"line"`  // of the call, in the caller
	Count int64   `json:"count"` // of paths that were recorded in this call, and in what that called
	Share float64 `json:"share"` // of all calls of the list
}

// A Tap is what a tap or windows saw of an expression.
type Tap struct {
	File   string  `json:"file,omitempty"` // as in a Line
	Line   int64   `json:"line"`
	Col    int64   `json:"col"`  // 0 if it is not known
	Kind   string  `json:"kind"` // "load", "arg", "call"
	Expr   string  `json:"expr"`
	Type   string  `json:"type"`
	Events int64   `json:"events"`
	Values []Value `json:"values"` // by count, the word (other) last; 5 at most, of a site all
	More   int     `json:"more"`   // further values
}

// IsSite reports whether the tap says where the code goes from here: it is an indirect call, with the functions
// that were called, or an interface, with its concrete types.
func (t *Tap) IsSite() bool { return t.Kind == tuple.Call.String() || t.Kind == tuple.Type.String() }

// A Value is a value of a tap: a number, a type, a function that was called or a range.
type Value struct {
	Text  string  `json:"text"`
	Count int64   `json:"count"`
	Share float64 `json:"share"` // of the tap's events
	Low   float64 `json:"low"`   // 95 % bounds
	High  float64 `json:"high"`
}

// A Graph is the control-flow graph of a function.
type Graph struct {
	Nodes []Node `json:"nodes"` // node 0 is the entry
}

// A Node is a basic block.
type Node struct {
	First int64 `json:"first"` // lines; 0 if it has none
	Last  int64 `json:"last"`
	Count int64 `json:"count"`
	Out   []Arc `json:"out"`
}

// An Arc is an edge of a Graph.
type Arc struct {
	To    int    `json:"to"`   // -1 leaves the function
	Name  string `json:"name"` // of the outcome; "" if it is the only one
	Count int64  `json:"count"`
}
