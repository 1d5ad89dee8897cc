package weigh

// This file makes bursts of the polls of one thread each.

// ByThread makes a burst of each thread's polls, in the order of their first polls. of[i] has the indices in b.Polls of those of
// bursts[i]; if all polls are of one thread, bursts[0] is b itself, and of is nil. The tick stands for CPU time of all the threads that were running, so its time is shared out between them.
//
// A poll that is sampled holds up its own thread, and not the others. For example, let a thread go round in a loop of
// 10 ns and another one in a loop of 10 µs. If a sample takes 1.2 µs, the first thread is 9 times as fast in a burst
// as the second, and otherwise 1000 times. And the first poll after a tick is always one of the short loop. Taken
// by themselves the polls of each thread are as in a program with one thread: a tick falls into a gap of the thread in proportion to
// the gap, and the polls that follow are the thread's next ones.
func ByThread(b *Burst) (bursts []Burst, of [][]int) {
	if b.oneThread() {
		return []Burst{*b}, nil
	}
	for i, p := range b.Polls {
		k := 0
		for k < len(bursts) && bursts[k].Polls[0].Thread != p.Thread {
			k++
		}
		if k == len(bursts) {
			bursts, of = append(bursts, Burst{}), append(of, nil)
		}
		bursts[k].Polls = append(bursts[k].Polls, p)
		of[k] = append(of[k], i)
	}
	for k := range bursts {
		bursts[k].Ticks = b.Ticks / float64(len(bursts))
	}
	return bursts, of
}

func (b *Burst) oneThread() bool {
	for i := range b.Polls {
		if b.Polls[i].Thread != b.Polls[0].Thread {
			return false
		}
	}
	return true
}
