// Package recorder rewrites the sources of a module so that its tests record, for each decision that they make, which
// conditions were evaluated and to what. It shares no code with what it tests: it inserts text into the source, and the
// program that results is compiled by go build.
//
//	decisions, err := recorder.Rewrite(dir, "example.com/m", []string{"m.go", "sub/sub.go"})
//	…                                          // go test ./... in dir, with RECORDS=records in its environment
//	counts, err := recorder.Read("records", decisions)
//	counts[decisions[0]]["TF-=T"]              // the decision was true so often, with its last condition not evaluated
//
// A decision is a boolean expression with && or || that is no part of a larger one; its conditions are the operands
// that have neither && nor || nor a negation around them. Rewrite makes of each expression e of these
//
//	(e && _rec.T(&_rec3, 1) == 1 || _rec.F(&_rec3, 1) == 1)
//
// which has the value and the type of e, whatever that is, and records the value: here of the condition 1. The
// functions belong to a package that it adds to the module.
//
// The variable _rec3 belongs to the function that the decision is in, so recursion and goroutines have their own. There
// is no function literal around the decision, so recover and runtime.Caller say what they said. All text stays on its
// line.
//
// Expr computes MC/DC of recorded vectors by brute force.
package recorder

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Decision is a decision of the source.
type Decision struct {
	File       string // as Rewrite was told
	Line, Col  int    // of its first byte
	Text       string
	Conditions []Position // in the order of evaluation
	Expr       *Expr
}

// A Position is a position in a file.
type Position struct{ Line, Col int }

// runtime is the package that Rewrite adds.
//
//go:embed runtime.go.txt
var runtime string

// folder is where Rewrite adds it.
const folder = "zz_recorder"

// most is how many conditions a decision can have: runtime keeps them in words.
const most = 64

// Rewrite rewrites files of the module in dir, which have names below dir, and returns their decisions.
func Rewrite(dir, module string, files []string) (decisions []*Decision, err error) {
	for _, name := range files {
		full := filepath.Join(dir, name)
		text, err := os.ReadFile(full)
		if err != nil {
			return nil, err
		}
		r := rewriter{name: name, text: string(text), fset: token.NewFileSet(), first: len(decisions)}
		if err := r.file(module); err != nil {
			return nil, err
		}
		if len(r.decisions) == 0 {
			continue
		}
		decisions = append(decisions, r.decisions...)
		if err := os.WriteFile(full, []byte(r.result()), 0o666); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
		return nil, err
	}
	return decisions, os.WriteFile(filepath.Join(dir, folder, "recorder.go"), []byte(runtime), 0o666)
}

// A rewriter rewrites a file.
type rewriter struct {
	name, text string
	fset       *token.FileSet
	first      int // number of the file's first decision
	decisions  []*Decision
	edits      []edit
	functions  []function // that are open
}

// An edit is text that is inserted.
type edit struct {
	at   int
	text string
}

// A function has the numbers of its decisions.
type function struct {
	decisions []int
}

func (r *rewriter) file(module string) error {
	tree, err := parser.ParseFile(r.fset, r.name, r.text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	r.functions = []function{{}} // of variables of the package
	if err := r.walk(tree); err != nil {
		return err
	}
	r.insert(tree.Name.End(), fmt.Sprintf("; import _rec %q", module+"/"+folder))
	if global := r.functions[0].decisions; len(global) > 0 {
		r.edits = append(r.edits, edit{len(r.text), "\n" + variables(global) + "\n"})
	}
	return nil
}

func (r *rewriter) insert(at token.Pos, text string) {
	r.edits = append(r.edits, edit{r.fset.PositionFor(at, false).Offset, text})
}

func (r *rewriter) position(at token.Pos) Position {
	p := r.fset.PositionFor(at, false)
	return Position{p.Line, p.Column}
}

// walk rewrites the decisions in a piece of syntax.
func (r *rewriter) walk(n ast.Node) (err error) {
	ast.Inspect(n, func(n ast.Node) bool {
		if err != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.FuncDecl:
			if n.Body != nil {
				err = r.function(n.Body)
			}
			return false
		case *ast.FuncLit:
			err = r.function(n.Body)
			return false
		case ast.Expr:
			if hasOperator(n) {
				err = r.decision(n)
				return false
			}
		}
		return true
	})
	return err
}

func (r *rewriter) function(body *ast.BlockStmt) error {
	r.functions = append(r.functions, function{})
	for _, s := range body.List {
		if err := r.walk(s); err != nil {
			return err
		}
	}
	last := len(r.functions) - 1
	if own := r.functions[last].decisions; len(own) > 0 {
		r.insert(body.Lbrace+1, " "+variables(own)+";")
	}
	r.functions = r.functions[:last]
	return nil
}

func variables(numbers []int) string {
	var names []string
	for _, n := range numbers {
		names = append(names, fmt.Sprintf("_rec%d", n))
	}
	return "var " + strings.Join(names, ", ") + " _rec.V"
}

// hasOperator reports whether an expression is one of && or ||, whatever parentheses and negations are around it.
func hasOperator(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.NOT {
				return false
			}
			e = x.X
		case *ast.BinaryExpr:
			return x.Op == token.LAND || x.Op == token.LOR
		default:
			return false
		}
	}
}

func (r *rewriter) decision(e ast.Expr) error {
	number := r.first + len(r.decisions)
	d := &Decision{File: r.name}
	start := r.position(e.Pos())
	d.Line, d.Col = start.Line, start.Col
	d.Text = r.text[r.fset.PositionFor(e.Pos(), false).Offset:r.fset.PositionFor(e.End(), false).Offset]
	r.decisions = append(r.decisions, d)
	f := &r.functions[len(r.functions)-1]
	f.decisions = append(f.decisions, number)

	r.insert(e.Pos(), "((")
	var err error
	d.Expr, err = r.operand(d, number, e)
	r.insert(e.End(), fmt.Sprintf(") && _rec.True(&_rec%d, %d) == 1 || _rec.False(&_rec%d, %d) == 1)", number, number,
		number, number))
	if len(d.Conditions) > most {
		return fmt.Errorf("%s:%d:%d: the decision has %d conditions, and the recorder takes %d at most", d.File, d.Line,
			d.Col, len(d.Conditions), most)
	}
	return err
}

// operand rewrites a part of a decision.
func (r *rewriter) operand(d *Decision, number int, e ast.Expr) (*Expr, error) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return r.operand(d, number, x.X)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			in, err := r.operand(d, number, x.X)
			return &Expr{Kind: Not, X: in}, err
		}
	case *ast.BinaryExpr:
		if kind, ok := map[token.Token]Kind{token.LAND: And, token.LOR: Or}[x.Op]; ok {
			left, err := r.operand(d, number, x.X)
			if err != nil {
				return nil, err
			}
			right, err := r.operand(d, number, x.Y)
			return &Expr{Kind: kind, X: left, Y: right}, err
		}
	}
	leaf := &Expr{Kind: Leaf, Index: len(d.Conditions)}
	d.Conditions = append(d.Conditions, r.position(e.Pos()))
	r.insert(e.Pos(), "(")
	err := r.walk(e)
	r.insert(e.End(), fmt.Sprintf(" && _rec.T(&_rec%d, %d) == 1 || _rec.F(&_rec%d, %d) == 1)", number, leaf.Index, number,
		leaf.Index))
	return leaf, err
}

// result is the text with the edits. Edits at one offset come in the order in which they were made.
func (r *rewriter) result() string {
	slices.SortStableFunc(r.edits, func(a, b edit) int { return a.at - b.at })
	var b strings.Builder
	at := 0
	for _, e := range r.edits {
		b.WriteString(r.text[at:e.at] + e.text)
		at = e.at
	}
	return b.String() + r.text[at:]
}

// Counts says how often each vector of each decision was recorded. A vector has T, F, or - for each condition,
// and then = and the outcome.
type Counts map[*Decision]map[string]int64

// record is the size of a record of runtime: number of the decision, conditions that were evaluated, those that
// were true, outcome, count.
const record = 5 * 8

// Read adds up what processes have left in a directory.
func Read(dir string, decisions []*Decision) (Counts, error) {
	files, err := filepath.Glob(filepath.Join(dir, "record-*"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no process has recorded anything", dir)
	}
	counts := make(Counts)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for ; len(data) >= record; data = data[record:] {
			var w [5]uint64
			for i := range w {
				w[i] = binary.NativeEndian.Uint64(data[8*i:])
			}
			if w[4] == 0 {
				break
			}
			if w[0] >= uint64(len(decisions)) {
				return nil, fmt.Errorf("%s: no decision %d: it is from other sources", name, w[0])
			}
			d := decisions[w[0]]
			vector := make([]byte, 0, most)
			for i := range d.Conditions {
				switch bit := uint64(1) << i; {
				case w[1]&bit == 0:
					vector = append(vector, '-')
				case w[2]&bit == 0:
					vector = append(vector, 'F')
				default:
					vector = append(vector, 'T')
				}
			}
			if counts[d] == nil {
				counts[d] = make(map[string]int64)
			}
			counts[d][string(vector)+"="+string("FT"[w[3]])] += int64(w[4])
		}
	}
	return counts, nil
}
