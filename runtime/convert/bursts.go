package convert

// This file reads the log of bursts, from which the weights of samples follow.

import (
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/weigh"
)

// bursts returns the bursts in the log, and how many paths they are of. A burst that lasted
// several ticks is as many bursts: the polls after a tick tell what that tick has found, and not
// what the first one has. For example, let a burst begin at the end of a loop whose rounds take
// 10 µs, and go on in a loop whose rounds take 1 ms. Its last polls came with ticks of their own, and
// would count 100 times too much if they had the weight of its first poll. The polls of each thread are
// a burst of their own, too: see [weigh.ByThread].
// A path is told from
// others by its number in its package and by where its poll is, since the log does not have
// the package. The slice samples has for each entry the index of its sample + 1, or 0.
func (c Counts) bursts(samples []int32) (list []report.Burst, polled int) {
	type pathAt struct{ path, pc uint32 }
	paths := make(map[pathAt]int32)
	for room := range min(c.Rooms(), c.Log>>32) {
		header, polls := c.Burst(room)
		if header.Number == 0 {
			continue
		}
		b, sampled := c.burst(header.Time), false
		b.Polls, b.Samples = make([]weigh.Poll, 0, len(polls)), make([]int32, 0, len(polls))
		for i := range polls {
			p := &polls[i]
			if time := p.Ticks(); time > 0 {
				if sampled {
					list = appendByThread(list, &b)
					before := b
					b, sampled = c.burst(0), false
					b.Polls, b.Samples = before.Polls[len(before.Polls):], before.Samples[len(before.Samples):] // the room that is left
				}
				b.Ticks += c.ticks(time)
			}
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
			sampled = sampled || sample >= 0
			b.Polls = append(b.Polls, weigh.Poll{Path: k, Thread: p.Thread(), Gap: p.Gap})
			b.Samples = append(b.Samples, sample)
		}
		list = appendByThread(list, &b)
	}
	return list, len(paths)
}

// appendByThread appends a burst of each thread's polls.
func appendByThread(list []report.Burst, b *report.Burst) []report.Burst {
	bursts, of := weigh.ByThread(&b.Burst)
	if of == nil {
		return append(list, *b)
	}
	for i := range bursts {
		samples := make([]int32, len(of[i]))
		for j, at := range of[i] {
			samples[j] = b.Samples[at]
		}
		list = append(list, report.Burst{Burst: bursts[i], Samples: samples})
	}
	return list
}

// burst returns a burst without polls, or a part of one, that stands for some ns of CPU time.
func (c Counts) burst(time uint64) report.Burst {
	return report.Burst{Burst: weigh.Burst{Ticks: c.ticks(time)}}
}

// ticks returns the number of ticks in some ns of CPU time.
func (c Counts) ticks(time uint64) float64 {
	return float64(min(time, pepfile.MaxPlausible)) / float64(max(c.Tick, 1))
}
