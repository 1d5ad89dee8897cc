package sampler_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/samplers/sampler"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

func buildSlow(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "slow")
	if out, err := exec.Command("go", "build", "-o", exe, "./testdata/slow").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// VSAMP-25: all instructions of a loop are executed equally often, so each must have the same share
// of the values, although interrupts arrive at one of them. With the longest skip of
// peptrace values they have; with a skip that is shorter than the loop they have not, and
// the test sees that.
func TestSkipRemovesBias(t *testing.T) {
	exe := buildSlow(t)
	for skip, even := range map[int]bool{sampler.DefaultSkip: true, 15: false} {
		tg := start(t, exe)
		s := attach(t, sampler.Options{PIDs: []int{tg.pid}, Interval: time.Millisecond / 4, Length: 1, Skip: skip})
		at := map[uint64]float64{}
		const runs = 1500
		collect(t, s, runs, func(r *capture.Run) { at[r.Tuples[0].Insn.PC]++ })
		s.Close()
		var counts []float64
		for _, n := range at {
			if n > runs/300 { // not the loop around the loop, and the runtime
				counts = append(counts, n)
			}
		}
		chi, limit := unevenness(counts)
		t.Logf("skip %d: %d instructions, %v; chi-square %.1f, limit %.1f", skip, len(counts), counts, chi, limit)
		if even && (chi > limit || len(counts) < 20 || len(counts) > 34) {
			t.Errorf("skip %d: the instructions are not sampled evenly, or the loop has another length", skip)
		}
		if !even && chi < limit && len(counts) > 20 {
			t.Errorf("skip %d: bias is not seen", skip)
		}
	}
}

// In the worst case all interrupts of a loop arrive at one instruction, and the n-th one behind it
// has the values of the runs that skip n instructions, or n and some rounds. In loops of up to
// 32 instructions the most frequent has at most 1.25 times the values of the least frequent.
func TestDefaultSkipCoversLoops(t *testing.T) {
	for length := 1; length <= 32; length++ {
		values := make([]int, length)
		for a := 0; a <= sampler.DefaultSkip/2; a++ {
			for b := 0; b <= sampler.DefaultSkip-sampler.DefaultSkip/2; b++ {
				values[(a+b)%length]++
			}
		}
		if ratio := float64(slices.Max(values)) / float64(slices.Min(values)); ratio > 1.25 {
			t.Errorf("a loop of %d instructions: ratio %.2f; decision 23 says 1.25 up to 32", length, ratio)
		}
	}
}

// A run that gives up while it skips is done again, so the code in front of an instruction that
// cannot be interpreted has values, too: half of the interrupts have none otherwise.
func TestRunsBeginInFrontOfStops(t *testing.T) {
	tg := start(t, buildSlow(t), "float")
	s := attach(t, sampler.Options{PIDs: []int{tg.pid}, Interval: time.Millisecond / 4, Skip: sampler.DefaultSkip})
	var r capture.Run
	runs, empty := 0, 0
	at := map[uint64]int{}
	for runs < 600 {
		if err := s.Next(&r); err != nil {
			t.Fatal(err)
		}
		runs++
		if r.Steps == 0 {
			empty++
		}
		for _, tp := range r.Tuples {
			at[tp.Insn.PC]++
		}
	}
	st, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d runs are empty; tuples by address: %v; stops: %v", empty, runs, at, st.Stops)
	if st.Stops[ops.UnknownFlags] < uint64(runs/4) {
		t.Errorf("few runs gave up: %v", st.Stops)
	}
	if empty > runs/10 {
		t.Errorf("%d of %d runs have no values", empty, runs)
	}
}
