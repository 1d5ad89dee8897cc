// Package schema has the names in the profiles that programs write: the kinds of profiles,
// their sample types, and the keys and special values of their labels.
//
//	schema.Edges.Types()  // "edges": counts of branch outcomes
//	schema.Outcome        // the label that has the outcome: "true"
//
// Package runtime/report writes profiles and analyze/profile reads them, both by
// these names; docs/reference/profiles.md explains them to users. The package imports
// nothing, because it is linked into instrumented programs.
package schema

// A Kind is what a profile counts. The file of a profile is named
// PROGRAM.PROCESS.START.KIND.pb.gz.
type Kind string

// The kinds of profiles.
const (
	Paths       Kind = "paths"
	Edges       Kind = "edges"
	Values      Kind = "values"
	Types       Kind = "types"
	CallTargets Kind = "calltargets"
	Deps        Kind = "deps"
	Contexts    Kind = "contexts"
	Loads       Kind = "loads"
)

// Sites is how the name of the file of site tables ends that some programs write beside their profiles.
const Sites = "sites"

// DefaultEdges is the name of the profile of edges that is kept beside a main package, as default.pgo is.
const DefaultEdges = "default.edges.pb.gz"

// Kinds has all kinds.
var Kinds = [...]Kind{Paths, Edges, Values, Types, CallTargets, Deps, Contexts, Loads}

// Unit is the unit of sample types, but for Wait.
const Unit = "count"

// Wait and CPU are the sample types that have times.
const (
	Wait = "wait"
	CPU  = "cpu"
)

// UnitOf returns the unit of a sample type.
func UnitOf(name string) string {
	if name == Wait || name == CPU {
		return Nanoseconds
	}
	return Unit
}

// Types returns the sample types of a kind: what the values of a sample count. The
// first is the one that pprof shows by default, of loads the last.
func (k Kind) Types() []string {
	switch k {
	case Paths:
		return []string{"paths", "branch_flow"}
	case Edges:
		return []string{"edges"}
	case Values:
		return []string{"values", "messages"}
	case Types:
		return []string{"types", "messages"}
	case CallTargets:
		return []string{"calls", "messages"}
	case Deps:
		return []string{"deps", "messages"}
	case Contexts:
		return []string{"contexts", "messages"}
	case Loads:
		return []string{"loads", "timed", Wait}
	}
	return nil
}

// SampledTypes returns the sample types that follow Types in profiles whose counts are
// estimated from samples. Samples is the number of samples, variance that of the count
// without callers, independent how many independent samples would say as much about the
// share of an outcome in its branch. CPU is the time at ticks, of samples that have nothing else.
func (k Kind) SampledTypes() []string {
	switch k {
	case Paths:
		return []string{"samples", "variance", CPU}
	case Edges:
		return []string{"samples", "variance", "independent"}
	}
	return nil
}

// LeftOut is the name in place of callers that were left out of a stack.
const LeftOut = "(callers left out)"

// Keys of labels in profiles of paths.
const (
	Path     = "path"      // a number, in Number; a text of samples that are of no path: Unended or Tick
	From     = "from"      // entry, loop or cut
	FromLine = "from_line" // a number, in Line, of a loop or cut
	FromFile = "from_file" // b.tmpl; only if that line is in another file than the function
	Lines    = "lines"     // 12-14,17
	Branches = "branches"  // 12:5 if true; 15:6 for body
)

// Unended is the value of the label Path of a sample that counts paths of a function which have not ended. Exact
// profiles of paths and of edges have such samples, also with the label From.
const Unended = "unended"

// Tick is the value of the label Path of a sample of CPU time.
const Tick = "tick"

// FuncFile is the key of the label of a path or an edge whose innermost frame is in another file than
// the one where its function begins, by a //line directive. The label has the latter's name.
const FuncFile = "function_file"

// Keys of labels in profiles of edges.
const (
	Branch  = "branch"  // x.go:12:5
	Outcome = "outcome" // true
)

// BranchKind and TapKind are the kind of a branch ("if") and of a tap ("load").
const (
	BranchKind = "kind"
	TapKind    = BranchKind
)

// Keys of labels in profiles of taps.
const (
	Site  = "site"  // x.go:12:5
	Expr  = "expr"  // n
	Value = "value" // n=42; of values only
	Type  = "type"  // int; in a profile of types the dynamic type
	Words = "words" // 0x1000-0x1fff; of all samples if some are ranges of words
	// 4096; the value of the first word, of samples with the label Words whose values are numbers or addresses
	Low    = "low"
	High   = "high"   // 8191; the value of the last word, if it is another
	Form   = "form"   // address; only of values that are addresses
	Static = "static" // io.Reader; of types only: the type of the expression
	Pool   = "pool"   // words; in place of the label Site if the sample is of all taps of a kind
)

// GoroutineKey returns the key of a label that the program has given a goroutine with
// runtime/pprof: "handler" is "handler". A key that profiles use for labels of their own gets
// a prefix: "path" is "goroutine.path".
func GoroutineKey(key string) string {
	switch key {
	case Path, From, FromLine, FromFile, Lines, Branches, FuncFile, Branch, Outcome, BranchKind, Site, Expr,
		Value, Type, Words, Low, High, Form, Static, Pool, LowFunc, HighFunc, HighFile, LowLine, HighLine,
		CountError, ShareError, ShareBelow, WaitError, WaitBelow:
		return "goroutine." + key
	}
	return key
}

// Keys of labels with numbers, of what windows have noted: bounds of the errors of the
// first value, in its unit, and of its share of the tap's events, in PartsPerMillion. The share
// may be too large by ShareBelow, too small by ShareError.
const (
	CountError      = "count_error"
	ShareError      = "share_error"
	ShareBelow      = "share_below"
	PartsPerMillion = "ppm"
)

// Further such keys, in profiles of loads, of one sample of each instruction. They are bounds of its share in all
// waits, times these, in ns: the instruction may have WaitError more of them, WaitBelow less.
const (
	WaitError   = "wait_error"
	WaitBelow   = "wait_below"
	Nanoseconds = "nanoseconds"
)

// Address is the value of the label Form.
const Address = "address"

// Further labels of samples of ranges of code: where their first and their last tap are. The sample's frame
// has the function and the file of both, if they are the same.
const (
	LowFunc  = "low_function"  // main.f; only if the last tap is in another function
	HighFunc = "high_function" // main.g; likewise
	HighFile = "high_file"     // x.go; only if taps in the range are in another file than the first tap
	LowLine  = "low_line"      // a number, in Line; in one file the least line of the taps, else that of the first
	HighLine = "high_line"     // the greatest line, or that of the last tap
	Line     = "line"
)

// What the words of a pool are: the values of the label Pool.
const (
	PoolWords = "words" // words that taps have seen
	PoolSites = "sites" // numbers of taps, in the order of the source within a package
	PoolCode  = "code"  // addresses of the code of taps
)

// Load is the kind of the samples of loads. The expression of the label Value is Latency, and Latencies are its values:
// where loads were from, or that the window had written there and did not time them.
const (
	Load    = "load"
	Latency = "latency"
)

// Latencies are the values of Latency.
var Latencies = [...]string{"near cache", "far cache", "memory", "written"}

// Where a path begins: the values of the label From.
const (
	Entry = "entry"
	Loop  = "loop"
	Cut   = "cut"
)

// NoText is the label Expr of a call or a type of an expression that the compiler has made, and the source has not:
// such as the call in a wrapper of a method. It is no Go expression.
const NoText = "(not in the source)"

// Other stands for all words of a tap that the table had no space to tell apart. It is no Go
// expression. Nil is the nil interface, function or address.
const (
	Other = "(other)"
	Nil   = "nil"
)

// NoCaller is the value of an event whose calling context is not known, or has no function.
const NoCaller = "(no caller)"

// Number is the unit of the label Path. A label whose number is 0 must have a unit.
const Number = "number"

// PathName returns the name of the pseudo function that stands for a path: "pkg.F.·p12". Where there is little space,
// the flame graph of go tool pprof shows what is behind the last dot, "·p12", which is all that the frame below does
// not say.
func PathName(function, path string) string { return function + ".·" + path }

// ValueText returns the label Value: "n=42". A number alone would not be found by
// go tool pprof -tagfocus, which takes it for a range.
func ValueText(expr, value string) string { return expr + "=" + value }
