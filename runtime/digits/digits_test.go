package digits_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/pepgo/pep/runtime/digits"
)

func TestDigits(t *testing.T) {
	numbers := []uint64{0, 1, 9, 10, 99, 100, math.MaxInt64, 1 << 63, math.MaxUint64}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		numbers = append(numbers, r.Uint64()>>r.IntN(64))
	}
	for _, u := range numbers {
		if got, want := digits.Uint(u), strconv.FormatUint(u, 10); got != want {
			t.Errorf("Uint(%d) = %q, want %q", u, got, want)
		}
		if got, want := digits.Int(int64(u)), strconv.FormatInt(int64(u), 10); got != want {
			t.Errorf("Int(%d) = %q, want %q", int64(u), got, want)
		}
		if got, want := digits.Hex(u), "0x"+strconv.FormatUint(u, 16); got != want {
			t.Errorf("Hex(%d) = %q, want %q", u, got, want)
		}
	}
}
