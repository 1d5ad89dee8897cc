package guides

// This file counts the edges of graphs.

import (
	"fmt"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/pdag"
	"github.com/pepgo/pep/machine/executable"
)

// graphs are the numbered graphs of the functions of a program.
type graphs map[profile.Func]*pdag.Graph

func graphsOf(exe string) (graphs, error) {
	f, err := executable.Open(exe)
	if err != nil {
		return nil, err
	}
	g := make(graphs)
	for _, pkg := range f.Packages {
		for i := range pkg.Funcs {
			fn := &pkg.Funcs[i]
			g[profile.Func{Name: fn.Name, File: pkg.Files[fn.File], StartLine: int64(fn.Line)}] = &fn.Graph
		}
	}
	return g, nil
}

// edgeCounts returns how often each edge was taken on paths, by function, node and out-edge.
func (g graphs) edgeCounts(paths []profile.Path) (map[profile.Func][][]uint64, error) {
	counts := make(map[profile.Func][][]uint64)
	for _, p := range paths {
		graph := g[p.ID.Func]
		if graph == nil {
			return nil, fmt.Errorf("no graph of function %v", p.ID.Func)
		}
		if counts[p.ID.Func] == nil {
			counts[p.ID.Func] = graph.EdgeCounts()
		}
		if !graph.Accumulate(p.ID.Number, uint64(p.Count), counts[p.ID.Func]) {
			return nil, fmt.Errorf("function %s has no path %s", p.ID.Func.Name, p.ID.Name())
		}
	}
	return counts, nil
}
