package pepfile

// This file measures the service that empties queues.

// A Gauge measures the service: times between messages, which must exceed the
// time that one takes (section 2.2 of the paper). The messages of a block count
// as spread evenly over the time since the block before.
type Gauge struct {
	Queued   uint64 // events that went into the queue
	Served   uint64 // and came out
	Messages uint64
	Busy     uint64 // ns spent on them
	Last     uint64 // time of the last block
	MinGap   uint64 // ns; 0 if there is none yet
	Gaps     [gapBuckets]uint64
}

// Note notes a block. The gaps are counted by the octave and quarter that they
// are in; a bucket is so 19 to 25 % wide.
func (g *Gauge) Note(events, messages, at, busy uint64) {
	g.Served += events
	g.Messages += messages
	g.Busy += busy
	if g.Last != 0 && messages > 0 && at > g.Last {
		gap := max((at-g.Last)/messages, 1)
		if g.MinGap == 0 || gap < g.MinGap {
			g.MinGap = gap
		}
		g.Gaps[GapBucket(gap)] += messages
	}
	g.Last = max(g.Last, at)
}

const gapBuckets = 4 * 48

func GapBucket(gap uint64) int {
	octave := 0
	for gap>>octave >= 8 {
		octave++
	}
	return min(4*octave+int(gap>>octave), gapBuckets-1) // gap>>octave is 4 … 7 but for small gaps
}

// BucketGap returns the least gap in a bucket.
func BucketGap(i int) uint64 {
	if i < 8 {
		return uint64(i)
	}
	octave := (i - 4) / 4
	return uint64(i-4*octave) << octave
}

// P1 returns the gap that one message in a hundred was below.
func (g *Gauge) P1() uint64 {
	var all, below uint64
	for _, n := range g.Gaps {
		all += n
	}
	for i, n := range g.Gaps {
		if below += n; below*100 >= all {
			return BucketGap(i)
		}
	}
	return 0
}
