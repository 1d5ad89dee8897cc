//go:build linux && amd64

package table_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/probe/table"
)

// names has two functions, and two types of one name.
type names struct{}

func (names) Code(addr uint64) string {
	return map[uint64]string{0x1000: "main.f", 0x2000: "main.g"}[addr]
}
func (names) Type(addr uint64) string {
	return map[uint64]string{0x10: "*main.T", 0x50: "main.L", 0x60: "main.L"}[addr]
}

// example is a plan with counts.
func example() (*probe.Plan, *probe.Counts) {
	plan := &probe.Plan{
		Funcs: []probe.Func{{Name: "main.rare", File: "main.go", Line: 3},
			{Name: "main.known", File: "main.go", Line: 35, Timed: true}},
		Sites: []probe.Site{
			{Func: 0, Kind: probe.Line, File: "main.go", Line: 4},
			{Func: 1, Kind: probe.Entry, Words: []probe.Word{
				{Name: "x", Type: "int8", Size: 1, As: probe.Signed},
				{Name: "s", Type: "string", Size: 8, As: probe.Text},
				{Name: "len(s)", Type: "int", Size: 8, As: probe.Signed},
				{Name: "v", Type: "any", Size: 8, As: probe.Dynamic},
				{Name: "y", Type: "float32", Size: 4, As: probe.Float, Memory: true},
			}},
			{Func: 1, Kind: probe.Exit, Slow: true,
				Words: []probe.Word{{Name: "#1", Type: "bool", Size: 1, As: probe.Bool},
					{Name: "p", Type: "*T", Size: 8, As: probe.Pointer}}},
			{Func: 1, Kind: probe.Exit, Words: []probe.Word{{Name: "#1", Type: "bool", Size: 1, As: probe.Bool},
				{Name: "p", Type: "*T", Size: 8, As: probe.Pointer}}},
			{Func: 1, Kind: probe.Edge, File: "main.go", Line: 36, Target: "line 38"},
			{Func: 1, Kind: probe.Call, File: "other.go", Line: 7, Words: []probe.Word{{Size: 8, As: probe.Code}}},
			{Func: 1, Kind: probe.Call, File: "main.go", Line: 40, Target: "main.f"},
		},
		Skipped: []probe.Skipped{{Func: "main.h", What: "inlined calls", Reason: "it is inlined"}},
	}
	word := func(other, faults uint64, pairs ...uint64) (w probe.WordCount) {
		for i := 0; i < len(pairs); i += 2 {
			w.Values = append(w.Values, probe.ValueCount{Value: pairs[i], Count: pairs[i+1]})
		}
		w.Other, w.Faults = other, faults
		return w
	}
	c := &probe.Counts{
		Sites: []probe.SiteCount{
			{Hits: 1},
			{Hits: 10, Words: []probe.WordCount{
				word(0, 0, 7, 5, 0xff, 3, 0x80, 2),
				word(0, 0, 1, 10),
				word(2, 0, 6, 8),
				word(0, 0, 0x10, 9, 0, 1),
				word(0, 1, 0x3fc00000, 9),
			}},
			{Hits: 3, Words: []probe.WordCount{word(0, 0, 1, 3), word(0, 0, 0, 3)}},
			{Hits: 6, Words: []probe.WordCount{word(0, 0, 0, 5, 1, 1), word(0, 0, 1, 6)}},
			{Hits: 10, Taken: 4},
			{Hits: 4, Off: 1500 * time.Millisecond, Words: []probe.WordCount{word(0, 0, 0x2000, 3, 0x99, 1)}},
			{Hits: 0},
		},
		Times: make([]probe.Times, 2),
	}
	c.Times[1] = probe.Times{Calls: 9, NS: 9000, Open: 1}
	c.Times[1].Buckets[10] = 9
	return plan, c
}

func Example() {
	plan, counts := example()
	t := table.New(plan, counts, table.Run{Process: 4711, Program: "/bin/app", Duration: 2e9, Ended: "interrupted"},
		names{}, 2)
	listing.Text(os.Stdout, t)
	// Output:
	// peptrace: process 4711, 2.0 s until interrupted, 7 probes (1 slow), 34 hits
	// -limit switched off 1 of 7 probes, the first after 1.5 s: later hits were not counted; -limit 0 is no limit
	//
	// main.known  main.go:35, 10 calls, 9 returns
	//
	//   duration with the time of probes, 9 calls, mean 1 µs
	//   1 call had not returned at the end
	//     share  count    below
	//   100.00%      9  1.02 µs
	//
	//   arg x int8, 10 hits
	//    share  count  value
	//   50.00%      5  7
	//   30.00%      3  -1
	//   and 1 value more, 20.00%
	//
	//   arg len(s) int, 10 hits
	//    share  count  value
	//   80.00%      8  6
	//   and 2 hits with other values, 20.00%: the tables were full
	//
	//   arg v any, 10 hits
	//    share  count  value
	//   90.00%      9  *main.T
	//   10.00%      1  nil
	//
	//   arg y float32, 10 hits
	//   1 hit without a value: it could not be read
	//    share  count  value
	//   90.00%      9  1.5
	//
	//   result #1 bool, 9 hits
	//    share  count  value
	//   55.56%      5  false
	//   44.44%      4  true
	//
	//   result p *T, 9 hits
	//    share  count  value
	//   66.67%      6  not nil
	//   33.33%      3  nil
	//
	//   branch line 36, 10 hits
	//    share  count  value
	//   60.00%      6  goes on
	//   40.00%      4  jumps to line 38
	//
	//   call other.go:7, 4 hits
	//   switched off after 1.5 s: the hits came faster than the limit, and later ones were not counted
	//    share  count  value
	//   75.00%      3  main.g
	//   25.00%      1  0x99
	//
	//   call line 40, 0 hits
	//
	// main.rare  main.go:3
	//
	//   line 4, 1 hit
	//
	// not probed:
	//   main.h  inlined calls  it is inlined
}

// What a limit switched off is said, with the time, at each count that it ends, and so are
// executions that are no hits. Durations say of a call only what both ends have seen.
func TestSwitchedOff(t *testing.T) {
	plan, counts := example()
	counts.Sites[1].Off = 3 * time.Second
	counts.Sites[2].Off = 200 * time.Millisecond
	counts.Sites[3].Off = 20 * time.Millisecond
	counts.Sites[2].Others, counts.Sites[3].Others = 1000, 24
	counts.Times[1].Off = 20 * time.Millisecond
	var b bytes.Buffer
	got := table.New(plan, counts, table.Run{Process: 4711, Program: "/bin/app", Duration: 2e9, Ended: "interrupted"},
		names{}, 2)
	listing.Text(&b, got)
	for _, want := range []string{
		"7 probes (1 slow), 34 hits and 1024 other executions of probes\n",
		"\n-limit switched off 4 of 7 probes, the first after 20 ms: later hits were not counted; -limit 0 is no limit\n",
		"main.known  main.go:35, 10 calls (switched off after 3 s), 9 returns (switched off after 20 ms)\n",
		"  timed until a probe at an entry or return was switched off, after 20 ms\n  1 call had not returned then\n",
		"  arg x int8, 10 hits\n  switched off after 3 s: the hits came faster",
		"  result #1 bool, 9 hits\n  switched off after 20 ms: the hits came faster",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := listing.JSON(&b, got); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"other_executions":1024`, `"calls_until":3`, `"returns_until":0.02`, `"until":0.02`,
		`"switched_off_after":3`, "-limit switched off 4"} {
		if !strings.Contains(strings.ReplaceAll(b.String(), `": `, `":`), want) {
			t.Errorf("%s is not in\n%s", want, b.String())
		}
	}
	f, err := profile.Parse("probe", bytes.NewReader(got.Profile()))
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(f.Comments); !strings.Contains(text, "counted of a probe until it was switched off") ||
		!strings.Contains(text, "-limit switched off 4 of 7 probes, the first after 20 ms") {
		t.Errorf("comments of the profile: %s", text)
	}
}

// The JSON has the numbers of the text; the profile has those of all values, and pep reads
// it as an exact profile.
func TestProfileAndJSON(t *testing.T) {
	plan, counts := example()
	run := table.Run{Process: 4711, Program: "/bin/app", Duration: 2e9, Ended: "interrupted"}
	var b bytes.Buffer
	if err := listing.JSON(&b, table.New(plan, counts, run, names{}, 2)); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Process   int
		Functions []struct {
			Function string
			Calls    *uint64
			Sites    []struct {
				Kind, Expression string
				Hits, Other      uint64
				Distinct         int
				Rows             []struct {
					Value string
					Count uint64
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	x := got.Functions[0].Sites[0]
	if text := fmt.Sprint(got.Process, got.Functions[0].Function, *got.Functions[0].Calls, got.Functions[1].Calls == nil,
		x); text != "4711main.known10 true {arg x 10 0 3 [{7 5} {-1 3}]}" {
		t.Errorf("JSON: got %s", text)
	}

	f, err := profile.Parse("probe", bytes.NewReader(table.New(plan, counts, run, names{}, 0).Profile()))
	if err != nil {
		t.Fatal(err)
	}
	if !f.Exact() || f.Binary != "/bin/app" {
		t.Errorf("profile of %s, exact: %v", f.Binary, f.Exact())
	}
	words, err := f.Words()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range profile.SumSites(words) {
		var values []string
		for _, w := range s.Words {
			values = append(values, fmt.Sprint(w.Value, " ", w.Count))
		}
		lines = append(lines, fmt.Sprintf("%s %v %s %s: %s", s.Site.Func.Name, s.Site.Pos, s.Site.Kind, s.Site.Expr,
			strings.Join(values, ", ")))
	}
	want := []string{
		"main.known main.go:35:0 arg len(s): 6 8, (other) 2",
		"main.known main.go:35:0 arg v: *main.T 9, nil 1",
		"main.known main.go:35:0 arg x: 7 5, -1 3, -128 2",
		"main.known main.go:35:0 entry main.known: called 10",
		"main.known main.go:36:0 branch branch: goes on 6, jumps to line 38 4",
		"main.known main.go:35:0 arg y: 1.5 9",
		"main.known main.go:35:0 result #1: false 5, true 4",
		"main.known main.go:35:0 result p: not nil 6, nil 3",
		"main.known main.go:35:0 return main.known: returned 9",
		"main.known other.go:7:0 call call: main.g 3, 0x99 1",
		"main.rare main.go:4:0 line line: reached 1",
	}
	if d := cmp.Diff(want, lines); d != "" {
		t.Errorf("profile (-want +got):\n%s", d)
	}
}

// Two types that have one name, as those of two functions may have, have a row each.
func TestTypesOfOneName(t *testing.T) {
	plan := &probe.Plan{
		Funcs: []probe.Func{{Name: "main.f", File: "main.go", Line: 3}},
		Sites: []probe.Site{
			{Kind: probe.Entry, Words: []probe.Word{{Name: "x", Type: "any", Size: 8, As: probe.Dynamic},
				{Name: "y", Type: "error", Size: 8, As: probe.Itab}}},
		},
	}
	values := func(pairs ...uint64) (w probe.WordCount) {
		for i := 0; i < len(pairs); i += 2 {
			w.Values = append(w.Values, probe.ValueCount{Value: pairs[i], Count: pairs[i+1]})
		}
		return w
	}
	for _, test := range []struct {
		x, y  probe.WordCount
		wantX string
		wantY string
	}{
		{values(0x50, 3, 0x60, 2, 0x10, 4, 0, 1), values(0x70, 7, 0x80, 3),
			"main.L at 0x50 3, main.L at 0x60 2, *main.T 4, nil 1", "0x70 7, 0x80 3"},
		{values(0x50, 10), values(0x60, 10), "main.L at 0x50 10", "main.L at 0x60 10"},
		{values(0x50, 10), values(0x50, 10), "main.L 10", "main.L 10"},
	} {
		counts := &probe.Counts{Sites: []probe.SiteCount{{Hits: 10, Words: []probe.WordCount{test.x, test.y}}}}
		tab := table.New(plan, counts, table.Run{}, names{}, 0)
		for i, want := range []string{test.wantX, test.wantY} {
			var got, all []string
			for _, r := range tab.Functions[0].Sites[i].Rows {
				got = append(got, fmt.Sprint(r.Value, " ", r.Count))
			}
			all = strings.Split(want, ", ")
			slices.Sort(got)
			slices.Sort(all)
			if d := cmp.Diff(all, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		}
	}
}
