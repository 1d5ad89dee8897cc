package hwsim

import "testing"

// The first numbers of SplitMix64 from two seeds, which the authors of the generator publish, are those of instances
// that the generator's steps number.
func TestSeedsAreThoseOfSplitMix64(t *testing.T) {
	const step = 0x9e3779b97f4a7c15
	for state, want := range map[uint64]uint64{0: 0xe220a8397b1dcdaf, 1234567: 6457827717110365317,
		1234567 + step: 3203168211198807973} {
		if got := Instance(state + step).Seed(7); got != want+7 {
			t.Errorf("instance %#x has the seed %d, want %d", state+step, got, want+7)
		}
	}
}
