package profile_test

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
)

// Totals are those that numbers without bounds add up to, or refused.
func TestTotals(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	refused, summed := 0, 0
	for range 400 {
		var files []*profile.File
		count, flow := new(big.Int), new(big.Int)
		fits := true // all so far
		for range 1 + rng.IntN(3) {
			var text strings.Builder
			text.WriteString("profile paths\nperiod 1 paths/count\n")
			for range 1 + rng.IntN(4) {
				c, fl := math.MaxInt64>>rng.IntN(6), math.MaxInt64>>rng.IntN(6)
				count.Add(count, big.NewInt(int64(c)))
				flow.Add(flow, big.NewInt(int64(fl)))
				fmt.Fprintf(&text, "path func=f at=x.go:1 path=p%d count=%d flow=%d callers=\"main.main main.go:%d\"\n",
					rng.IntN(3), c, fl, rng.IntN(3))
			}
			data, err := proftest.Encode(text.String())
			if err != nil {
				t.Fatal(err)
			}
			// A file by itself may not fit, or only with those before.
			f, err := profile.Parse("x", bytes.NewReader(data))
			if err == nil {
				files = append(files, f)
				continue
			}
			if !strings.HasPrefix(err.Error(), "x: ") || !strings.Contains(err.Error(), "2^63") {
				t.Fatalf("got error %v", err)
			}
			fits = false
			break
		}
		should := count.IsInt64() && flow.IsInt64()
		if !fits {
			if should {
				t.Fatalf("seed %d: refused, but the totals are %v and %v", seed, count, flow)
			}
			refused++
			continue
		}
		f, err := profile.Merge(files)
		if should != (err == nil) {
			t.Fatalf("seed %d: totals %v and %v: got error %v", seed, count, flow, err)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x: ") || !strings.Contains(err.Error(), "merge fewer") {
				t.Fatalf("got error %v", err)
			}
			refused++
			continue
		}
		summed++
		paths, err := f.Paths()
		if err != nil {
			t.Fatal(err)
		}
		gotCount, gotFlow := new(big.Int), new(big.Int)
		for _, p := range profile.SumPaths(paths) {
			gotCount.Add(gotCount, big.NewInt(p.Count))
			gotFlow.Add(gotFlow, big.NewInt(p.Flow))
		}
		if gotCount.Cmp(count) != 0 || gotFlow.Cmp(flow) != 0 {
			t.Fatalf("seed %d: got %v and %v, want %v and %v", seed, gotCount, gotFlow, count, flow)
		}
	}
	if refused < 50 || summed < 50 {
		t.Errorf("%d refused and %d summed: want many of both", refused, summed)
	}
}
