package report

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
)

// Two of four windows are in the log. The first stands for three times as many as the second, so of the five loads, those of
// the first are 15/11 each and those of the second 5/11. Of the 600 ns that the first has waited, a load that is 6 cycles late
// has 6/406, and one that is 400 late the rest. The second has waited 200, but none of its loads was late, so the others have
// waited a third longer; and all of that twice, for the windows that are not in the log.
func TestLoads(t *testing.T) {
	l := Loads{
		Near: 52, Memory: 364, All: 4, Text: 0x400000,
		Windows: []LoadWindow{
			{Weight: 3, Waiting: 600, Loads: []TimedLoad{{0x10, 72}, {0x10, 78}, {0x20, 472}}},
			{Weight: 1, Waiting: 200, Loads: []TimedLoad{{0x20, 0}, {0x20, 72}}},
		},
		At: func(pc uint32) []Frame {
			return []Frame{{Func: "m.next", File: "m.go", Line: int(pc)}, {Func: "m.walk", File: "m.go", Line: 9}}
		},
	}
	files := l.Write(&Profile{Facts: facts.List{{Key: facts.Mode, Text: facts.ModeSampled}, {Key: facts.Samples, N: 99}}})
	if len(files) != 1 || files[0].Kind != string(schema.Loads) {
		t.Fatalf("%d files", len(files))
	}
	p, err := profile.Parse(bytes.NewReader(files[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range p.Sample {
		got = append(got, fmt.Sprint(s.Location[0].Line[0].Line, s.Label["expr"], s.Label["value"], s.Value, len(s.Location)))
		if s.NumLabel[schema.ShareError][0]+s.NumLabel[schema.ShareBelow][0] == 0 {
			t.Errorf("%v has no bounds", s.Label)
		}
	}
	want := []string{
		"16 [0x400010] [latency=near cache] [1364 1 0] 2",
		"16 [0x400010] [latency=far cache] [1364 1 24] 2",
		"32 [0x400020] [latency=near cache] [455 1 0] 2",
		"32 [0x400020] [latency=memory] [1364 1 1577] 2",
		"32 [0x400020] [latency=written] [455 1 0] 2",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if types := fmt.Sprint(p.SampleType[2].Type, " ", p.SampleType[2].Unit, " ", p.DefaultSampleType); types != "wait nanoseconds wait" {
		t.Errorf("sample types %s", types)
	}
	if want := "pep: sampled PEP(0,0), tick 0s , 0 ticks, 5 samples, 0 dropped, 0 shortened, the near cache takes 72 cycles at most, the far one 208 cycles"; p.Comments[0] != want {
		t.Errorf("comment %q", p.Comments[0])
	}
	if files := (&Loads{Windows: []LoadWindow{{Weight: 1}}}).Write(&Profile{}); files != nil {
		t.Errorf("without loads there are %d files", len(files))
	}
}
