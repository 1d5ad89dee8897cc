package report

// This file writes every sample as a line of text. Package proftest reads
// that text back into a profile.

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/runtime/schema"
)

// Dump writes everything in a file, in an order that depends on nothing but
// the content: a line per fact and then a line per sample,
//
//	profile paths
//	comment "pep: exact, every path counted"
//	binary /bin/app
//	build 5eed
//	period 1 paths/count
//	path func=main.sign at=/src/app/sign.go:10 path=p0 end=12 count=7 flow=7 from=entry lines=10-12 branches="11:2 if true" callers=""
//
// or in an edges file
//
//	edge func=main.sign at=/src/app/sign.go:10 branch=sign.go:11:2 kind=if outcome=true line=12 count=7 callers="main.main /src/app/main.go:9"
//
// or in a values, types or call targets file
//
//	word func=main.sign at=/src/app/sign.go:10 site=sign.go:11:5 kind=arg expr=n type=int value=-1 target="" count=7 messages=7
//
// Values with other than plain characters are quoted as in Go.
func Dump(w io.Writer, f *profile.File) error {
	page := newPage(w)
	page.line("profile %s", f.Kind)
	for _, c := range f.Comments {
		page.line("comment %q", c)
	}
	page.line("binary %s", quote(f.Binary))
	page.line("build %s", quote(f.BuildID))
	page.line("period %d %s/%s", f.Period.Value, f.Period.Type, f.Period.Unit)
	var err error
	switch f.Kind {
	case schema.Paths:
		err = page.dumpPaths(f)
	case schema.Edges:
		err = page.dumpEdges(f)
	default:
		err = page.dumpWords(f)
	}
	if err != nil {
		return err
	}
	return page.flush()
}

func (p page) dumpPaths(f *profile.File) error {
	paths, err := f.Paths()
	if err != nil {
		return err
	}
	slices.SortStableFunc(paths, func(p, q profile.Path) int {
		return cmp.Or(p.ID.Compare(q.ID), cmp.Compare(callers(p.Callers), callers(q.Callers)), cmp.Compare(p.Count, q.Count))
	})
	for _, x := range paths {
		var decisions []string
		for _, d := range x.Branches {
			decisions = append(decisions, fmt.Sprintf("%d:%d %s %s", d.Line, d.Col, d.Kind, d.Outcome))
		}
		p.line("path func=%s at=%s path=%s end=%d count=%d flow=%d from=%s lines=%s branches=%s callers=%s",
			quote(x.ID.Func.Name), quote(at(x.ID.Func)), quote(x.ID.Label), x.EndLine, x.Count, x.Flow,
			quote(x.From), quote(x.Lines), quote(strings.Join(decisions, "; ")), quote(callers(x.Callers)))
	}
	return nil
}

func (p page) dumpEdges(f *profile.File) error {
	edges, err := f.Edges()
	if err != nil {
		return err
	}
	slices.SortStableFunc(edges, func(e, g profile.Edge) int {
		return cmp.Or(e.Branch.Compare(g.Branch), cmp.Compare(e.Outcome, g.Outcome), cmp.Compare(e.Line, g.Line),
			cmp.Compare(callers(e.Callers), callers(g.Callers)), cmp.Compare(e.Count, g.Count))
	})
	for _, e := range edges {
		p.line("edge func=%s at=%s branch=%s kind=%s outcome=%s line=%d count=%d callers=%s",
			quote(e.Branch.Func.Name), quote(at(e.Branch.Func)), quote(e.Branch.Pos.String()), quote(e.Kind), quote(e.Outcome),
			e.Line, e.Count, quote(callers(e.Callers)))
	}
	return nil
}

func (p page) dumpWords(f *profile.File) error {
	words, err := f.Words()
	if err != nil {
		return err
	}
	slices.SortStableFunc(words, func(v, w profile.Word) int {
		return cmp.Or(v.Site.Compare(w.Site), cmp.Compare(v.Value, w.Value), v.Target.Compare(w.Target), cmp.Compare(v.Count, w.Count))
	})
	for _, w := range words {
		target := ""
		if w.Target != (profile.Func{}) {
			target = at(w.Target)
		}
		p.line("word func=%s at=%s site=%s kind=%s expr=%s type=%s value=%s target=%s count=%d messages=%d",
			quote(w.Site.Func.Name), quote(at(w.Site.Func)), quote(w.Site.Pos.String()), quote(w.Site.Kind), quote(w.Site.Expr),
			quote(w.Site.Type), quote(w.Value), quote(target), w.Count, w.Messages)
	}
	return nil
}

func at(f profile.Func) string { return fmt.Sprintf("%s:%d", f.File, f.StartLine) }

func callers(frames []profile.Frame) string {
	var texts []string
	for _, f := range frames {
		texts = append(texts, fmt.Sprintf("%s %s:%d", f.Func.Name, f.Func.File, f.Line))
	}
	return strings.Join(texts, "; ")
}

// quote leaves alone what is read without doubt as one value.
func quote(s string) string {
	q := strconv.Quote(s)
	if s == "" || strings.ContainsAny(s, " =") || q != `"`+s+`"` {
		return q
	}
	return s
}
