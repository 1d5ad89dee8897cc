package bench

// This file measures how often the bounds of values that taps report in bursts have the true share.

import (
	"errors"
	"strings"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
)

const (
	leastShare = 0.02  // of the values that count, in the events of their tap
	mostShare  = 0.995 // of a tap with nearly one value all bounds hold
)

// A valueID is a value of a tap.
type valueID struct {
	site  profile.Site
	value string
}

// A valueTruth is what the values of the hot taps are, those with more than accuracy.HotShare
// of all events: how often they came, and their shares of the events of their taps. Addresses
// are not there, since they differ between builds.
type valueTruth struct {
	counts, shares map[valueID]float64
	missing        int // hot taps that are not there in the build for bursts
}

// boundValues compares the bounds of values with exact counts.
func (p *program) boundValues(c *Coverage, opts BoundsOptions) error {
	p.logf("%s: building with taps", p.name)
	err := errors.Join(p.pepbuild(tapsBuild, "-pepmode=taps", "-peptaps=loads"),
		p.pepbuild(burstBuild, "-pepmode=taps", "-peptaps=loads", "-peptapmode=burst"))
	if err != nil {
		return err
	}
	truth, err := p.valueTruth()
	if err != nil {
		return err
	}
	c.HotValues, c.Missing = len(truth.shares), truth.missing
	if c.HotValues == 0 {
		return errors.New("no hot tap has several values: use another program")
	}
	return p.times(opts.Runs, func() error {
		file, seen, err := p.values(burstBuild, opts.Setting.env())
		if err == nil {
			c.addValues(truth, file, seen)
		}
		return err
	})
}

// words runs a build once, and reads what it prints and the values profile that it writes.
func (p *program) words(build string, env ...string) (file *profile.File, words []profile.Word, printed string, err error) {
	r, err := p.written(build, "*.values.pb.gz", env, func(name string) error {
		if file, err = profile.Open(name); err == nil {
			words, err = file.Words()
		}
		return err
	})
	return file, words, r.Stdout, err
}

// values is like words, with the words of all goroutines added up.
func (p *program) values(build string, env ...string) (file *profile.File, seen []profile.Seen, err error) {
	file, words, _, err := p.words(build, env...)
	return file, profile.SumSites(words), err
}

// valueTruth runs the program with every load reported.
func (p *program) valueTruth() (*valueTruth, error) {
	file, seen, err := p.values(tapsBuild, "PEPOPTS=taps=full")
	if err != nil {
		return nil, err
	}
	if !file.Exact() {
		return nil, errors.New("the run that reports every load is not exact")
	}
	exe, err := executable.Open(p.exe(burstBuild))
	if err != nil {
		return nil, err
	}
	type position struct {
		fn        string
		line, col int
	}
	tapped := make(map[position]bool)
	for _, pkg := range exe.Packages {
		for _, t := range pkg.Taps {
			tapped[position{t.Func, t.Line, t.Col}] = true
		}
	}
	var events float64
	for _, s := range seen {
		events += float64(s.Count)
	}
	t := &valueTruth{counts: make(map[valueID]float64), shares: make(map[valueID]float64)}
	for _, s := range seen {
		switch {
		case float64(s.Count) <= accuracy.HotShare*events:
			continue
		case !tapped[position{s.Site.Func.Name, int(s.Site.Pos.Line), int(s.Site.Pos.Col)}]:
			t.missing++
			continue
		}
		for _, w := range s.Words {
			// A word for which there was no room is one of the others, and one for which there was
			// room has all of its events.
			share := float64(w.Count) / float64(s.Count)
			if w.Value != schema.Other && share >= leastShare && share <= mostShare && !strings.HasPrefix(w.Value, "0x") {
				id := valueID{s.Site, w.Value}
				t.counts[id], t.shares[id] = float64(w.Count), share
			}
		}
	}
	return t, nil
}

// addValues compares the bounds of a run with the truth. A value without a sample has the
// bound of the comment.
func (c *Coverage) addValues(t *valueTruth, file *profile.File, seen []profile.Seen) {
	known := make(map[valueID]profile.Bounds)
	for _, s := range seen {
		for _, w := range s.Words {
			known[valueID{s.Site, w.Value}] = s.ShareBounds(w, file.Period.Value)
		}
	}
	unseen := profile.Bounds{High: file.UnseenCount()}
	for id, share := range t.shares {
		if b, ok := known[id]; ok {
			c.Values.add(b, share, true)
		} else {
			c.Values.add(unseen, t.counts[id], false)
		}
	}
}
