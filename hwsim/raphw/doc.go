// Package raphw models hardware for range adaptive profiling: the pipelined engine of
// section 3.3 of the paper. It computes the same results as package rap, models the
// parts of the hardware, and counts the cycles that these parts need.
//
//	spec, err := engines.Parse("raphw(eps=1%,over=words,buffer=1024)", nil)
//	e := spec.New(0)
//	e.Push(tuples, out)
//	e.(hwsim.Timed).Time()     // cycles of the processor, and in how many of them it waited
//	e.(hwsim.Metered).Meters() // events to a count, cycles to a count, splits, …
//	e.Flush(out)               // ranges with their counts, as those of package rap
//
// The stages are these (Figure 4 of the paper):
//
//	0  event buffer   events that wait, equal ones in one entry with a count; it keeps
//	                  events until stage 4 is through with them, to replay them
//	1  TCAM           all ranges that a point is in match it
//	2  arbiter        of these the one with the longest prefix, which is the last one
//	3  counters       the count of that range is read, and the event's count added
//	4  threshold      the sum is compared with the split threshold, and written
//
// If the count of a range passes the threshold, the range is split: the events behind
// it in the pipeline are flushed, and they are replayed from stage 0 when the new
// entries are written. If a merge is due, the pipeline is flushed as well, and waits
// while the merge scans all entries.
//
// For example, points have 4 bits, B is 4, and the TCAM holds **** and 01**. The point
// 0110 matches both entries. The arbiter chooses 01**, because it stands behind ****.
// If the count of 01** passes the threshold, the entries 0100, 0101, 0110 and 0111 are
// written.
//
// The package shares descriptions with package rap, and nothing else. It has its own
// code for thresholds, splits and merges, which works as the hardware does, so each of
// the two packages tests the other one. Several dimensions, weighted events and merges
// of two engines are not modelled. Package cost computes area, delay and energy.
//
// Source: Mysore, Agrawal, Sherwood, Shrivastava and Suri, "Profiling over
// Adaptive Ranges", CGO 2006, section 3.3. docs/decisions/0016-rap.md says where
// this package decides what the paper leaves open.
package raphw
