package report

// This file writes how well a sampled profile stands for an exact one.

import (
	"io"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/profile"
)

// Averages over its programs that the paper reports for PEP(64,17) (Bond &
// McKinley, MICRO 2005, §6.3 and §6.4).
const (
	paperWall     = "94%"
	paperRelative = "96%"
	paperAbsolute = "83%"
)

// A Run is the two files that one run of a program wrote.
type Run struct {
	Paths, Edges *profile.File
}

// Accuracy writes the metrics of a sampled run against an exact one of the
// same program, beside the paper's.
func Accuracy(w io.Writer, exact, sampled Run) error {
	exactPaths, err := exact.Paths.Paths()
	if err != nil {
		return err
	}
	sampledPaths, err := sampled.Paths.Paths()
	if err != nil {
		return err
	}
	exactEdges, err := exact.Edges.Edges()
	if err != nil {
		return err
	}
	sampledEdges, err := sampled.Edges.Edges()
	if err != nil {
		return err
	}
	actual, estimated := flows(exactPaths), flows(sampledPaths)
	actualEdges, estimatedEdges := outcomes(exactEdges), outcomes(sampledEdges)
	wall := accuracy.Wall(actual, estimated, profile.PathID.Compare)

	page := newPage(w)
	page.comments(exact.Paths)
	page.comments(sampled.Paths)
	page.line("")
	row := func(metric, ours, paper string) { page.line("%-20s  %7s | %s", metric, ours, paper) }
	row("", "ours", "paper, PEP(64,17)")
	row("Wall weight matching", percent(wall.Accuracy, 1), paperWall)
	row("relative overlap", percent(accuracy.Relative(actualEdges, estimatedEdges), 1), paperRelative)
	row("absolute overlap", percent(accuracy.Absolute(actualEdges, estimatedEdges), 1), paperAbsolute)
	var samples int64
	for _, p := range sampledPaths {
		samples += p.Count
	}
	page.line("")
	page.line("actual hot paths: %d of %d, %d of them found (a hot path has more than %g%% of the flow)",
		wall.Hot, len(actual), wall.Matched, 100*accuracy.HotShare)
	page.line("samples: %d, of %s", samples, count(len(estimated), "path"))
	return page.flush()
}

// flows has the branch flow of every path.
func flows(paths []profile.Path) map[profile.PathID]int64 {
	m := make(map[profile.PathID]int64)
	for _, p := range paths {
		m[p.ID] += p.Flow
	}
	return m
}

// outcomes has the counts of every branch.
func outcomes(edges []profile.Edge) map[profile.BranchID]accuracy.Outcomes {
	m := make(map[profile.BranchID]accuracy.Outcomes)
	for _, e := range edges {
		if m[e.Branch] == nil {
			m[e.Branch] = make(accuracy.Outcomes)
		}
		m[e.Branch][e.Outcome] += e.Count
	}
	return m
}
