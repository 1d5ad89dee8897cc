package interp

// This file estimates how often the processor mispredicts a conditional branch. Nobody tells, so the interpreter has a
// branch predictor of its own: McFarling's combination of a counter for each branch and one for each branch behind the
// outcomes of the last twelve, with a counter that says which of both is better ("Combining branch predictors", 1993).
// Predictors of processors are better, but what neither can predict costs most: outcomes that depend on random data.
//
// Counters stay from window to window. The first outcome of a branch is no misprediction, since the processor has met
// the branch before.

const places = 1 << 12 // of counters

// A predictor has the state of the predictions. Its tables are small, since a window begins with cold caches.
type predictor struct {
	branch [places]uint8 // a counter, and in bits 3 and 4 the choice: 2 and 3 are for behind
	behind [places]uint8 // a counter
	last   uint64        // outcomes of the last branches, the last one in bit 0
}

// Counters are 0 until the branch is met; 1 and 2 predict that it is not taken, 3 and 4 that it is.
type counter uint8

func (c counter) takes() bool { return c > 2 }

func (c counter) next(taken bool) counter {
	switch {
	case c == 0 && taken:
		return 4
	case c == 0:
		return 1
	case taken:
		return min(c+1, 4)
	}
	return max(c-1, 1)
}

const missed = 1 << 7

// steps has, for each state of branch, behind and outcome, the next state of branch, and missed if both together have
// predicted wrong; nexts has the next state of behind.
var (
	steps [1 << 9]uint8
	nexts [1 << 4]uint8
)

func init() {
	for i := range steps {
		taken := i&1 != 0
		behind, branch, choice := counter(i>>1&7), counter(i>>4&7), uint8(i>>7)
		right := func(c counter) bool { return c.takes() == taken }
		chosen := branch
		if behind != 0 && choice >= 2 {
			chosen = behind
		}
		var miss uint8
		if branch != 0 && !right(chosen) {
			miss = missed
		}
		if branch != 0 && behind != 0 && right(branch) != right(behind) {
			if right(behind) {
				choice = min(choice+1, 3)
			} else if choice > 0 {
				choice--
			}
		}
		steps[i] = uint8(branch.next(taken)) | choice<<3 | miss
		nexts[i&15] = uint8(behind.next(taken))
	}
}

// outcome is called for each conditional branch, with 1 if it is taken and else 0. It reports whether that was
// mispredicted.
func (p *predictor) outcome(place, taken uint64) bool {
	b := &p.branch[place%places]
	h := &p.behind[(place^p.last)%places]
	step := steps[(uint64(*b)<<4|uint64(*h)<<1|taken)%uint64(len(steps))]
	*h = nexts[(uint64(*h)<<1|taken)%uint64(len(nexts))]
	*b = step &^ missed
	p.last = p.last<<1 | taken
	return step&missed != 0
}
