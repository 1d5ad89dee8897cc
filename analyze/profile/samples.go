package profile

// This file defines samples and takes them out of a file.

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/wire"
)

// A Func identifies a function of the profiled program. Name alone does not:
// there may be any number of main.init.
type Func struct {
	Name      string
	File      string
	StartLine int64
}

// Compare orders functions by name, file and line.
func (f Func) Compare(g Func) int {
	return cmp.Or(cmp.Compare(f.Name, g.Name), cmp.Compare(f.File, g.File), cmp.Compare(f.StartLine, g.StartLine))
}

// PackageOf returns the import path in the name of a function: "go/types" of "go/types.(*Checker).expr", and
// "gopkg.in/yaml.v3" of "gopkg.in/yaml%2ev3.Marshal", as the linker writes it.
func PackageOf(name string) string {
	if i := strings.IndexAny(name, "[("); i >= 0 { // there are slashes in the names of types
		name = name[:i]
	}
	slash := strings.LastIndexByte(name, '/') + 1
	pkg, _, _ := strings.Cut(name[slash:], ".")
	pkg = name[:slash] + pkg
	if plain, err := url.PathUnescape(pkg); err == nil {
		return plain
	}
	return pkg
}

// Of returns the whole name of a file that a position in f has: one without a directory is in the
// directory of f's file.
func (f Func) Of(file string) string {
	if strings.ContainsAny(file, `/\`) {
		return file
	}
	return f.File[:strings.LastIndexAny(f.File, `/\`)+1] + file
}

// A Frame is a line in a function that called.
type Frame struct {
	Func   Func
	Line   int64
	Symbol string // the linker's name of the function: Func.Name has [...] in place of the shapes of a generic one
}

// A Pos is a position in the source. File is as short as in the profile.
type Pos struct {
	File      string
	Line, Col int64
}

// String is the form file:line:col of the label.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// A PathID identifies a path of a program, in all its profiles.
type PathID struct {
	Func   Func
	Number uint64 // of the path in the function
}

// Name is "p12" for path number 12.
func (p PathID) Name() string { return "p" + strconv.FormatUint(p.Number, 10) }

// Compare orders paths by function and number.
func (p PathID) Compare(q PathID) int {
	return cmp.Or(p.Func.Compare(q.Func), cmp.Compare(p.Number, q.Number))
}

// A Path is one sample of a paths file.
type Path struct {
	ID       PathID
	Symbol   string // the linker's name of the function
	EndFile  string // where the path ends
	EndLine  int64
	From     Start
	Lines    string     // lines it runs through, in order: "12-14,17"
	Branches []Decision // in order
	Callers  []Frame    // innermost first; none in exact profiles
	Labels   []Label    // that runtime/pprof has given the goroutine, by key
	Count    int64      // how often it was recorded, or an estimate in 1/1000 samples
	Flow     int64      // Count times the number of branches on it
	Estimate            // of Count
}

// A Start is where paths of a function begin.
type Start struct {
	How  string // schema.Entry, Loop or Cut
	File string // as in a Pos; empty if it is that of the function
	Line int64  // 0 of the entry
}

// In writes the start of a function: "entry", "loop x.go:15".
func (s Start) In(f Func) string {
	if s.Line == 0 {
		return s.How
	}
	return fmt.Sprintf("%s %s:%d", s.How, cmp.Or(s.File, f.File[strings.LastIndexAny(f.File, `/\`)+1:]), s.Line)
}

// A Span is lines of a file that a path goes over.
type Span struct {
	File        string // whole name
	First, Last int64
}

// maxSpan is how many lines a span has at most; a damaged file may say anything.
const maxSpan = 1 << 20

// Spans returns Lines, those of each file in increasing order. It leaves out what is no span.
func (p *Path) Spans() (list []Span) {
	for part := range strings.SplitSeq(p.Lines, "; ") {
		file := p.ID.Func.File
		if i := strings.LastIndexByte(part, ':'); i >= 0 {
			file, part = p.ID.Func.Of(part[:i]), part[i+1:]
		}
		for text := range strings.SplitSeq(part, ",") {
			from, to, several := strings.Cut(text, "-")
			if !several {
				to = from
			}
			first, err1 := strconv.ParseInt(from, 10, 32)
			last, err2 := strconv.ParseInt(to, 10, 32)
			if err1 == nil && err2 == nil && 0 < first && first <= last && last-first < maxSpan {
				list = append(list, Span{file, first, last})
			}
		}
	}
	return list
}

// An Estimate is what is known of a count besides the count. It is zero in files whose
// counts are not estimated.
type Estimate struct {
	Samples  int64
	Variance int64 // of the count; that of a sum over callers is the sum
}

// Recorded returns how often the path was recorded: as a sample if there are samples.
func (p *Path) Recorded() int64 { return cmp.Or(p.Samples, p.Count) }

func (e *Estimate) add(x Estimate) {
	e.Samples += x.Samples
	e.Variance += x.Variance
}

// estimate returns the estimate of a sample whose kind has n values in exact files.
func estimate(s *pprof.Sample, n int) (e Estimate) {
	if len(s.Value) > n+1 {
		e = Estimate{s.Value[n], s.Value[n+1]}
	}
	return e
}

// A Label is a label of a goroutine: "handler" is "/users".
type Label struct{ Key, Value string }

// A Decision is a branch on a path and the way it went.
type Decision struct {
	File          string // as in a Pos; empty if it is that of the path's function
	Line, Col     int64
	Kind, Outcome string // "if", "true"
}

// A BranchID identifies a branch of a program, in all its profiles.
type BranchID struct {
	Func Func
	Pos  Pos
}

// Compare orders branches by function and position.
func (b BranchID) Compare(c BranchID) int {
	return cmp.Or(b.Func.Compare(c.Func), cmp.Compare(b.Pos.File, c.Pos.File),
		cmp.Compare(b.Pos.Line, c.Pos.Line), cmp.Compare(b.Pos.Col, c.Pos.Col))
}

// An Edge is one sample of an edges file: an outcome of a branch.
type Edge struct {
	Branch   BranchID
	Kind     string  // "if", "for", "switch", "&&", …
	Outcome  string  // "true", "body", "case 1, 2", …
	File     string  // the edge leads to, as Func has it
	Line     int64   // line the edge leads to
	Callers  []Frame // innermost first; none in exact profiles
	Labels   []Label // that runtime/pprof has given the goroutine, by key
	Count    int64   // how often it was recorded, or an estimate in 1/1000 samples
	Estimate         // of Count

	// Independent is how many independent samples would say as much about the share of this
	// outcome in its branch.
	Independent int64
}

// An Unended is paths that began in a function and have not ended: a panic, runtime.Goexit or the end
// of the program has left them, or the program was still running. Exact profiles have them.
type Unended struct {
	Func  Func
	From  Start // where they began
	Line  int64 // of that place
	Count int64
}

// A Tick is CPU time on a stack: in the first frame's function, called by those behind it as far as they are known.
// Time that is in no Go function has one frame without a file.
type Tick struct {
	Frames []Frame // innermost first
	Time   int64   // in ns
}

// Paths returns the paths of a paths file, in the file's order.
func (f *File) Paths() ([]Path, error) { return each(f, ended, newPath, schema.Paths) }

// Edges returns the edges of an edges file, in the file's order.
func (f *File) Edges() ([]Edge, error) { return each(f, ended, newEdge, schema.Edges) }

// Unended returns the paths that have not ended, in the order of a paths or edges file.
func (f *File) Unended() ([]Unended, error) {
	return each(f, func(s *pprof.Sample) bool { return is(s, schema.Unended) }, newUnended, schema.Paths, schema.Edges)
}

// Ticks returns the CPU time of a paths file, in the file's order.
func (f *File) Ticks() ([]Tick, error) {
	return each(f, func(s *pprof.Sample) bool { return is(s, schema.Tick) }, newTick, schema.Paths)
}

// ended reports whether a sample of a paths or edges file is of a path or an edge.
func ended(s *pprof.Sample) bool { return !is(s, schema.Unended) && !is(s, schema.Tick) }

// is reports whether a sample has some name in place of a path.
func is(s *pprof.Sample, name string) bool { return slices.Contains(s.Label[schema.Path], name) }

// all is for files whose samples are all of one sort.
func all(*pprof.Sample) bool { return true }

// each decodes some of the samples of a file that must be of one of the kinds.
func each[T any](f *File, some func(*pprof.Sample) bool, decode func(*pprof.Sample) (T, error),
	kinds ...schema.Kind) ([]T, error) {
	if err := f.want(kinds...); err != nil {
		return nil, err
	}
	var list []T
	for i, s := range f.pprof.Sample {
		if !some(s) {
			continue
		}
		x, err := decode(s)
		if err != nil {
			return nil, fmt.Errorf("%s: sample %d of %d: %w", f.Name, i+1, len(f.pprof.Sample), err)
		}
		list = append(list, x)
	}
	return list, nil
}

// want returns an error unless f is of one of the kinds.
func (f *File) want(kinds ...schema.Kind) error {
	var names []string
	for _, k := range kinds {
		if f.Kind == k {
			return nil
		}
		names = append(names, string(k))
	}
	return fmt.Errorf("%s: counts %s, but %s are needed: %s", f.Name, f.Kind, strings.Join(names, " or "),
		f.elsewhere(kinds))
}

// elsewhere says where counts of one of the kinds are: in a file that the same run has written, or if
// there is none, in those of a program that is built in another way.
func (f *File) elsewhere(kinds []schema.Kind) string {
	for _, k := range kinds {
		name, err := f.Beside(k)
		if err != nil {
			break
		}
		if _, err := os.Stat(name); err == nil {
			return "give " + name
		}
	}
	missing := fmt.Sprintf("give the .%s.pb.gz file of the same run", kinds[0])
	if name, err := f.Beside(kinds[0]); err == nil {
		missing = "there is no " + name
	}
	build := "without taps, build it with them (pepbuild build -peptaps=loads,types,calls)"
	if kinds[0] == schema.Paths || kinds[0] == schema.Edges {
		build = "for taps alone, build it without -peptaps, or with -pepmode=polls beside them,"
	}
	return fmt.Sprintf("%s; if the program was built %s and run it again", missing, build)
}

func newPath(s *pprof.Sample) (Path, error) {
	l := labels{s: s}
	p := Path{
		ID:       PathID{Number: uint64(l.needNumber(schema.Path))},
		From:     l.start(),
		Lines:    l.get(schema.Lines),
		Branches: l.decisions(),
		Labels:   l.ofGoroutine(),
		Count:    s.Value[0],
		Flow:     s.Value[1],
		Estimate: estimate(s, 2),
	}
	frames := frames(s)
	if l.err == nil && len(frames) < 2 {
		l.err = fmt.Errorf("stack of %d frames, want the path and its function", len(frames))
	}
	if l.err != nil {
		return Path{}, l.err
	}
	p.ID.Func, p.Symbol, p.Callers = frames[1].Func, frames[1].Symbol, frames[2:]
	p.EndFile, p.EndLine = frames[0].Func.File, frames[0].Line
	p.ID.Func.File = cmp.Or(l.get(schema.FuncFile), p.ID.Func.File)
	return p, nil
}

func newEdge(s *pprof.Sample) (Edge, error) {
	l := labels{s: s}
	e := Edge{
		Branch:   BranchID{Pos: l.pos(schema.Branch)},
		Kind:     l.need(schema.BranchKind),
		Outcome:  l.need(schema.Outcome),
		Labels:   l.ofGoroutine(),
		Count:    s.Value[0],
		Estimate: estimate(s, 1),
	}
	if len(s.Value) > 3 {
		e.Independent = s.Value[3]
	}
	frames := frames(s)
	if l.err == nil && len(frames) < 1 {
		l.err = fmt.Errorf("stack without frames, want the branch's function")
	}
	if l.err != nil {
		return Edge{}, l.err
	}
	e.Branch.Func, e.File, e.Line, e.Callers = frames[0].Func, frames[0].Func.File, frames[0].Line, frames[1:]
	e.Branch.Func.File = cmp.Or(l.get(schema.FuncFile), e.File)
	return e, nil
}

func newUnended(s *pprof.Sample) (Unended, error) {
	l := labels{s: s}
	u := Unended{From: l.start(), Count: s.Value[0]}
	frames := frames(s)
	if len(frames) < 2 {
		return Unended{}, fmt.Errorf("stack of %d frames, want what has not ended and its function", len(frames))
	}
	u.Func, u.Line = frames[1].Func, frames[1].Line
	u.Func.File = cmp.Or(l.get(schema.FuncFile), u.Func.File)
	return u, nil
}

func newTick(s *pprof.Sample) (Tick, error) {
	t := Tick{Frames: frames(s)}
	if len(t.Frames) == 0 {
		return Tick{}, errors.New("CPU time without a stack")
	}
	if n := len(s.Value) - 1; n > 0 {
		t.Time = s.Value[n]
	}
	return t, nil
}

// frames returns the stack, innermost first. A location has several lines if the
// compiler inlined functions there.
func frames(s *pprof.Sample) []Frame {
	n := 0
	for _, loc := range s.Location {
		n += len(loc.Line)
	}
	frames := make([]Frame, 0, n)
	for _, loc := range s.Location {
		for _, line := range loc.Line {
			fn := line.Function
			if fn == nil {
				continue // of a program without symbols
			}
			frames = append(frames, Frame{Func{fn.Name, fn.Filename, fn.StartLine}, line.Line, cmp.Or(fn.SystemName, fn.Name)})
		}
	}
	return frames
}

// labels reads the labels of a sample. It keeps the first error.
type labels struct {
	s   *pprof.Sample
	err error
}

func (l *labels) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

func (l *labels) get(key string) string {
	if values := l.s.Label[key]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// ofGoroutine returns the labels that are not the profile's own.
func (l *labels) ofGoroutine() (list []Label) {
	for key, values := range l.s.Label {
		if schema.GoroutineKey(key) == key {
			for _, v := range values {
				list = append(list, Label{key, v})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Label) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// needNumber returns the number of a label that the sample must have.
func (l *labels) needNumber(key string) int64 {
	if n := l.s.NumLabel[key]; len(n) > 0 {
		return n[0]
	}
	l.fail("no label %q with a number", key)
	return 0
}

func (l *labels) need(key string) string {
	v := l.get(key)
	if v == "" {
		l.fail("no label %q", key)
	}
	return v
}

// start returns where a path begins.
func (l *labels) start() (s Start) {
	s.How = l.get(schema.From)
	if s.How == schema.Loop || s.How == schema.Cut {
		s.File, s.Line = l.get(schema.FromFile), l.needNumber(schema.FromLine)
	}
	return s
}

var posText = regexp.MustCompile(`^(.*):(\d+):(\d+)$`)

func (l *labels) pos(key string) Pos {
	m := posText.FindStringSubmatch(l.need(key))
	if m == nil {
		l.fail("label %s=%q, want file:line:col", key, l.get(key))
		return Pos{}
	}
	return Pos{m[1], l.number(m[2]), l.number(m[3])}
}

// decisionText matches the beginning of a decision, "12:5 if true" or "b.tmpl:12:5 if true", or that
// of a later one, "; 12:5 if true". The text of a case may contain "; " as well, as in
// `switch case "a; b"`, but no line:col behind it.
var decisionText = regexp.MustCompile(`(?:^|; )(?:([^;]+?):)?(\d+):(\d+) (type switch|range func|\S+) `)

func (l *labels) decisions() []Decision {
	text := l.get(schema.Branches)
	if text == "" {
		return nil
	}
	starts := decisionText.FindAllStringSubmatchIndex(text, -1)
	if len(starts) == 0 || starts[0][0] != 0 {
		l.fail("label branches=%q, want line:col kind outcome; …", text)
		return nil
	}
	var decisions []Decision
	for i, m := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		decisions = append(decisions, Decision{
			File:    text[max(m[2], 0):max(m[3], 0)],
			Line:    l.number(text[m[4]:m[5]]),
			Col:     l.number(text[m[6]:m[7]]),
			Kind:    text[m[8]:m[9]],
			Outcome: text[m[1]:end],
		})
	}
	return decisions
}

func (l *labels) number(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		l.fail("line or column %s is out of range", digits)
	}
	return n
}

// SumPaths adds up the samples that differ in nothing but callers, labels, the shapes of
// generic functions, and what places of the program tell of their branches. The result is ordered by ID, and has no
// callers, labels and symbols. A branch is [wire.OutUntold] if it is in one of the samples.
func SumPaths(paths []Path) []Path {
	index := make(map[PathID]int)
	var sums []Path
	for _, p := range paths {
		i, ok := index[p.ID]
		if !ok {
			i = len(sums)
			index[p.ID] = i
			p.Callers, p.Labels, p.Symbol = nil, nil, ""
			sums = append(sums, p)
			continue
		}
		for j, d := range p.Branches {
			if b := sums[i].Branches; d.Outcome == wire.OutUntold && j < len(b) && b[j].Outcome != d.Outcome {
				sums[i].Branches = slices.Clone(b) // those of the sample stay
				sums[i].Branches[j] = d
			}
		}
		sums[i].Count += p.Count
		sums[i].Flow += p.Flow
		sums[i].Estimate.add(p.Estimate)
	}
	slices.SortFunc(sums, func(a, b Path) int { return a.ID.Compare(b.ID) })
	return sums
}

// A Branch is a branch with the counts of its outcomes.
type Branch struct {
	ID       BranchID
	Kind     string
	Outcomes []Outcome
}

// Count is how often the branch was recorded.
func (b Branch) Count() int64 {
	var n int64
	for _, o := range b.Outcomes {
		n += o.Count
	}
	return n
}

// An Outcome is one way that a branch goes.
type Outcome struct {
	Name  string // "true", "body", "case 1, 2", …
	Line  int64  // line it leads to, the first if there are several
	Count int64  // how often it was recorded
	Estimate
	Independent int64 // see Edge
}

// ShareBounds returns the bounds of the share that an outcome has in its branch. An outcome
// that no sample shows is as uncertain as the others.
func (b Branch) ShareBounds(o Outcome) Bounds {
	n := o.Independent
	for _, other := range b.Outcomes {
		if o.Count == 0 {
			n = max(n, other.Independent)
		}
	}
	return shareBounds(float64(o.Count)/float64(max(b.Count(), 1)), float64(n))
}

// SumEdges adds up edges over their callers and gathers them by branch. The
// branches are ordered by ID. Outcomes are in the order of the source, as
// far as lines tell: true before false, the first case first.
func SumEdges(edges []Edge) []Branch {
	index := make(map[BranchID]int)
	var branches []Branch
	for _, e := range edges {
		i, ok := index[e.Branch]
		if !ok {
			i = len(branches)
			index[e.Branch] = i
			branches = append(branches, Branch{ID: e.Branch, Kind: e.Kind})
		}
		branches[i].add(e)
	}
	slices.SortFunc(branches, func(a, b Branch) int { return a.ID.Compare(b.ID) })
	for _, b := range branches {
		slices.SortFunc(b.Outcomes, func(o, p Outcome) int {
			return cmp.Or(cmp.Compare(outcomeRank(o.Name), outcomeRank(p.Name)), cmp.Compare(o.Line, p.Line),
				strings.Compare(o.Name, p.Name))
		})
	}
	return branches
}

func (b *Branch) add(e Edge) {
	for i := range b.Outcomes {
		if b.Outcomes[i].Name == e.Outcome {
			b.Outcomes[i].Count += e.Count
			b.Outcomes[i].Independent += e.Independent
			b.Outcomes[i].Estimate.add(e.Estimate)
			b.Outcomes[i].Line = min(b.Outcomes[i].Line, e.Line)
			return
		}
	}
	b.Outcomes = append(b.Outcomes, Outcome{e.Outcome, e.Line, e.Count, e.Estimate, e.Independent})
}

// outcomeRank orders outcomes whose lines say nothing about their order: the false
// outcome of an if without else may lead to any line, and done back to the head of
// an outer loop.
func outcomeRank(name string) int {
	switch name {
	case wire.OutTrue, wire.OutBody:
		return 0
	case wire.OutFalse, wire.OutDone, wire.OutNoCase:
		return 2
	case wire.OutUntold:
		return 3
	}
	return 1
}
