package core

// This file reads the log of bursts, from which the weights of samples follow.

import (
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/weigh"
)

// bursts returns the bursts in the log, and how many paths they are of. A path is told from
// others by its number in its package and by where its poll is, since the log does not have
// the package. The slice samples has for each entry the index of its sample + 1, or 0.
func (c counted) bursts(samples []int32) (list []report.Burst, polled int) {
	type pathAt struct{ path, pc uint32 }
	paths := make(map[pathAt]int32)
	for room := range min(c.Rooms(), c.Log>>32) {
		header, polls := c.Burst(room)
		if header.Number == 0 {
			continue
		}
		b := report.Burst{Burst: weigh.Burst{Ticks: float64(min(header.Time, pepfile.MaxPlausible)) / float64(max(c.Tick, 1))}}
		for i := range polls {
			p := &polls[i]
			if !p.Ready() {
				continue
			}
			at := pathAt{p.Path, p.PC}
			k, ok := paths[at]
			if !ok {
				k = int32(len(paths))
				paths[at] = k
			}
			sample := int32(-1)
			if e, ok := p.Entry(); ok && e < uint32(len(samples)) {
				sample = samples[e] - 1
			}
			b.Polls = append(b.Polls, weigh.Poll{Path: k, Thread: p.Thread(), Gap: p.Gap})
			b.Samples = append(b.Samples, sample)
		}
		list = append(list, b)
	}
	return list, len(paths)
}
