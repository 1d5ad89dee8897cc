package profile_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
)

// Comments of merged profiles are one where they say the same of each: counts are the sum, shares the range.
func TestMergedComments(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []string // the comments of each
		want  string
	}{
		{"what is the same", []string{"pep: exact, every path counted", "pep: exact, every path counted"}, "pep: exact, every path counted"},
		{"counts that not all have", []string{
			"pep: sampled PEP(64,17), tick 10ms cpu, 574 ticks, 36672 samples, 0 dropped, 0 shortened, sampling took 178ms, 3.04% (budget 4.00%), bursts weigh like 401 equal ones",
			"pep: sampled PEP(64,17), tick 10ms cpu, 519 ticks, 33152 samples, 0 dropped, 2 shortened, 1 overruns, 7 without labels, which are too long or too many, sampling took 160ms, 2.90% (budget 4.00%), bursts weigh like 350 equal ones",
			"pep: sampled PEP(64,17), tick 10ms cpu, 1 ticks, 64 samples, 0 dropped, 0 shortened, 2 overruns, damaged: 3 entries with a wrong hash, sampling took 0ms, 3.50% (budget 4.00%), bursts weigh like 1 equal ones",
		}, "pep: sampled PEP(64,17), tick 10ms cpu, 1094 ticks, 69888 samples, 0 dropped, 2 shortened, 3 overruns, damaged: 3 entries with a wrong hash, 7 without labels, which are too long or too many, sampling took 338ms, 2.90-3.50% (budget 4.00%), bursts weigh like 752 equal ones"},
		{"settings that differ", []string{
			"pep: sampled PEP(64,17), tick 10ms cpu, 5 ticks, 3 samples", "pep: sampled PEP(64,17), tick 4ms cpu, 6 ticks, 2 samples", "pep: sampled PEP(64,17), tick 10ms cpu, 7 ticks, 1 samples",
		}, "pep: sampled PEP(64,17), tick 10ms cpu, 12 ticks, 4 samples\npep: sampled PEP(64,17), tick 4ms cpu, 6 ticks, 2 samples"},
		{"what happened in one run", []string{
			"pep: sampled PEP(64,17), 5 ticks, 3 samples, until the disk was full or the file was cut off 31ms after the start", "pep: sampled PEP(64,17), 6 ticks, 2 samples",
		}, "pep: sampled PEP(64,17), 5 ticks, 3 samples, until the disk was full or the file was cut off 31ms after the start\npep: sampled PEP(64,17), 6 ticks, 2 samples"},
		{"bursts of taps", []string{
			"pep: taps, every event counted, in bursts, by interrupt, 40 events, 0 dropped, 40 taken in 2 bursts of 900 events in 70us of 40000us; what is not listed may have happened up to 30 times",
			"pep: taps, every event counted, in bursts, by interrupt, 60 events, 1 dropped, 60 taken in 3 bursts of 100 events in 30us of 60000us; what is not listed may have happened up to 50 times",
		}, "pep: taps, every event counted, in bursts, by interrupt, 100 events, 1 dropped, 100 taken in 5 bursts of 1000 events in 100us of 100000us; what is not listed may have happened up to 80 times"},
		{"lists of what is outside", []string{
			"pep: 97.4% of 574 ticks were outside of instrumented functions: runtime 74.9%, main.f1 (inlined) 21.6%, sort 0.9%",
			"pep: 96.0% of 100 ticks were outside of instrumented functions: runtime 80.0%, time 3.0%, main.f1 (inlined) 13.0% (-peppkg=all instruments more)",
		}, "pep: 96.0-97.4% of 674 ticks were outside of instrumented functions: runtime 74.9-80.0%, main.f1 (inlined) 13.0-21.6%, … (-peppkg=all instruments more)"},
		{"lists that were cut, without a name in common", []string{
			"pep: 97.4% of 574 ticks were outside of instrumented functions: a 50.0%, …", "pep: 97.4% of 6 ticks were outside of instrumented functions: b 60.0%, …",
		}, "pep: 97.4% of 580 ticks were outside of instrumented functions: …"},
		{"shares of calls", []string{
			"pep: 28.6% of calls on paths go outside of functions with taps: sync.(*Mutex).Unlock 14.3%, slices.Sort[go.shape.int,go.shape.int] 14.2% (-peppkg=all taps more); 43.7% go through interfaces and function values, their targets are not known; calls by functions outside or with one path are not counted",
			"pep: 28.2% of calls on paths go outside of functions with taps: sync.(*Mutex).Unlock 14.3%, slices.Sort[go.shape.int,go.shape.int] 14.0% (-peppkg=all taps more); calls by functions outside or with one path are not counted",
		}, "pep: 28.2-28.6% of calls on paths go outside of functions with taps: sync.(*Mutex).Unlock 14.3%, slices.Sort[go.shape.int,go.shape.int] 14.0-14.2% (-peppkg=all taps more); 0.0-43.7% go through interfaces and function values, their targets are not known; calls by functions outside or with one path are not counted"},
		{"quiet taps", []string{
			"pep: 18.2% of 110 ticks were in functions whose taps no burst has seen: p.G 18.2%; their taps did not execute, or are in a loop that began before the burst and has no test for one (an innermost loop that calls nothing)",
			"pep: 1.1% of 90 ticks were in functions whose taps no burst has seen: p.G 1.1%; their taps did not execute, or are in a loop that began before the burst and has no test for one (an innermost loop that calls nothing)",
		}, "pep: 1.1-18.2% of 200 ticks were in functions whose taps no burst has seen: p.G 1.1-18.2%; their taps did not execute, or are in a loop that began before the burst and has no test for one (an innermost loop that calls nothing)"},
		{"numbers of the program, not of the run", []string{
			"pep: 3 of 20 taps see only some calls of their functions: main.f, main.g.", "pep: 3 of 20 taps see only some calls of their functions: main.f, main.g.",
		}, "pep: 3 of 20 taps see only some calls of their functions: main.f, main.g."},
		{"comments of others", []string{"5 ticks, 3.0%\nmine", "5 ticks, 3.0%", "5 ticks, 3.0%"}, "5 ticks, 3.0%\nmine"},
		{"many parts", []string{"pep: sampled" + strings.Repeat(", 7 x", 200), "pep: sampled" + strings.Repeat(", 7 x", 200)}, "pep: sampled" + strings.Repeat(", 7 x", 200)},
	} {
		var all []*profile.File
		for i, comments := range test.files {
			text := "profile paths\n"
			for c := range strings.Lines(comments) {
				text += fmt.Sprintf("comment %q\n", strings.TrimSuffix(c, "\n"))
			}
			data, err := proftest.Encode(text + fmt.Sprintf("period 10000000 cpu/nanoseconds\npath func=main.f at=x.go:1 path=p%d count=1 flow=1\n", i))
			if err != nil {
				t.Fatal(err)
			}
			f, err := profile.Parse(fmt.Sprintf("%d.paths.pb.gz", i), bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, f)
		}
		merged := func(files ...*profile.File) *profile.File {
			f, err := profile.Merge(files)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		if d := cmp.Diff(strings.Split(test.want, "\n"), merged(all...).Comments); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
		// What is merged merges again, to the same.
		step := all[0]
		for _, f := range all[1:] {
			step = merged(step, f)
		}
		if test.name != "comments of others" && !slices.Equal(step.Comments, strings.Split(test.want, "\n")) {
			t.Errorf("%s: one after the other: %q", test.name, step.Comments)
		}
	}
}
