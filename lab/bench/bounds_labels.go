package bench

// This file measures how often the bounds of values have the true value that goroutines with a label of
// runtime/pprof have loaded.

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
)

// LabelHits says how many bounds of the values of a label have the true value.
type LabelHits struct {
	Handler        string // the label's value; "" is all goroutines
	Values         int    // that count
	Shares, Counts Hits   // of a value in the label's events, and how often it came
}

// BoundLabels runs testdata/handlers many times with taps that report in bursts. That program counts its loads itself, so no
// run with exact profiles is needed.
func BoundLabels(cfg *Config, opts BoundsOptions) (all []LabelHits, err error) {
	const name = "handlers"
	err = cfg.inWork(name, func(work string) error {
		p := &program{cfg, name, filepath.Join(cfg.Root, "lab", "bench", "testdata", name), work}
		p.logf("%s: building with taps", p.name)
		if err := p.pepbuild(burstBuild, "-pepmode=taps", "-peptaps=loads", "-peptapmode=burst"); err != nil {
			return err
		}
		all = []LabelHits{{Handler: "a"}, {Handler: "b"}, {}}
		return p.times(opts.Runs, func() error {
			file, words, printed, err := p.words(burstBuild, opts.Setting.env())
			if err != nil {
				return err
			}
			for i := range all {
				if err := all[i].add(printed, file, words); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return all, err
}

// add compares a run with what testdata/handlers has printed.
func (h *LabelHits) add(printed string, file *profile.File, words []profile.Word) error {
	counts, all := make(map[string]float64), 0.
	for line := range strings.Lines(printed) {
		var handler, value string
		var n float64
		if _, err := fmt.Sscan(line, &handler, &value, &n); err != nil {
			return fmt.Errorf("%w in what the program prints: %q", err, line)
		}
		if h.Handler == "" || h.Handler == handler {
			counts[value] += n
			all += n
		}
	}
	own := slices.DeleteFunc(slices.Clone(words), func(w profile.Word) bool {
		return w.Site.Expr != "p.n" || h.Handler != "" && !slices.Contains(w.Labels, profile.Label{Key: "handler", Value: h.Handler})
	})
	sites := profile.SumSites(own)
	if len(sites) != 1 {
		return fmt.Errorf("%d taps of p.n with label %q in a profile, want 1: use a shorter -tick", len(sites), h.Handler)
	}
	seen := make(map[string]profile.Word)
	for _, w := range sites[0].Words {
		seen[w.Value] = w
	}
	h.Values = len(counts)
	for value, n := range counts {
		w, ok := seen[value]
		if !ok { // there is no bound of its share
			h.Counts.add(profile.Bounds{High: file.UnseenCount()}, n, false)
			continue
		}
		count, e := float64(w.Count), w.CountError(file.Period.Value)
		h.Counts.add(profile.Bounds{Low: count - e, High: count + e}, n, true)
		h.Shares.add(sites[0].ShareBounds(w, file.Period.Value), n/all, true)
	}
	return nil
}

// LabelBoundsTable returns the results as a Markdown table.
func LabelBoundsTable(all []LabelHits) string {
	t := newTable("label", "values", "shares", "true share below", "above", "counts", "true count below", "above", "never seen")
	for i := range all {
		h := &all[i]
		name := "handler=" + h.Handler
		if h.Handler == "" {
			name = "all goroutines"
		}
		t.row(name, fmt.Sprint(h.Values), h.Shares.part(h.Shares.In), h.Shares.part(h.Shares.Below), h.Shares.part(h.Shares.Above),
			h.Counts.part(h.Counts.In), h.Counts.part(h.Counts.Below), h.Counts.part(h.Counts.Above), h.Counts.part(h.Counts.all()-h.Counts.Seen))
	}
	return fmt.Sprintf("## Bounds by labels\n\nHow many of the 95 %% bounds have the true value, over all runs of lab/bench/testdata/handlers, which counts its loads itself: of the "+
		"share of each value in the loads of goroutines with a label, and of how often it was loaded. A value that a run has no sample of counts with the bound that the profile's comment has.\n\n%s\n", t)
}
