package speed

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/format/tuple"
)

// The rates are those of the meters: the sampler takes six instructions for each sample, or
// one less with an interrupt, which every 128th sample has.
func TestCopRate(t *testing.T) {
	in := make([]tuple.Tuple, 200_000)
	for i := range in {
		in[i] = tuple.New(tuple.Load, uint64(10*i), 0)
	}
	r, err := copRate("cop(k0=1,near=20,far=20)", in)
	if want := 6 - 1.0/128; err != nil || math.Abs(r.instructions/r.samples-want) > 0.001 ||
		math.Abs(r.samples/r.tuples-1) > 0.001 {
		t.Errorf("%+v, %v: want %.3f instructions for a sample", r, err, want)
	}
	if got := r.samples + r.filtered + r.dropped; math.Abs(got/r.tuples-1) > 0.001 {
		t.Errorf("%+v: samples and what is left out are %v of the tuples", r, got/r.tuples)
	}
	if _, err := copRate("R64", in); err == nil || !strings.Contains(err.Error(), "want the engine cop") {
		t.Errorf("R64: %v", err)
	}
}

func TestCopTables(t *testing.T) {
	lines := "goos: linux\nBenchmarkInstructions/sampler-2         \t   10556\t        60.78 Minstr/s\t        19.95 Msamples/s\n" +
		"BenchmarkInstructions/all \t 1\t         0 ns/op\t 42.5 Minstr/s\t 15 Msamples/s\nok x\n"
	var machines []MachineSpeed
	for _, m := range machineLine.FindAllStringSubmatch(lines, -1) {
		machines = append(machines, MachineSpeed{m[1], m[2], m[3]})
	}
	speeds := []CopSpeed{{"cop", []copRound{{2e6, 1e6, 5e6, 1e6, 3e6}, {4e6, 2e6, 6e6, 3e6, 1e6}, {3e6, 3e6, 9e6, 6e6, 0}},
		90 * time.Second, 100_000_000},
		{"cop(program=values)", []copRound{{9e6, 3e6, 6e6, 2e6, 1e6}}, time.Second, 1_000_000},
		{"cop(slots=8,program=values)", []copRound{{9e6, 2.99e6, 6e6, 2e6, 1e6}}, time.Second, 1_000_000}}
	text := CopTables(speeds, machines)
	for _, want := range []string{
		"| sampler |                       60.78 |             19.95 | met |",
		"| all     |                        42.5 |                15 | missed |",
		"at least 50 million microinstructions",
		"| `cop`  |  3.0 M (2.5–3.5) | 2.0 M (1.5–2.5) | 6.0 M (5.5–7.5) | 50.0 % | 16.7 % | 100 M in 90 s | none |",
		"33.3 % | 16.7 % | 1 M in 1 s | met |",
		"| 9.0 M (9.0–9.0) | 3.0 M (3.0–3.0) | 6.0 M (6.0–6.0) | 33.3 % | 16.7 % | 1 M in 1 s | missed |",
	} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("the tables have no %s:\n%s", want, text)
		}
	}
}
