package facts_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/format/facts"
)

func decode(t *testing.T, text string) facts.List {
	t.Helper()
	if !facts.In(text) {
		t.Fatalf("%s: no facts", text)
	}
	f, problem := facts.Decode(text)
	if problem != "" {
		t.Fatalf("%s: %s", text, problem)
	}
	return f
}

// The facts and the sentences of profiles. The sentences are as people have written them down.
func TestSentences(t *testing.T) {
	for _, test := range []struct {
		facts string
		want  []string
	}{
		{"#pep.version=1", nil},
		{"#pep.version=1 mode=exact", []string{"pep: exact, every path counted"}},
		{"#pep.version=1 mode=exact no_table=7 damaged_counters=2 unended=3 unknown_paths=4 detached=31999999", []string{
			"pep: exact, every path counted, but 7 paths and calls of packages without a site table, damaged: 2 counters are too large to be right, 3 have not ended, 4 of functions unknown to the site tables, until the disk was full or the file was cut off 31ms after the start",
		}},
		{"#pep.version=1 mode=sampled burst=64 stride=17 tick=10000000 clock=cpu budget=40000 ticks=574 samples=36672 overruns=1 stopped=clock_nanosleep:%20operation%20not%20permitted sampling_time=178900000 tick_time=5884868 cpu_time=5884868421 equal_bursts=401", []string{
			"pep: sampled PEP(64,17), tick 10ms cpu, 574 ticks, 36672 samples, 0 dropped, 0 shortened, 1 overruns, sampling stopped: clock_nanosleep: operation not permitted, sampling took 178ms, 3.04% (budget 4.00%), of which ticks 0.10%, bursts weigh like 401 equal ones",
		}},
		{"#pep.version=1 mode=sampled form=windows tick=10000000 clock=cpu budget=20000 ticks=214 samples=900 windows=214 sampling_time=32612908 budget_time=39045450 budget_end=13554 cpu_time=2180000000", []string{
			"pep: sampled in windows, tick 10ms cpu, 214 ticks, 900 samples, 0 dropped, 0 shortened, 214 windows, sampling took 32ms, 1.50% (budget 1.79% on average, 1.36% at the end)",
		}},
		{"#pep.version=1 mode=sampled form=windows tick=10000000 clock=cpu budget=5000 sampling_time=1000000 budget_time=5000000 budget_end=5000 cpu_time=1000000000", []string{
			"pep: sampled in windows, tick 10ms cpu, 0 ticks, 0 samples, 0 dropped, 0 shortened, sampling took 1ms, 0.10% (budget 0.50%)",
		}},
		{"#pep.version=1 mode=sampled form=jikes burst=1 stride=1 tick=1500000 clock=wall dropped=1 shortened=2 repeated_callers=3 cycles_left_out=4 middle_left_out=5 outermost_left_out=6 without_labels=7 damaged_entries=8 damaged_labels=9 not_counted=10 not_taken=11", []string{
			"pep: sampled jikes PEP(1,1), tick 1500us wall, 0 ticks, 0 samples, 1 dropped, 2 shortened, 3 with repeated callers of recursion left out, 4 with cycles of recursion left out, 5 with callers in the middle left out, 6 without the outermost callers of a deep stack, 7 without labels, which are too long or too many, damaged: 8 entries with a wrong hash, damaged: 9 entries whose labels have a wrong hash, 10 taken but not counted, damaged: 11 counted but not taken",
		}},
		{"#pep.version=1 mode=taps engine=H[P256]2048@mul deliver=service events=60 in_engines=1 engines_merged=2 engines_merged_roughly=3 in_buffers=4 other=5 no_room=6 unsure=7 handled=10 handling_time=999 gap_min=0 gap_p1=80 labels_not_told=1 unknown_taps=8", []string{
			"pep: taps, engine H[P256]2048@mul, by service, 60 events, 0 dropped, 1 left in engines, 2 engines merged, 3 engines merged, so that counts are approximate, 4 left in buffers, 5 of words without space, as other, 6 without space, 7 at most counted twice or not at all when the program was killed, gap between messages at least 0ns, p1 80ns, 99ns to handle one, without labels of goroutines, which engines and 32-bit programs do not tell apart, 8 at taps unknown to the site tables",
		}},
		{"#pep.version=1 mode=replay engine=cop(program%3ddeps) events=8 messages=2",
			[]string{"pep: replay, engine cop(program=deps), 8 events in 2 messages"}},
		{"#pep.version=1 mode=exact ticks_placed=250 ticks_outside=245 ticks_outside_in/a/b=139 ticks_outside_in/c=75 ticks_outside_in/code%20outside%20of%20Go=31 ticks_more=25 calls=1000 calls_open=120 calls_sampled=1", []string{
			"pep: exact, every path counted",
			"pep: 98.0% of 250 ticks were outside of instrumented functions: a/b 55.6%, c 30.0%, code outside of Go 12.4% (-peppkg=all instruments more)",
			"pep: 0.0% of calls on paths go outside of instrumented functions; 12.0% go through interfaces and function values, their targets are not known; calls by functions outside or with one path are not counted",
		}},
		{"#pep.version=1 mode=taps deliver=interrupt ticks_placed=250 ticks_outside=60 ticks_outside_in/a=10 ticks_outside_in/b=10 ticks_outside_in/c=10 ticks_outside_in/d=10 ticks_outside_in/e=10 ticks_outside_in/f=10 ticks_more=24 calls=10 calls_outside=2 calls_outside_to/x=1", []string{
			"pep: taps, every event counted, by interrupt, 0 events, 0 dropped",
			"pep: 24.0% of 250 ticks were outside of functions with taps: a 4.0%, b 4.0%, c 4.0%, d 4.0%, e 4.0%, …",
			"pep: 20.0% of calls on paths go outside of functions with taps: x 10.0%, …; calls by functions outside are not counted",
		}},
	} {
		if d := cmp.Diff(test.want, decode(t, test.facts).Sentences()); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.facts, d)
		}
	}
}

// What is written is read, whatever names and texts are.
func TestRoundTrip(t *testing.T) {
	odd := "a b=c%20/d\n\x00\x7f\xff·é"
	var f facts.List
	f.SetText(facts.Mode, facts.ModeTaps)
	f.SetText(facts.Engine, odd)
	f.SetText(facts.Form, "")
	f.Set(facts.Ticks, 0)
	f.Set(facts.Events, 1<<64-1) // more than there are digits: as a counter that is full
	f.SetName(facts.TicksOutsideIn, odd, 3)
	f.SetName(facts.TicksOutsideIn, "", 2)
	text := f.Encode()
	if strings.ContainsAny(text, "\n\x00\x7f") || strings.Count(text, " ") != 5 {
		t.Errorf("%q", text)
	}
	want := facts.List{
		{Key: facts.Mode, Text: "taps"}, {Key: facts.Engine, Text: odd}, {Key: facts.Events, N: 999_999_999_999_999_999},
		{Key: facts.TicksOutsideIn, Name: odd, N: 3}, {Key: facts.TicksOutsideIn, N: 2},
	}
	if d := cmp.Diff(want, decode(t, text)); d != "" {
		t.Errorf("%s (-want +got):\n%s", text, d)
	}
}

// Profiles with the same settings add up, and others stay apart. The sums are computed by hand.
func TestMerge(t *testing.T) {
	const sampled = "#pep.version=1 mode=sampled burst=64 stride=17 tick=10000000 clock=cpu"
	for _, test := range []struct {
		name       string
		list, want []string
	}{
		{"what is the same", []string{"#pep.version=1 mode=exact", "#pep.version=1 mode=exact"},
			[]string{"#pep.version=1 mode=exact"}},
		{"counts that not all have", []string{
			sampled + " ticks=574 samples=36672 sampling_time=178 cpu_time=5000 equal_bursts=401",
			sampled + " ticks=519 samples=33152 shortened=2 overruns=1 without_labels=7 sampling_time=160 cpu_time=4000 equal_bursts=350",
			sampled + " ticks=1 samples=64 overruns=2 damaged_entries=3 cpu_time=1000 equal_bursts=1",
		}, []string{sampled + " ticks=1094 samples=69888 shortened=2 overruns=3 without_labels=7 sampling_time=338 cpu_time=10000 damaged_entries=3 equal_bursts=752"}},
		{"settings that differ", []string{sampled + " ticks=5",
			strings.Replace(sampled, "stride=17", "stride=16", 1) + " ticks=6", sampled + " ticks=7"},
			[]string{sampled + " ticks=12", strings.Replace(sampled, "stride=17", "stride=16", 1) + " ticks=6"}},
		{"what happened in one run", []string{sampled + " ticks=5 detached=31", sampled + " ticks=6"},
			[]string{sampled + " ticks=5 detached=31", sampled + " ticks=6"}},
		{"the least gap, and no percentile", []string{
			"#pep.version=1 mode=taps deliver=service events=1",
			"#pep.version=1 mode=taps deliver=service events=1 handled=3 handling_time=30 gap_min=7 gap_p1=9",
			"#pep.version=1 mode=taps deliver=service events=1 handled=4 handling_time=50 gap_min=0 gap_p1=9",
		}, []string{"#pep.version=1 mode=taps deliver=service events=3 handled=7 handling_time=80 gap_min=0"}},
		{"lists that are complete", []string{
			"#pep.version=1 mode=exact ticks_placed=100 ticks_outside=60 ticks_outside_in/a=40 ticks_outside_in/b=20",
			"#pep.version=1 mode=exact ticks_placed=50 ticks_outside=45 ticks_outside_in/b=30 ticks_outside_in/c=15 ticks_more=9",
		}, []string{"#pep.version=1 mode=exact ticks_placed=150 ticks_outside=105 ticks_outside_in/b=50 ticks_outside_in/a=40 ticks_outside_in/c=15 ticks_more=9"}},
		// The second list may have had a, and the first one may not have had c.
		{"a list that was cut", []string{
			"#pep.version=1 mode=exact calls=100 calls_outside=60 calls_outside_to/a=40 calls_outside_to/b=20",
			"#pep.version=1 mode=exact calls=50 calls_outside=49 calls_outside_to/b=30 calls_outside_to/c=15",
		}, []string{"#pep.version=1 mode=exact calls=150 calls_outside=109 calls_outside_to/b=50 calls_outside_to/c=15"}},
	} {
		var all []facts.List
		for _, text := range test.list {
			all = append(all, decode(t, text))
		}
		encoded := func(list []facts.List, problem string) (texts []string) {
			if problem != "" {
				t.Fatalf("%s: %s", test.name, problem)
			}
			for _, f := range list {
				texts = append(texts, f.Encode())
			}
			return texts
		}
		if d := cmp.Diff(test.want, encoded(facts.Merge(all))); d != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, d)
		}
		// What is merged merges again, to the same.
		step := all[:1]
		for _, f := range all[1:] {
			step, _ = facts.Merge(append(step[:len(step):len(step)], f))
		}
		if d := cmp.Diff(test.want, encoded(step, "")); d != "" {
			t.Errorf("%s, one after the other (-want +got):\n%s", test.name, d)
		}
	}
	f := facts.List{{Key: facts.Ticks, N: 6e17}}
	if _, problem := facts.Merge([]facts.List{f, f}); !strings.Contains(problem, "ticks add up to more than 18 digits") {
		t.Errorf("got %q", problem)
	}
}

// Long lists keep the highest numbers.
func TestMergedListsDoNotGrow(t *testing.T) {
	var f, g facts.List
	for i := range facts.CallsOutsideTo.MaxNames() {
		f.SetName(facts.TicksOutsideIn, string(rune('a'+i)), uint64(100-i))
		g.SetName(facts.TicksOutsideIn, string(rune('À'+i)), uint64(1000-i))
	}
	sums, problem := facts.Merge([]facts.List{f, g})
	if problem != "" || len(sums) != 1 || len(sums[0]) != facts.CallsOutsideTo.MaxNames() {
		t.Fatalf("%v %s", sums, problem)
	}
	if d := cmp.Diff(g, sums[0]); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestDamagedFacts(t *testing.T) {
	for text, want := range map[string]string{
		"#pep.version=":                                            "damaged: #pep.version= is no version",
		"#pep.version=one":                                         "damaged: #pep.version=one is no version",
		"#pep.version=1 ticks":                                     "damaged: its fact ticks is no number of up to 18 digits",
		"#pep.version=1 ticks=-1":                                  "damaged: its fact ticks=-1 is no number of up to 18 digits",
		"#pep.version=1 ticks=1234567890123456789":                 "damaged: its fact ticks=1234567890123456789 is no number of up to 18 digits",
		"#pep.version=1 tocks=1":                                   "damaged: its fact tocks=1 is unknown",
		"#pep.version=1 version=1":                                 "damaged: its fact version=1 is unknown",
		"#pep.version=1  ticks=1":                                  "damaged: its fact  is unknown",
		"#pep.version=1 ticks=1 ticks=1":                           "damaged: it has the fact ticks=1 twice",
		"#pep.version=1 ticks_outside_in/a=1 ticks_outside_in/a=2": "damaged: it has the fact ticks_outside_in/a=2 twice",
		"#pep.version=1 mode=guessed":                              "damaged: its fact mode=guessed is no mode",
		"#pep.version=1 engine=":                                   "damaged: its fact engine= is no text",
		"#pep.version=1 engine=%2":                                 "damaged: its fact engine=%2 is no text",
		"#pep.version=1 engine=%2g":                                "damaged: its fact engine=%2g is no text",
		"#pep.version=1 ticks/a=1":                                 "damaged: its fact ticks/a=1 has no name that can be read",
		"#pep.version=1 ticks_outside_in=1":                        "damaged: its fact ticks_outside_in=1 has no name that can be read",
		"#pep.version=1 ticks_outside_in/%zz=1":                    "damaged: its fact ticks_outside_in/%zz=1 has no name that can be read",
		"#pep.version=1" + strings.Repeat(" ticks=1", 999):         "damaged: it has the fact ticks=1 twice",
	} {
		if _, problem := facts.Decode(text); problem != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, problem, want)
		}
	}
	// Another version may have other facts.
	_, problem := facts.Decode("#pep.version=2 tocks=1")
	if !strings.HasPrefix(problem, "of version 2, and this pep reads version 1: ") {
		t.Error(problem)
	}
}

// The keys of lists stand behind those of their sums, and no two keys have the same name.
func TestKeys(t *testing.T) {
	for _, k := range []facts.Key{facts.TicksOutsideIn, facts.TicksInsideIn, facts.CallsOutsideTo} {
		list, sum := facts.List{{Key: k, Name: "x", N: 1}}, facts.List{{Key: k - 1, N: 1}}
		name, _, _ := strings.Cut(strings.TrimPrefix(list.Encode(), "#pep.version=1 "), "_in/")
		name, _, _ = strings.Cut(name, "_to/")
		if got := sum.Encode(); got != "#pep.version=1 "+name+"=1" {
			t.Errorf("%s is behind %s", list.Encode(), got)
		}
	}
	var all facts.List
	seen := map[string]bool{}
	for k := facts.Mode; k <= facts.CallsSampled; k++ {
		text := facts.List{{Key: k, N: 1, Text: facts.ModeExact}}.Encode()
		name, _, _ := strings.Cut(strings.TrimPrefix(text, "#pep.version=1 "), "=")
		if seen[name] || name == "" {
			t.Errorf("key %d has the name %q of another", k, name)
		}
		seen[name] = true
		all = append(all, decode(t, text)...)
	}
	if len(all) != len(seen) {
		t.Errorf("%d facts of %d keys", len(all), len(seen))
	}
}
