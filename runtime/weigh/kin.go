package weigh

// This file estimates how far off shares may be because weights are.

// What is wrong with a weight has two levels.
const (
	OfKin  = iota // is common to a kin
	OfLoop        // is common to the kins of a loop
	Levels
)

// variances are those of the logarithm of a weight, by level. Together they are a standard deviation of
// 0.85: two of three weights are wrong by a factor below e^0.85 = 2.3. Some of that is common
// to a loop: a deviation of 0.4. docs/decisions/0024-weights.md has how they were chosen.
var variances = [Levels]float64{.56, .16}

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

// Loops returns the kins that are in the same loops, as lists of kins. A kin is in the loop of the function
// that most of its polls are of; function[k] is the function of path k, -1 if not known. A kin none of whose functions is
// known is a loop of its own. What is wrong with the gaps of a loop's paths is in part the same for all: the
// caches and predictors of branches that they find.
func Loops(bursts []Burst, kins [][]int, function []int32) [][][]int {
	at := make(map[int32]int) // index in loops
	var loops [][][]int
	for _, kin := range kins {
		polls := make(map[int32]int)
		most := int32(-1)
		for _, i := range kin {
			for _, p := range bursts[i].Polls {
				if f := function[p.Path]; f >= 0 {
					if polls[f]++; most < 0 || polls[f] > polls[most] || polls[f] == polls[most] && f < most {
						most = f
					}
				}
			}
		}
		l, ok := at[most]
		if !ok || most < 0 {
			l = len(loops)
			at[most] = l
			loops = append(loops, nil)
		}
		loops[l] = append(loops[l], kin)
	}
	return loops
}

// Totals has the sums of all clusters, and Parts those of an item: of kins, and of loops.
type (
	Totals [Levels]Total
	Parts  [Levels]Part
)

// WeightVariance returns the variance that the share of an item has because weights are wrong.
//
// If the weights of a cluster are wrong by a factor e^d, d being small, the share p = Σy/Σx changes
// by d·(y-p·x)/Σx. Clusters of a level are wrong independently of each other, with the same deviation of d,
// so the variance is the sum over levels of
//
//	variance of d · Σ(y - p·x)² / (Σx)²
//
// For example, let a program be in one loop half of the time and in another loop otherwise,
// and let their weights be estimated to be equal. The share of the first loop is 0.5. If each has one kin, its
// variance is (0.56+0.16) · (5² + 5²)/20² = 0.09, which is a standard deviation of 0.3, however many
// bursts there are. If each has five kins of the same size, it is (0.56/5 + 0.16) · 0.125 = 0.034, and however
// many kins there are, not less than 0.02.
func (p *Parts) WeightVariance(t *Totals) (variance float64) {
	for l := range p {
		_, v := p[l].Share(&t[l])
		variance += variances[l] * v / t[l].correction()
	}
	return variance
}
