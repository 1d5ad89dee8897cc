package convert

// This file reads the log of bursts.

import "github.com/pepgo/pep/runtime/report"

// bursts returns the bursts in the log. The slice samples has for each entry the index of its sample + 1, or 0.
func (c Counts) bursts(samples []int32) (list []report.Cluster) {
	var entries []uint32
	at := make([]int32, len(samples)) // by entry: where the burst has its sample, + 1
	for slot := range min(c.LogSlots(), c.Log>>32) {
		entries = c.Burst(slot, entries[:0])
		b := report.Cluster{Stands: 1, Weight: 1}
		for _, e := range entries {
			if e >= uint32(len(samples)) || samples[e] == 0 {
				continue
			}
			if at[e] == 0 {
				b.Samples, b.Counts = append(b.Samples, samples[e]-1), append(b.Counts, 0)
				at[e] = int32(len(b.Samples))
			}
			b.Counts[at[e]-1]++
		}
		for _, e := range entries {
			if e < uint32(len(at)) {
				at[e] = 0
			}
		}
		list = append(list, b)
	}
	return list
}
