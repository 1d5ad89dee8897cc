package cover

// This file writes tracefiles of LCOV.

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// WriteLCOV writes a tracefile of LCOV, for genhtml, Coverage Gutters and the like: functions, lines and outcomes of
// branches. What readers join records by is unique: the file, in a file the name of a function and the line, and on a
// line the number of a block, which is a branch here. Each line with a branch or with the beginning of a function is a
// line with code.
func (c *Coverage) WriteLCOV(w io.Writer) error {
	t := tracefile{c, make(map[string]*record)}
	for _, p := range c.Packages {
		for _, f := range p.Functions {
			t.add(f)
		}
	}
	b := bufio.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(t.records)) {
		t.records[name].write(b, name)
	}
	return b.Flush()
}

// A tracefile has a record for each file.
type tracefile struct {
	*Coverage
	records map[string]*record
}

// A record is what a tracefile says of a file.
type record struct {
	functions []recordFunction
	branches  []recordBranch
	lines     map[int]*recordLine
}

// A recordFunction is a function with where it is shown, and with its first statement in the file; 0 if it has none.
type recordFunction struct {
	*Function
	line, first int
}

// A recordBranch is a branch with where it is shown.
type recordBranch struct {
	*Branch
	line, col int
}

// A recordLine is a line with code. Its count is that of the statements that begin on it, else of its branches, else
// of the statement that it is in: in several, the innermost one.
type recordLine struct {
	begins, within *Statement
	decided        int64
	branch         bool
	functions      []*Function // whose statements it has, or that begin on it if it has none
}

func (l *recordLine) count() int64 {
	switch {
	case l.begins != nil:
		return l.begins.Count
	case l.branch:
		return l.decided
	case l.within != nil:
		return l.within.Count
	}
	var calls int64
	for _, f := range l.functions {
		calls = max(calls, f.Calls)
	}
	return calls
}

// at returns the record of the file where a place is shown, and the place.
func (t *tracefile) at(p Place) (*record, Place) {
	p = t.Shown(p)
	if t.src != nil { // readers want to find it
		if name, ok := t.src.Path(p.File); ok {
			p.File = name
		}
	}
	r := t.records[p.File]
	if r == nil {
		r = &record{lines: make(map[int]*recordLine)}
		t.records[p.File] = r
	}
	return r, p
}

func (r *record) line(n int) *recordLine {
	l := r.lines[n]
	if l == nil {
		l = &recordLine{}
		r.lines[n] = l
	}
	return l
}

// add adds a function. Its parts may be in several files.
func (t *tracefile) add(f *Function) {
	own, begin := t.at(Place{f.File, f.Line, 1})
	x := recordFunction{Function: f, line: begin.Line}
	for i := range f.Statements {
		s := &f.Statements[i]
		r, from := t.at(Place{s.File, s.Line, s.Col})
		if r == own && (x.first == 0 || from.Line < x.first) {
			x.first = from.Line
		}
		_, to := t.at(Place{s.File, s.EndLine, s.EndCol})
		if to.File != from.File || to.Line-from.Line != s.EndLine-s.Line { // a directive is within
			to = from
		}
		for n := from.Line; n <= to.Line; n++ {
			if n > from.Line && t.inLiteral(s, s.Line+n-from.Line) {
				continue
			}
			l := r.line(n)
			l.functions = append(l.functions, f)
			switch {
			case n == from.Line && (l.begins == nil || l.begins.Count < s.Count):
				l.begins = s
			case n > from.Line && (l.within == nil || l.within.Line <= s.Line):
				l.within = s
			}
		}
	}
	for _, b := range f.Branches {
		r, at := t.at(Place{b.File, b.Line, b.Col})
		r.branches = append(r.branches, recordBranch{b, at.Line, at.Col})
		l := r.line(at.Line)
		l.branch, l.decided = true, max(l.decided, b.count())
	}
	own.functions = append(own.functions, x)
}

// inLiteral reports whether a line of a statement begins in a function literal that the statement has.
func (t *tracefile) inLiteral(s *Statement, line int) bool {
	f := t.texts[s.File]
	return f != nil && f.innermost(line, 1) != f.innermost(s.Line, s.Col)
}

func (r *record) write(b *bufio.Writer, name string) {
	fmt.Fprintf(b, "TN:\nSF:%s\n", name)
	r.writeFunctions(b)
	r.writeBranches(b)
	hit := 0
	for _, n := range slices.Sorted(maps.Keys(r.lines)) {
		count := r.lines[n].count()
		fmt.Fprintf(b, "DA:%d,%d\n", n, count)
		if count > 0 {
			hit++
		}
	}
	fmt.Fprintf(b, "LF:%d\nLH:%d\nend_of_record\n", len(r.lines), hit)
}

// writeFunctions writes where functions begin and how often they were called. A function literal begins with its first
// statement, because a line with a statement around it may have been executed and the literal not.
func (r *record) writeFunctions(b *bufio.Writer) {
	slices.SortStableFunc(r.functions, func(f, g recordFunction) int {
		return cmp.Or(cmp.Compare(f.line, g.line), cmp.Compare(f.Name, g.Name))
	})
	names := make(map[string]bool)
	var counts strings.Builder
	hit := 0
	for _, f := range r.functions {
		l := r.line(f.line)
		switch {
		case l.begins == nil && l.within == nil:
			l.functions = append(l.functions, f.Function)
		case f.first > 0 && slices.ContainsFunc(l.functions, func(g *Function) bool { return g != f.Function }):
			f.line = f.first
		}
		name := strings.ReplaceAll(f.Name, ",", ";") // readers end a name at a comma
		for n, base := 2, name; names[name]; n++ {
			name = fmt.Sprintf("%s#%d", base, n)
		}
		names[name] = true
		fmt.Fprintf(b, "FN:%d,%s\n", f.line, name)
		fmt.Fprintf(&counts, "FNDA:%d,%s\n", f.Calls, name)
		if f.Calls > 0 {
			hit++
		}
	}
	fmt.Fprintf(b, "%sFNF:%d\nFNH:%d\n", counts.String(), len(r.functions), hit)
}

func (r *record) writeBranches(b *bufio.Writer) {
	slices.SortStableFunc(r.branches, func(x, y recordBranch) int {
		return cmp.Or(cmp.Compare(x.line, y.line), cmp.Compare(x.col, y.col))
	})
	line, block, outcomes, taken := 0, 0, 0, 0
	for _, x := range r.branches {
		if block++; x.line != line {
			line, block = x.line, 0
		}
		decided := x.count() > 0
		for j, o := range x.Outcomes {
			count := "-" // never decided
			if decided {
				count = fmt.Sprint(o.Count)
			}
			fmt.Fprintf(b, "BRDA:%d,%d,%d,%s\n", line, block, j, count)
			outcomes++
			if o.Count > 0 {
				taken++
			}
		}
	}
	fmt.Fprintf(b, "BRF:%d\nBRH:%d\n", outcomes, taken)
}
