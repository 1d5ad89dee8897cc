package report

// This file finds the paths of exact counts that have not ended: a panic, runtime.Goexit or the end of the
// program has left them, or the program still runs. Paths are counted when they end. But a path begins
// at the entry of a function for each call, and at the other starts for each path that ends on an edge
// to there.

import (
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/wire"
)

// An unended is the paths of a function that began at a start and have not ended.
type unended struct {
	pkg   *wire.Package
	fn    *wire.Func
	start int
	count int64
}

// unended returns the paths that have not ended, and how many these are. Paths has those of p's samples.
func (w *writer) unended(p *Profile, paths []*path) (list []unended, sum int64) {
	if p.Sampled {
		return nil, 0
	}
	type counts struct {
		pkg          *wire.Package
		began, ended []int64 // by start
	}
	all := make(map[*wire.Func]*counts)
	var order []*wire.Func
	of := func(pkg *wire.Package, fn *wire.Func) *counts {
		c := all[fn]
		if c == nil {
			n := len(fn.Graph.Starts)
			c = &counts{pkg, make([]int64, n), make([]int64, n)}
			all[fn] = c
			order = append(order, fn)
		}
		return c
	}
	for i, d := range paths {
		if d == nil {
			continue
		}
		c, n := of(d.pkg, d.fn), p.Samples[i].Count
		c.ended[d.start] = plus(c.ended[d.start], n)
		if d.next > 0 {
			c.began[d.next] = plus(c.began[d.next], n)
		}
	}
	for i := range p.Called {
		if pkg, fn := w.tables.called(&p.Called[i]); fn != nil && len(fn.Graph.Starts) > 0 {
			of(pkg, fn).began[0] = p.Called[i].Count
		}
	}
	for _, fn := range order {
		c := all[fn]
		for start := range c.began {
			// Fewer have begun if the calls are not known, or if they are not of the same moment.
			if n := c.began[start] - c.ended[start]; n > 0 {
				list = append(list, unended{c.pkg, fn, start, n})
				sum = plus(sum, n)
			}
		}
	}
	return list, sum
}

// addUnended adds samples of paths that have not ended. More are their further values.
func (o *output) addUnended(list []unended, more ...int64) {
	for _, u := range list {
		at := place{u.fn.File, u.fn.Line}
		if u.start > 0 {
			at = nodePlace(u.fn, u.fn.Graph.Starts[u.start].Node)
		}
		id := o.Function(pprofenc.Function{
			Name:       schema.PathName(u.fn.Name, schema.Unended),
			SystemName: u.fn.Name,
			Filename:   u.pkg.Files[at.file],
			StartLine:  int64(u.fn.Line),
		})
		labels := []pprofenc.Label{{Key: schema.Path, Value: schema.Unended}}
		if at.file != u.fn.File {
			labels = append(labels, pprofenc.Label{Key: schema.FuncFile, Value: u.pkg.Files[u.fn.File]})
		}
		o.locs = append(o.locs[:0], o.Location(id, int64(at.line)), o.in(u.pkg, u.fn, at))
		o.values = append(append(o.values[:0], u.count), more...)
		o.SampleOf(o.locs, nil, o.values, o.withStart(o.Labels(labels...), u.pkg, u.fn, u.start))
	}
}
