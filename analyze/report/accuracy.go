package report

// This file lists how well a sampled profile agrees with an exact one.

import (
	"slices"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/internal/listing"
)

// An AccuracyTable is a comparison of a sampled run with an exact one.
type AccuracyTable struct {
	Exact    Profile  `json:"exact"`
	Sampled  Profile  `json:"sampled"`
	Metrics  []Metric `json:"metrics"`
	HotShare float64  `json:"hot_share" unit:"ratio"` // a hot path has more of the flow
	Paths    int      `json:"paths" unit:"paths"`     // of the exact profile
	Hot      int      `json:"hot_paths" unit:"paths"`
	Found    int      `json:"found_hot_paths" unit:"paths"` // hot in both profiles
	Samples  int64    `json:"samples" unit:"samples"`
	Seen     int      `json:"sampled_paths" unit:"paths"`

	// share of the sampled flow in packages of which the exact profile has no paths
	Elsewhere float64 `json:"elsewhere" unit:"ratio"`
}

// A Metric is one measure of the paper.
type Metric struct {
	Metric   string  `json:"metric"`
	Accuracy float64 `json:"accuracy" unit:"ratio"`
}

// Accuracy compares a sampled run with an exact one of the same program, by the
// metrics of the paper.
func Accuracy(exact, sampled *profile.Run) (*AccuracyTable, error) {
	exactPaths, err := exact.Paths.Paths()
	if err != nil {
		return nil, err
	}
	sampledPaths, err := sampled.Paths.Paths()
	if err != nil {
		return nil, err
	}
	exactEdges, err := exact.Edges.Edges()
	if err != nil {
		return nil, err
	}
	sampledEdges, err := sampled.Edges.Edges()
	if err != nil {
		return nil, err
	}
	t := &AccuracyTable{Exact: profileOf(exact.Paths), Sampled: profileOf(sampled.Paths), HotShare: accuracy.HotShare}
	if sampled.Paths.Windows() {
		sampledPaths, sampledEdges = t.only(exactPaths, sampledPaths, sampledEdges)
	}
	actual, estimated := flows(exactPaths), flows(sampledPaths)
	actualEdges, estimatedEdges := outcomes(exactEdges), outcomes(sampledEdges)
	wall := accuracy.Wall(actual, estimated, profile.PathID.Compare)
	t.Metrics = []Metric{
		{"Wall weight matching", wall.Accuracy},
		{"relative overlap", accuracy.Relative(actualEdges, estimatedEdges)},
		{"absolute overlap", accuracy.Absolute(actualEdges, estimatedEdges)},
	}
	t.Paths, t.Hot, t.Found, t.Seen = len(actual), wall.Hot, wall.Matched, len(estimated)
	for _, p := range sampledPaths {
		t.Samples += p.Recorded()
	}
	return t, nil
}

// only returns the paths and edges of packages that the exact profile has paths of, and notes the share of the others.
func (t *AccuracyTable) only(exact, paths []profile.Path, edges []profile.Edge) ([]profile.Path, []profile.Edge) {
	counted := make(map[string]bool)
	for _, p := range exact {
		counted[profile.PackageOf(p.ID.Func.Name)] = true
	}
	var all, elsewhere int64
	paths = slices.DeleteFunc(slices.Clone(paths), func(p profile.Path) bool {
		all += p.Flow
		if counted[profile.PackageOf(p.ID.Func.Name)] {
			return false
		}
		elsewhere += p.Flow
		return true
	})
	edges = slices.DeleteFunc(slices.Clone(edges), func(e profile.Edge) bool {
		return !counted[profile.PackageOf(e.Branch.Func.Name)]
	})
	t.Elsewhere = float64(elsewhere) / float64(max(all, 1))
	return paths, edges
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

// Name implements listing.Listing.
func (t *AccuracyTable) Name() string { return "accuracy" }

// Print implements listing.Listing.
func (t *AccuracyTable) Print(p *listing.Page) {
	for _, m := range t.Metrics {
		p.Line("%-20s  %7s", m.Metric, listing.Percent(m.Accuracy))
	}
	p.Line("")
	p.Line("actual hot paths: %d of %d, %d of them found (a hot path has more than %g%% of the flow)", t.Hot, t.Paths,
		t.Found, 100*t.HotShare)
	p.Line("samples: %d, of %s", t.Samples, listing.Count(t.Seen, "path"))
	if t.Elsewhere > 0 {
		p.Line("not compared: %s of the sampled flow, in packages of which the exact profile has no paths",
			listing.Percent(t.Elsewhere))
	}
	t.Exact.printNotes(p)
	t.Sampled.printNotes(p)
}
