package peppaper

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/schema"
)

// Each outcome has the count of the opposite one, also if that never happened. Of a switch the most frequent clause is
// the rarest.
func TestFlippedOutcomes(t *testing.T) {
	edges := func(counts map[string]int64) []byte {
		f := &pprof.Profile{SampleType: []*pprof.ValueType{{Type: "edges", Unit: "count"}}}
		f.Function = []*pprof.Function{{ID: 1, Name: "f"}}
		f.Location = []*pprof.Location{{ID: 1, Line: []pprof.Line{{Function: f.Function[0]}}}}
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			branch, outcome, _ := strings.Cut(name, " ")
			f.Sample = append(f.Sample, &pprof.Sample{Location: f.Location, Value: []int64{counts[name]},
				Label: map[string][]string{schema.Branch: {branch}, schema.Outcome: {outcome}}})
		}
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	flipped, err := flip(edges(map[string]int64{"1:1 true": 9, "1:1 false": 1, "2:1 true": 7, "3:1 body": 5, "3:1 done": 2,
		"4:1 case 1": 8, "4:1 case 2": 4, "4:1 case 3": 1, "5:1 case 1": 3, "5:1 default": 6}))
	if err != nil {
		t.Fatal(err)
	}
	f, err := pprof.ParseData(flipped)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for _, s := range f.Sample {
		got[s.Label[schema.Branch][0]+" "+s.Label[schema.Outcome][0]] += s.Value[0]
	}
	want := map[string]int64{"1:1 true": 1, "1:1 false": 9, "2:1 false": 7, "3:1 body": 2, "3:1 done": 5,
		"4:1 case 1": 1, "4:1 case 2": 4, "4:1 case 3": 8, "5:1 case 1": 6, "5:1 default": 3}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
