package weigh

// This file estimates how far off shares may be because weights are.

// deviation is the standard deviation of the logarithm of a weight: two of three weights are
// wrong by a factor below e^0.8 = 2.2. Weights that were computed from logs of nine test
// programs differ from those by the true mean gaps, F/x with exact counts x, by 0.6 (0.35
// to 0.89). The rest is for kins whose weights are wrong in the same way, because they are in
// the same loop; docs/decisions/0024-weights.md has how it was chosen.
const deviation = 0.8

// Kins returns the bursts that begin with the same path, as lists of indices into bursts. All
// paths are below n. What is wrong with the gap of that path is wrong with all their weights,
// so it does not become less if there are more of them.
func Kins(bursts []Burst, n int) [][]int {
	at := make([]int, n) // 1 + the index in kins
	var kins [][]int
	for i := range bursts {
		polls := bursts[i].Polls
		if len(polls) == 0 {
			continue
		}
		k := &at[polls[0].Path]
		if *k == 0 {
			kins = append(kins, nil)
			*k = len(kins)
		}
		kins[*k-1] = append(kins[*k-1], i)
	}
	return kins
}

// WeightVariance returns the variance that the share of an item has because weights are wrong.
// The clusters of the part and of the total are kins.
//
// If the weights of a kin are wrong by a factor e^d, d being small, the share p = Σy/Σx changes
// by d·(y-p·x)/Σx. Kins are wrong independently of each other, with the same deviation of d,
// so the variance is
//
//	deviation² · Σ(y - p·x)² / (Σx)²
//
// For example, let a program be in one loop half of the time and in another loop otherwise,
// and let their weights be estimated to be equal. The share of the first loop is 0.5, and its
// variance 0.64 · (5² + 5²)/20² = 0.08, which is a standard deviation of 0.28, however many
// bursts there are.
func (p *Part) WeightVariance(t *Total) float64 {
	_, v := p.Share(t)
	return deviation * deviation * v / t.correction()
}
