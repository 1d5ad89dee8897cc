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
		{"what happened in one run", []string{sampled + " ticks=5 counted_until=31", sampled + " ticks=6"},
			[]string{sampled + " ticks=5 counted_until=31", sampled + " ticks=6"}},
		{"the least gap, and no percentile", []string{
			"#pep.version=1 mode=taps deliver=service events=1",
			"#pep.version=1 mode=taps deliver=service events=1 messages_handled=3 handling_time=30 message_gap_min=7 message_gap_p1=9",
			"#pep.version=1 mode=taps deliver=service events=1 messages_handled=4 handling_time=50 message_gap_min=0 message_gap_p1=9",
		}, []string{"#pep.version=1 mode=taps deliver=service events=3 messages_handled=7 handling_time=80 message_gap_min=0"}},
		{"lists that are complete", []string{
			"#pep.version=1 mode=exact ticks_placed=100 ticks_outside=60 ticks_outside_in/a=40 ticks_outside_in/b=20",
			"#pep.version=1 mode=exact ticks_placed=50 ticks_outside=45 ticks_outside_in/b=30 ticks_outside_in/c=15 ticks_peppkg_all=9",
		}, []string{"#pep.version=1 mode=exact ticks_placed=150 ticks_outside=105 ticks_outside_in/b=50 ticks_outside_in/a=40 ticks_outside_in/c=15 ticks_peppkg_all=9"}},
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
