package bench

// This file compares paths that end at loop headers with those that end at back edges.

import (
	"fmt"

	"github.com/pepgo/pep/lab/plot"
)

// truncation compares both, exact and sampled.
func (l *lab) truncation() (*FigureResult, error) {
	opts := AccuracyOptions{Runs: l.opts.Runs, Settings: []Setting{l.opts.Sampled}}
	header, err := Accuracy(l.Config, opts)
	if err != nil {
		return nil, err
	}
	opts.Truncate = "backedge"
	backedge, err := Accuracy(l.Config, opts)
	if err != nil {
		return nil, err
	}
	return compareTruncation(header, backedge), nil
}

func compareTruncation(header, backedge []Fit) *FigureResult {
	r := new(FigureResult)
	r.say("PEP ends paths at loop headers, because yieldpoints stand there, and Ball and Larus on back edges. The paper believes that the difference is minor, because only the first way into a loop becomes a path of its own. "+
		"These are the ends of paths that headers add, in exact profiles, and the accuracy of %s with both.", header[0].Settings[0])
	t := newTable("program", "ends, header", "back edge", "more", "paths, header", "back edge", "hot, header", "back edge", "Wall, header", "back edge", "relative, header", "back edge")
	var more, wall, relative []float64
	var names []string
	for i, h := range header {
		e := backedge[i]
		names = append(names, h.Program)
		more = append(more, float64(h.Exact.Ends)/float64(e.Exact.Ends)-1)
		of := func(f Fit, k int) float64 { return f.over(0, metrics[k]).median }
		wall = append(wall, of(h, 0)-of(e, 0))
		relative = append(relative, of(h, 1)-of(e, 1))
		t.row(h.Program, fmt.Sprintf("%.1f M", float64(h.Exact.Ends)/1e6), fmt.Sprintf("%.1f M", float64(e.Exact.Ends)/1e6), percent(more[i]),
			fmt.Sprint(h.Exact.Paths), fmt.Sprint(e.Exact.Paths), fmt.Sprint(h.Exact.Hot), fmt.Sprint(e.Exact.Hot),
			percent(of(h, 0)), percent(of(e, 0)), percent(of(h, 1)), percent(of(e, 1)))
	}
	r.row("ends of paths that headers add", ranged(more, percent), "minor", "")
	r.row("Wall weight matching, header less back edge", points(wall), "", effect(wall, 0))
	r.row("relative overlap, header less back edge", points(relative), "", effect(relative, 0))
	r.tables = append(r.tables, t)
	r.plot("pep-truncate", plot.Bars{Title: "Ends of paths that loop headers add", Y: "%", Groups: names, Series: []plot.Series{series("more ends", more)}})
	return r
}
