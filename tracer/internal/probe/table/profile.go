//go:build linux && amd64

package table

// This file writes a profile.

import (
	"fmt"
	"path/filepath"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
)

// Profile returns the table as a profile of values, in the format of pprof, in gzip. Its
// samples are like those of taps: kind, expression and value are labels, the stack is the
// function, and both numbers of a sample are hits. Calls and returns are sites with one
// value. Every hit was counted, so the profile says that it is exact; a note says if a limit
// switched off probes.
func (t *Table) Profile() []byte {
	types := schema.Values.Types()
	p := pprofenc.New(pprofenc.ValueType{Type: types[0], Unit: schema.Unit},
		pprofenc.ValueType{Type: types[1], Unit: schema.Unit})
	p.Mapping = pprofenc.Mapping{File: t.Program, BuildID: t.run.BuildID}
	p.PeriodType, p.Period = pprofenc.ValueType{Type: "hits", Unit: schema.Unit}, 1
	p.Time, p.Duration = t.run.Began, t.run.Duration
	p.DefaultType = types[0]
	counted := "every hit counted"
	if t.off > 0 {
		counted += " of a probe until it was switched off"
	}
	p.Comments = append([]string{fmt.Sprintf("peptrace: probes of process %d, until %s, %s", t.Process, t.Ended, counted)},
		t.Notes...)
	p.Comments = append(p.Comments, facts.List{}.Encode())
	for _, f := range t.Functions {
		id := p.Function(pprofenc.Function{Name: f.Func, Filename: f.File, StartLine: int64(f.Line)})
		sample := func(kind, file string, line int, expr, typ, value string, n uint64) {
			if n == 0 {
				return
			}
			if line == 0 {
				file, line = f.File, f.Line
			}
			labels := []pprofenc.Label{
				{Key: schema.TapKind, Value: kind}, {Key: schema.Site, Value: fmt.Sprintf("%s:%d:0", filepath.Base(file), line)},
				{Key: schema.Expr, Value: expr}, {Key: schema.Value, Value: schema.ValueText(expr, value)},
			}
			if typ != "" {
				labels = append(labels, pprofenc.Label{Key: schema.Type, Value: typ})
			}
			p.Sample([]uint64{p.Location(id, int64(line))}, []int64{int64(n), int64(n)}, p.Labels(labels...))
		}
		if f.Calls != nil {
			sample("entry", "", 0, f.Func, "", "called", *f.Calls)
		}
		if f.Returns != nil {
			sample("return", "", 0, f.Func, "", "returned", *f.Returns)
		}
		for _, s := range f.Sites {
			expr, rest := s.Expr, s.Hits-min(s.Hits, s.Unread)
			if expr == "" {
				expr = s.Kind
			}
			if len(s.Rows) == 0 && s.Distinct == 0 && s.Other == 0 {
				sample(s.Kind, s.File, s.Line, expr, s.Type, "reached", s.Hits)
				continue
			}
			for _, v := range s.Rows {
				sample(s.Kind, s.File, s.Line, expr, s.Type, v.Value, v.Count)
				rest -= min(rest, v.Count)
			}
			sample(s.Kind, s.File, s.Line, expr, s.Type, schema.Other, rest)
		}
	}
	return pprofenc.Gzip(p.Encode())
}
