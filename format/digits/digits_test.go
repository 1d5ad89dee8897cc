package digits_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/pepgo/pep/format/digits"
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

// Parse reads all text that Uint writes, up to 18 digits, and refuses everything else.
func TestParse(t *testing.T) {
	for _, u := range []uint64{0, 7, 10, 999_999_999_999_999_999} {
		if got, ok := digits.Parse(digits.Uint(u)); got != u || !ok {
			t.Errorf("%d is %d, %t", u, got, ok)
		}
	}
	for _, s := range []string{"", "-1", "+1", "1 ", "0x1", "1_0", "1000000000000000000"} {
		if n, ok := digits.Parse(s); ok {
			t.Errorf("%q is %d", s, n)
		}
	}
}
