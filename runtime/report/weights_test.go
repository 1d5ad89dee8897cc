package report_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/report"
)

// settings is the facts of a profile.
var settings = facts.List{{Key: facts.Mode, Text: facts.ModeSampled}, {Key: facts.Burst, N: 8},
	{Key: facts.Stride, N: 1}, {Key: facts.Tick, N: 1e7}, {Key: facts.Clock, Text: "cpu"}}

// comment is the comment of a profile with these facts.
const comment = "#pep.version=1 mode=sampled burst=8 stride=1 tick=10000000 clock=cpu"

// sampled writes the profiles of bursts, each of which is a list of samples' indices. The fourth sample is not in any
// burst, and the fifth is of another function than the others.
func sampled(t *testing.T, bursts ...[]int32) (paths, edges *profile.Profile) {
	t.Helper()
	p := report.Profile{
		Packages: wire.Whole(tables()...), Frames: frames, Sampled: true,
		Samples: []report.Sample{
			{Number: 5 + 1, Stack: []uint32{inF, main1}},
			{Number: 5 + 1, Stack: []uint32{inF}},
			{Number: 5 + 3, Stack: []uint32{inF, main1}},
			{Number: 5 + 0, Stack: []uint32{inF, main1}, Count: 1},
			{Number: 5 + 4, Stack: []uint32{inG, main1}},
		},
		Facts: settings, PeriodType: pprofenc.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1e7,
	}
	for _, list := range bursts {
		c := report.Cluster{Stands: 1, Weight: 1}
		for _, s := range list {
			p.Samples[s].Count++
			i := slices.Index(c.Samples, s)
			if i < 0 {
				i, c.Samples, c.Counts = len(c.Samples), append(c.Samples, s), append(c.Counts, 0)
			}
			c.Counts[i]++
		}
		p.Clusters = append(p.Clusters, c)
	}
	known := 0.
	for i := range p.Samples {
		p.Samples[i].Stands = float64(p.Samples[i].Count)
		known += p.Samples[i].Stands
	}
	p.Equal = known / max(known-1, 1) * float64(len(bursts)) // as if the sample that is in no burst were a part of one
	parsed := make([]*profile.Profile, 2)
	for i, f := range p.Write() {
		var err error
		if parsed[i], err = profile.ParseData(f.Data); err != nil {
			t.Fatal(err)
		}
	}
	return parsed[0], parsed[1]
}

// values returns the values of samples with a label, added up.
func values(p *profile.Profile, key, value string) (sums []int64) {
	sums = make([]int64, len(p.SampleType))
	for _, s := range p.Sample {
		if len(s.Label[key]) > 0 && s.Label[key][0] == value || key == "path" && fmt.Sprint(s.NumLabel[key]) == "["+value+"]" {
			for i, v := range s.Value {
				sums[i] += v
			}
		}
	}
	return sums
}

// Bursts that are alike weigh alike. Then counts are 1000 times the samples, and the
// variance follows from the bursts by hand, in which each path has all samples or none.
func TestEstimatesOfBurstsThatAreAlike(t *testing.T) {
	a, b := []int32{0, 0, 1, 0}, []int32{2, 2, 2, 2}
	paths, edges := sampled(t, a, b, a, b, a, b, a, b)
	var types []string
	for _, st := range append(paths.SampleType, edges.SampleType...) {
		types = append(types, st.Type)
	}
	if got := strings.Join(types, " "); got != "paths branch_flow samples variance cpu edges samples variance independent" {
		t.Fatal(got)
	}
	near := func(what string, got int64, want float64) {
		if math.Abs(float64(got)-want) > want/50 {
			t.Errorf("%s: %d, want about %.0f", what, got, want)
		}
	}
	// p1 has two branches and 16 samples of 32, in 4 bursts of 8. A burst with it is off by
	// 2 samples of its 4, and so is one without it: 8/7 of 8·(2000)². Errors of the same size in all bursts are known
	// with many degrees of freedom. Bursts have 32 of the 33 samples.
	const chance = 33. / 32 * 8 / 7 * 8 * 2000 * 2000
	p1 := values(paths, "path", "1")
	near("count of p1", p1[0], 16_000)
	near("flow of p1", p1[1], 32_000)
	near("samples of p1", p1[2], 16)
	near("variance of p1", p1[3], chance)
	body, done := values(edges, "outcome", "body"), values(edges, "outcome", "done")
	near("count of body", body[0], 16_000)
	near("variance of body", body[2], chance)
	// Outcomes of the same branch: 8 bursts say as much as 7 independent samples, times 33/32, rounded up.
	near("independent samples of body", body[3], 8)
	near("independent samples of done", done[3], 8)
	for _, s := range paths.Sample {
		if s.NumLabel["path"][0] == 0 && fmt.Sprint(s.Value[0], s.Value[2]) != "1000 1" {
			t.Errorf("a path that is in no burst: %v", s.Value)
		}
	}
	if c := paths.Comments[0]; c != comment+" equal_bursts=8" {
		t.Error(c)
	}
	// The variance of a path is shared out to its stacks.
	var parts []float64
	for _, s := range paths.Sample {
		if s.NumLabel["path"][0] == 1 {
			parts = append(parts, float64(s.Value[3])/float64(s.Value[0]))
		}
	}
	if len(parts) != 2 || math.Abs(parts[0]/parts[1]-1) > .02 {
		t.Errorf("variance for each count of p1, by stack: %v", parts)
	}
}

// A path that four of twelve bursts have has a variance that is known with few degrees of freedom.
func TestVarianceOfFewBursts(t *testing.T) {
	var bursts [][]int32
	for range 4 {
		for _, s := range []int32{0, 2, 4} {
			bursts = append(bursts, []int32{s, s, s, s})
		}
	}
	paths, edges := sampled(t, bursts...)
	// In samples: 4 of 12 bursts are off by 4 - 4/3, the others by 4/3. The fourth powers of that, divided by the square
	// of the squares' sum, are 1/8, and 1/(1/8 - 1/12) is half of 48 degrees of freedom.
	const (
		chance = 12. / 11 * (4*64/9. + 8*16/9.) * (1 + 4./48)
		more   = 49. / 48 // samples, in no burst
	)
	want := 1e6 * more * chance
	if got := float64(values(paths, "path", "4")[3]); math.Abs(got/want-1) > .02 {
		t.Errorf("variance %.0f, want %.0f", got, want)
	}
	// The branch in f has 32 samples, half of them with each outcome. By chance 8 bursts are off by 2 samples each, so
	// that they say as much as 7 independent samples.
	if got := values(edges, "outcome", "done")[3]; got != 8 {
		t.Errorf("%v independent samples, want 7*49/48 rounded up", got)
	}
}

// A branch goes the same ways in all bursts, so they have no variance but that of rounded numbers. They are then as
// many independent samples as there are bursts with the branch, and not 10¹⁵.
func TestOutcomesThatAreTheSameInAllBursts(t *testing.T) {
	a, b := []int32{0, 0, 2, 0, 2, 2, 2}, []int32{4, 4, 4}
	for n := 2; n < 10; n++ {
		var bursts [][]int32
		for range n {
			bursts = append(bursts, a, b)
		}
		_, edges := sampled(t, bursts...)
		for _, outcome := range []string{"body", "done"} {
			if got := values(edges, "outcome", outcome)[3]; got < int64(n) || got > int64(n)+1 {
				t.Errorf("%s: %d independent samples in %d bursts", outcome, got, n)
			}
		}
	}
}

// A program that ended before its first tick has no samples, and a profile all the same.
func TestEstimatesOfNothing(t *testing.T) {
	p := report.Profile{Packages: wire.Whole(tables()...), Frames: frames, Sampled: true, Facts: settings,
		PeriodType: pprofenc.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1e7}
	for _, f := range p.Write() {
		got, err := profile.ParseData(f.Data)
		if err != nil || len(got.Sample) != 0 || got.Comments[0] != comment {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// Each sample counts once, however many samples its burst has.
func TestSamplesCountOnce(t *testing.T) {
	a, b := []int32{0, 0, 0, 0, 0, 0, 0, 0}, []int32{2, 2}
	paths, _ := sampled(t, a, b, a, b, a, b, a, b)
	p1, p3 := values(paths, "path", "1"), values(paths, "path", "3")
	// A stack of p1 without a sample counts 1 at least.
	if p1[0] != 32_001 || p3[0] != 8000 || p1[2] != 32 || p3[2] != 8 {
		t.Errorf("counts %d and %d of %d and %d samples, want 32001 and 8000 of 32 and 8", p1[0], p3[0], p1[2], p3[2])
	}
}

// Of windows, each has a weight and stands for a time, and counts a sample several times. What samples stand for is
// known of all windows, and the mean weight of that from those that are in the log. A path that ends at an instruction
// of the function that its function is inlined into keeps that function as its caller.
func TestWindowsHaveWeights(t *testing.T) {
	p := report.Profile{
		Packages: wire.Whole(tables()...), Frames: frames, Sampled: true, Windows: true,
		Samples: []report.Sample{
			{Number: 5 + 1, Stack: []uint32{inF, main1}, Count: 60, Stands: 300, Package: tables()[0].Path},
			{Number: 5 + 3, Stack: []uint32{main1}, Count: 40, Stands: 100, Package: tables()[0].Path},
		},
		Clusters: []report.Cluster{
			{Stands: 1, Weight: 1, Samples: []int32{0, 1}, Counts: []uint32{10, 20}},
			{Stands: 2, Weight: 3, Samples: []int32{0}, Counts: []uint32{30}},
		},
		Facts: settings, PeriodType: pprofenc.ValueType{Type: "cpu", Unit: "nanoseconds"}, Period: 1e7,
	}
	files := p.Write()
	paths, err := profile.ParseData(files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths.Sample) != 2 {
		t.Fatalf("%d samples", len(paths.Sample))
	}
	a, b := paths.Sample[0], paths.Sample[1]
	want := 3 * (1*1*10 + 2*3*30) / (1*10 + 2*30.) // times the mean weight of the first path
	if ratio := float64(a.Value[0]) / float64(b.Value[0]); math.Abs(ratio/want-1) > .001 {
		t.Errorf("the first path has %g times the count of the second, want %g", ratio, want)
	}
	if a.Value[2] != 60 || b.Value[2] != 40 {
		t.Errorf("samples %d and %d, want 60 and 40", a.Value[2], b.Value[2])
	}
	// the log's mean is not that of all
	if sum := a.Value[0] + b.Value[0]; math.Abs(float64(sum)/100/report.Unit-1) > .15 {
		t.Errorf("the counts are %d in all, want 1000 for each of 100 samples", sum)
	}
	if caller := b.Location[2].Line[0].Function.Name; caller != frames[main1].Func {
		t.Errorf("the caller of the second path is %s, want %s", caller, frames[main1].Func)
	}
}
