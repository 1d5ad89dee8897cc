package wire

import "github.com/pepgo/pep/format/pdag"

// A Package is the site table of one instrumented package: what its path
// numbers mean, in terms of the source.
type Package struct {
	Path    string    // import path as the compiler's -p flag has it: "go/types", "main"
	Files   []string  // names as in the binary's line tables, indexed by Func.File
	Funcs   []Func    // in increasing Base
	Skipped []Skipped // functions that are not instrumented, and those of Funcs of which windows see no path
	Taps    []Tap     // tap i has the site tuple.SiteBase(Path)+i
}

// Paths returns how many paths the package has. Their numbers are 0 … Paths-1.
func (p *Package) Paths() uint64 {
	if len(p.Funcs) == 0 {
		return 0
	}
	last := &p.Funcs[len(p.Funcs)-1]
	return last.Base + last.Graph.N
}

// A Func describes one instrumented function, method, function literal or
// range-over-func body. Its path p has the package-relative number Base+p.
type Func struct {
	Name   string // linker symbol: "go/types.(*Checker).expr", "main.main.func1"
	File   int    // index into Package.Files
	Line   int    // line of the func keyword
	Base   uint64
	Graph  pdag.Graph
	Blocks []Block // one per node of Graph
	Calls  []Call  // in increasing Node

	// Untold are nodes, in increasing order, at which the code of a program with windows does not tell everywhere which
	// way paths go on, because the compiler has made one comparison of two, for example. All paths that reach one there go
	// on in the same way, whatever happens; actiontable.Untold is in their numbers.
	Untold []int

	// Elsewhere says that some positions are in other files than File, by //line directives. If it is
	// not set, the File of all spans, branches and outs is that of the function.
	Elsewhere bool

	// Source is where the function stands in its Go file, if //line directives say otherwise and the program counts for
	// coverage; else nil.
	Source *Source
}

// A Source is where a function stands in its Go file, whatever //line directives say. Blocks are those of the function
// without Outs. A skipped function has none.
type Source struct {
	File   int // index into Package.Files
	Line   int // of the func keyword
	Blocks []Block
}

// CallsOf returns where the calls in a node begin and end in Calls.
func (f *Func) CallsOf(node int) (first, end int) {
	lo, hi := 0, len(f.Calls) // Calls[:lo] are before node, Calls[hi:] not
	for lo < hi {
		if mid := (lo + hi) / 2; f.Calls[mid].Node < node {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for hi < len(f.Calls) && f.Calls[hi].Node == node {
		hi++
	}
	return lo, hi
}

// A Call is a call in a node. A call that is perhaps not made when the node is executed, as in
// an operand of &&, is a call, too.
type Call struct {
	Node   int
	Callee string // linker symbol of the function, or Seen, ByInterface or ByValue
}

// The callees of calls whose functions are not known before they are made, and of those to which the paths of a program
// with windows go on, or the compiler's own instructions.
const (
	Seen        = ""
	ByInterface = "(interface)" // a method of an interface
	ByValue     = "(function value)"
)

// A Block describes a node in terms of the source.
type Block struct {
	Spans  []Span // the statements of the block
	Branch Branch // meaningful if the node has more than one out-edge
	Outs   []Out  // one per out-edge of the node, same order
}

// A Span is a run of statements that are executed as one, by source position.
// Lines and columns count from 1; End is exclusive. Both ends are in one file.
type Span struct {
	File            int // index into Package.Files
	Line, Col       int
	EndLine, EndCol int
}

// A Branch is the construct that decides which out-edge is taken.
type Branch struct {
	Kind      string // "if", "for", "range", "switch", "type switch", "select", "&&", "||", "case", "value", …
	File      int    // index into Package.Files
	Line, Col int
}

// An Out is one outcome of a branch (or the only way on from a block).
type Out struct {
	Outcome   string // OutTrue and the like, or the text of a case: "case 1, 2"; empty on a single out-edge
	File      int    // index into Package.Files
	Line, Col int    // where the edge leads to; for an edge that leaves the function, where it is left
}

// RangeFunc is the kind of the branch that a loop over a function is if statements in its body
// jump elsewhere than behind the loop. Its outcomes are OutDone and these jumps: "return",
// "continue outer".
const RangeFunc = "range func"

// The outcomes of branches that are not the text of a case.
const (
	OutTrue    = "true"
	OutFalse   = "false"
	OutBody    = "body"    // a loop begins another round
	OutDone    = "done"    // a loop ends
	OutDefault = "default" // of a switch or a select
	OutNoCase  = "no case" // a switch without a default goes on behind it
	OutElse    = "else"    // any other way

	OutFallthrough = "fallthrough" // in a case, by none of its values

	// OutNever is an outcome that a branch never has, because a constant decides it. Only the tables of programs
	// that are built for coverage have it.
	OutNever = "never"

	// OutUntold is the outcome of a branch where the code of a program with windows does not tell it; see Func.Untold.
	OutUntold = "untold"
)

// A Skipped is a function that was not instrumented, or whose paths the code of a program with windows does not tell,
// with the reason.
type Skipped struct {
	Name   string
	File   int
	Line   int
	Reason string
	Source *Source // as in a Func
}

// A Tap is a site at which instrumented code reports a word.
//
// A tap of a branch (tuple.Edge) has the kind of the branch, as in Branch, in Expr, and
// the outcomes, separated by "; ", in Type. The word is an index into the outcomes.
//
// A tap of a dynamic call (tuple.Call) has Bits 0 if Expr is a method of an interface of
// type Type. Then the word is the descriptor of the type that has the method. Otherwise
// the word is the program counter of a function.
type Tap struct {
	Tag       uint8  // a tuple.Tag
	Func      string // linker symbol of the function it stands in
	File      int    // index into Package.Files
	Line, Col int    // of the expression
	Expr      string // the expression as in the source: "p.next", "len(s)"
	Type      string // its type: "int", "*go/types.Named"
	Bits      uint8  // width of the type; 0 if the word is no value of that type (a length, an address, a type descriptor)
	Kind      Kind   // how to read the word
	More      []Word // the further words of the sample; two at most
}

// A Word describes a further word of a sample, as a Tap does the first.
type Word struct {
	Expr, Type string
	Bits       uint8
	Kind       Kind
}

// A Kind says how to read a word. The kind of a named type is that of its underlying type.
type Kind uint8

const (
	None     Kind = iota // as the tag says: an outcome, a type descriptor; else the program counter of a function
	Signed               // an integer, sign-extended
	Unsigned             // an integer, zero-extended
	Rune                 // an integer that is a code point
	Bool                 // 0 or 1
	Float                // IEEE bits, as wide as Bits says
	Length               // of a string or slice
	Address              // of what a pointer, map or channel is; 0 is nil
	kinds
)

var kindNames = [kinds]string{"", "signed", "unsigned", "rune", "bool", "float", "length", "address"}

// String returns the name of a kind: "signed", or "" for None.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown"
}

// ParseKind is the inverse of Kind.String.
func ParseKind(name string) (k Kind, ok bool) {
	for k := range kinds {
		if kindNames[k] == name {
			return k, true
		}
	}
	return None, false
}
