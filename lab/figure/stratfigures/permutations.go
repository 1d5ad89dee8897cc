package stratfigures

// This file has figure 4: samplers on streams without any order.

import (
	"fmt"

	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/montecarlo"
)

// The permutations of each length and seed, and the seeds. An experiment with fewer events has fewer permutations.
const (
	permutationSeeds = 10
	perPermutation   = 160_000 // events
)

// strataOfFigure4 are numbers of strata; our text has lost that of the paper.
var strataOfFigure4 = []int{2, 4, 8, 16}

// permutations is figure 4: at which length of the stream samplers are at 4 %, and their mean errors.
func permutations(env *figure.Env, m *figure.Measured) error {
	c := montecarlo.Figure4
	c.Permutations = int(max(1, env.Loads/perPermutation))
	for k := range uint64(permutationSeeds) {
		c.Seed = env.Seed + k
		list, err := c.Run()
		if err != nil {
			return err
		}
		for _, x := range list {
			name := "permutations/" + x.Spec + ":" + x.Estimator.String()
			m.Add(name+"/crossing", x.Points.Crossing(4))
			m.Add(name+"/mean", mean(x.Points))
		}
	}
	for _, n := range strataOfFigure4 {
		c.Strata, c.Seed = n, env.Seed
		list, err := c.Run()
		if err != nil {
			return err
		}
		for _, x := range list {
			if x.Spec == fmt.Sprintf("H[P%d]%d", c.Rate, n) {
				m.Add(fmt.Sprintf("permutations/strata/%d", n), x.Points.Crossing(4))
			}
		}
	}
	return nil
}
