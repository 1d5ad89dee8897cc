package report

import (
	"testing"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
)

// The facts of profiles and all that is said of them. The sentences are as people have written them down.
func TestMade(t *testing.T) {
	for _, test := range []struct{ facts, want string }{
		{"", ""},
		{" mode=exact", "Exact: every path was counted."},
		{" mode=cover unended=3", "For coverage: every path was counted, up to the next decision. Of note: 3 have not ended."},
		{" mode=exact without_site_table=7 damaged_counters=2 unended=3 unknown_paths=4 counted_until=31999999",
			"Exact: every path was counted. Of note: 7 paths and calls of packages without a site table, damaged: 2 counters are too large to be right, 3 have not ended, 4 of functions unknown to the site tables, until the disk was full or the file was cut off 31ms after the start."},
		{" mode=sampled burst=64 stride=17 tick=10000000 clock=cpu budget=40000 ticks=574 samples=36672 overruns=1 stopped=clock_nanosleep:%20operation%20not%20permitted sampling_time=178900000 tick_time=5884868 cpu_time=5884868421 equal_bursts=401",
			"Sampled: 36672 paths at 574 ticks, at most one each 10ms of CPU time, which took 3.0% of the CPU time. Each sample counts once, and ticks find loops with long rounds more often: their shares are too large. Of note: PEP(64,17), a budget of 4.00% at first, 574 ticks, 1 overruns, sampling stopped: clock_nanosleep: operation not permitted, ticks took 0.10% of the CPU time, bursts weigh like 401 equal ones."},
		{" mode=sampled form=windows tick=10000000 clock=cpu budget=20000 ticks=214 samples=900 windows=214 sampling_time=32612908 budget_time=39045450 budget_end=13554 cpu_time=2180000000",
			"Sampled: 900 paths in 214 windows, at most one each 10ms of CPU time, which took 1.5% of the CPU time of a budget of 1.8% on average and 1.4% at the end. Of note: a budget of 2.00% at first, 214 ticks."},
		{" mode=sampled form=jikes burst=1 stride=1 tick=1500000 clock=wall samples=1 ticks=1 dropped=1 shortened=2 repeated_callers=3 cycles_left_out=4 middle_left_out=5 outermost_left_out=6 without_labels=7 damaged_entries=8 damaged_labels=9 taken_not_counted=10 counted_not_taken=11",
			"Sampled: 1 path at 1 tick, one each 1.5ms of wall-clock time. Each sample counts once, and ticks find loops with long rounds more often: their shares are too large. Of note: jikes PEP(1,1), 1 ticks, 1 dropped, 2 shortened, 3 with repeated callers of recursion left out, 4 with cycles of recursion left out, 5 with callers in the middle left out, 6 without the outermost callers of a deep stack, 7 without labels, which are too long or too many, damaged: 8 entries with a wrong hash, damaged: 9 entries whose labels have a wrong hash, 10 taken but not counted, damaged: 11 counted but not taken."},
		{" mode=taps engine=H[P256]2048@mul deliver=service events=60 left_in_engines=1 engines_merged=2 engines_merged_roughly=3 left_in_buffers=4 counted_as_other=5 without_space=6 unsure_when_killed=7 messages_handled=10 handling_time=999 message_gap_min=0 message_gap_p1=80 labels_not_told=1 unknown_taps=8",
			"Taps, engine H[P256]2048@mul, by service, 60 events. Of note: 1 left in engines, 2 engines merged, 3 engines merged, so that counts are approximate, 4 left in buffers, 5 of words without space, as other, 6 without space, 7 at most counted twice or not at all when the program was killed, gap between messages at least 0ns, p1 80ns, 99ns to handle one, without labels of goroutines, which engines and 32-bit programs do not tell apart, 8 at taps unknown to the site tables."},
		{" mode=taps deliver=interrupt events=1", "Taps, every event counted, by interrupt, 1 event."},
		{" mode=replay engine=cop(program%3ddeps) events=8 messages=2", "Replay, engine cop(program=deps), 8 events in 2 messages."},
	} {
		list, problem := facts.Decode(facts.Mark + "1" + test.facts)
		if problem != "" {
			t.Fatalf("%s: %s", test.facts, problem)
		}
		if got := (Profile{Kind: schema.Paths}).made(list, true); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.facts, got, test.want)
		}
	}
}

// Notes are in the order of keys, each once.
func TestNotes(t *testing.T) {
	for i, n := range notes[1:] {
		if n.key <= notes[i].key {
			t.Errorf("the note of key %d is behind that of key %d", n.key, notes[i].key)
		}
		if (n.format == "") == (n.say == nil) {
			t.Errorf("key %d: want either a format or a function", n.key)
		}
	}
}
