package engines

// This file ends the engines of several streams, and looks at them before they end.

import "github.com/pepgo/pep/hwsim"

// Flush flushes the engines of several streams, all of the same Spec, in the order
// of the streams: outs[i] takes the messages of list[i]. If the engine, or in a
// chain the last one, is a hwsim.Merger, all become one before it is flushed, and
// outs[0] takes its messages:
//
//	stream 0   P4 : cells ──┐
//	stream 1   P4 : cells ──┼── one cells, flushed
//	stream 2   P4 : cells ──┘
//
// merged is how many engines were merged into another one, and exact says whether the
// messages are those of one engine for all streams. Programs and replays of their traces
// both end engines by this function, so both send the same messages.
func Flush(list []hwsim.Engine, outs []*hwsim.Out) (merged int, exact bool) {
	exact = true
	if len(list) < 2 || !mergeable(list[0]) {
		for i, e := range list {
			e.Flush(outs[i])
			outs[i].Drain()
		}
		return 0, exact
	}
	for i, e := range list {
		flushFirst(e, outs[i])
		outs[i].Drain()
	}
	first := last(list[0]).(hwsim.Merger)
	for _, e := range list[1:] {
		exact = first.Merge(last(e)) && exact
		merged++
	}
	first.Flush(outs[0])
	outs[0].Drain()
	return merged, exact
}

// Snapshot sends what e, or in a chain its last engine, would send if it were flushed. It
// sends nothing if that engine is no hwsim.Snapshotter. It leaves out the events that the
// engines before the last one hold.
func Snapshot(e hwsim.Engine, out *hwsim.Out) {
	if s, ok := last(e).(hwsim.Snapshotter); ok {
		s.Snapshot(out)
	}
}

// last returns the last engine of a chain, or the engine itself if it is no chain.
func last(e hwsim.Engine) hwsim.Engine {
	stages := Stages(e)
	return stages[len(stages)-1]
}

func mergeable(e hwsim.Engine) bool {
	_, ok := last(e).(hwsim.Merger)
	return ok
}

// flushFirst flushes all engines of a chain but the last, which takes what they send.
func flushFirst(e hwsim.Engine, out *hwsim.Out) {
	if c, ok := e.(*chain); ok {
		c.flush(out, len(c.later)-1)
	}
}
