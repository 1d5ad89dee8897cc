//go:build linux && amd64

package probe_test

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// recorded returns the counts of a word of a function, over all sites of a kind.
func recorded(plan *probe.Plan, c *probe.Counts, fn string, kind probe.Kind, word string) map[uint64]uint64 {
	m := map[uint64]uint64{}
	for i, s := range plan.Sites {
		for j, w := range s.Words {
			if plan.Funcs[s.Func].Name == fn && s.Kind == kind && w.Name == word {
				for v, n := range counted(c.Sites[i].Words[j]) {
					m[v] += n
				}
			}
		}
	}
	return m
}

// The target does known work. What is found of it does not depend on how it was built,
// apart from what a stripped program does not tell.
func TestKnownWork(t *testing.T) {
	targettest.NeedRights(t)
	const goroutines, calls = 3, 1000
	want := map[string]map[uint64]uint64{} // "known result #1": counts
	add := func(key string, v int) {
		if want[key] == nil {
			want[key] = map[uint64]uint64{}
		}
		want[key][uint64(v)] += goroutines
	}
	for i := range calls {
		x, n := 7, len("secret")
		if i%10 == 0 {
			x, n = i%100, 0
		}
		add("known entry x", x)
		add("known entry len(text)", n)
		add("known results #1", 3*x)
		add("pick entry i", i)
		if i%5 == 0 {
			add("pick results #1", 2*i)
		} else {
			add("pick results #1", i+1)
		}
		if i%4 == 0 {
			add("total results #1", 4)
		} else {
			add("total results #1", 3*i*i)
		}
		if i%100 == 0 {
			for n := range 61 {
				add("deep entry n", n)
			}
		}
	}
	want["work entry calls"] = map[uint64]uint64{calls: goroutines}
	sums := map[string]uint64{"known": calls, "pick": calls, "total": calls, "deep": 61 * calls / 100, "work": 1,
		"indirect": calls}

	for name, flags := range map[string][]string{
		"plain":    nil,
		"stripped": {"-ldflags=-s -w"},
		"pie":      {"-buildmode=pie"},
		"cgo":      {"-tags=withc"},
	} {
		t.Run(name, func(t *testing.T) {
			x := targettest.Start(t, build(t, flags...), "calls", fmt.Sprint(goroutines), fmt.Sprint(calls))
			plan := chosen(t, x, probe.Wish{
				Func: regexp.MustCompile(`^main\.(known|pick|total|deep|work|indirect)$`),
				Args: true, Results: true, Edges: true, Calls: true, Times: true,
				Lines: []probe.Position{{File: "target/main.go", Line: lineOf(t, "return other(i)")}},
			})
			c := countsOf(t, x, plan, probe.Limits{Values: 2000})

			var fused int
			exits := map[string]uint64{}
			for i, site := range plan.Sites {
				fn, n := strings.TrimPrefix(plan.Funcs[site.Func].Name, "main."), c.Sites[i]
				switch {
				case site.Kind == probe.Entry && n.Hits != goroutines*sums[fn]:
					t.Errorf("%s: %d entries, want %d", fn, n.Hits, goroutines*sums[fn])
				case site.Kind == probe.Exit:
					exits[fn] += n.Hits
				case site.Kind == probe.Line && n.Hits != goroutines*calls/5:
					t.Errorf("line: %d hits, want %d", n.Hits, goroutines*calls/5)
				case site.Kind == probe.Call && site.Target == "main.other" && n.Hits != goroutines*calls/5:
					t.Errorf("%s calls other %d times, want %d", fn, n.Hits, goroutines*calls/5)
				case site.Kind == probe.Edge && fn == "pick" && (n.Hits != goroutines*calls || n.Taken != goroutines*calls*4/5):
					t.Errorf("the branch of pick: %d hits, %d taken", n.Hits, n.Taken)
				}
				if site.Fused != nil && site.Fused.Steps > 0 {
					fused++
				}
				for j, w := range n.Words {
					if w.Faults+w.Full+w.Other != 0 {
						t.Errorf("%s %v %s: %d could not be read, %d had no space", fn, site.Kind, site.Words[j].Name, w.Faults,
							w.Full+w.Other)
					}
				}
			}
			for fn, n := range exits {
				if n != goroutines*sums[fn] {
					t.Errorf("%s: %d returns, want %d", fn, n, goroutines*sums[fn])
				}
			}
			for i, f := range plan.Funcs {
				name := strings.TrimPrefix(f.Name, "main.")
				if got := c.Times[i]; got.Calls != goroutines*sums[name] || got.Unmatched+got.Replaced+got.Open != 0 {
					t.Errorf("%s: %+v, want %d calls timed", name, got, goroutines*sums[name])
				}
			}
			if name == "stripped" {
				if got := recorded(plan, c, "main.pick", probe.Entry, "AX"); !reflect.DeepEqual(got, want["pick entry i"]) {
					t.Errorf("pick: got %v in AX, want %v", got, want["pick entry i"])
				}
				return
			}
			if fused == 0 {
				t.Error("no probe is fused")
			}
			for key, want := range want {
				w := strings.Fields(key)
				kind := map[string]probe.Kind{"entry": probe.Entry, "results": probe.Exit}[w[1]]
				if got := recorded(plan, c, "main."+w[0], kind, w[2]); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: got %v, want %v", key, got, want)
				}
			}
		})
	}
}

// What is behind a loop has its probe there, too: probes are executed about as often as
// what they stand for.
func TestNoProbeInALoopForWhatIsBehindIt(t *testing.T) {
	targettest.NeedRights(t)
	const calls = 500
	x := targettest.Start(t, build(t), "calls", "1", fmt.Sprint(calls))
	plan := chosen(t, x, probe.Wish{
		Func: regexp.MustCompile(`^main\.rounds$`), Results: true, Times: true,
		Lines: []probe.Position{{File: "target/main.go", Line: lineOf(t, "return sum\n}\n\n//go:noinline\nfunc indirect"),
			All: true}},
	})
	c := countsOf(t, x, plan, probe.Limits{})
	hits, executed := map[probe.Kind]uint64{}, uint64(0)
	for i, s := range plan.Sites {
		hits[s.Kind] += c.Sites[i].Hits
		executed += c.Sites[i].Hits + c.Sites[i].Others
	}
	if want := map[probe.Kind]uint64{probe.Entry: calls, probe.Exit: calls, probe.Line: calls}; !reflect.DeepEqual(hits,
		want) {
		t.Errorf("hits: got %v, want %v", hits, want)
	}
	if executed > 6*calls {
		t.Errorf("the probes were executed %d times in %d calls", executed, calls)
	}
	if got := recorded(plan, c, "main.rounds", probe.Exit, "sum"); !reflect.DeepEqual(got, map[uint64]uint64{0: calls}) {
		t.Errorf("results: got %v", got)
	}
}

// The interpreter does not know what is in floating-point registers. A result that depends
// on them is not read, and it is said how often; other results of the function are.
func TestUnknownResultsAreNotGuessed(t *testing.T) {
	targettest.NeedRights(t)
	const calls = 999
	x := targettest.Start(t, build(t), "calls", "1", fmt.Sprint(calls))
	plan := chosen(t, x, probe.Wish{Func: regexp.MustCompile(`^main\.whole$`), Args: true, Results: true})
	if text := fmt.Sprint(plan.Skipped); !strings.Contains(text, "floating-point register") {
		t.Errorf("skipped: %s, want the argument in a floating-point register", text)
	}
	c := countsOf(t, x, plan, probe.Limits{})
	values, unread := map[uint64]uint64{}, uint64(0)
	for i, site := range plan.Sites {
		if site.Kind != probe.Exit {
			continue
		}
		if site.Fused == nil {
			t.Fatalf("the return at %#x is not fused", site.Addr)
		}
		for v, n := range counted(c.Sites[i].Words[0]) {
			values[v] += n
		}
		unread += c.Sites[i].Words[0].Faults
	}
	if want := map[uint64]uint64{7: calls / 3}; !reflect.DeepEqual(values, want) || unread != calls-calls/3 {
		t.Errorf("got %v and %d results that were not read, want %v and %d", values, unread, want, calls-calls/3)
	}
}

// In a function without a stack check, a branch can be the cheapest instruction at the
// entry, and lead to the returns. Entry and return do not share it if calls are timed, since
// the return could come first. A wrapper that leaves by a jump is not timed at all.
func TestEntryAndReturnShareNoProbeOfATimedFunction(t *testing.T) {
	targettest.NeedRights(t)
	const calls = 500
	x := targettest.Start(t, build(t), "calls", "2", fmt.Sprint(calls))
	plan := chosen(t, x, probe.Wish{Func: regexp.MustCompile(`^main\.(whole|\(\*named\)\.area)$`), Times: true})
	at := map[uint64]probe.Kind{}
	for _, s := range plan.Sites {
		if kind, ok := at[s.Addr]; ok && kind != s.Kind {
			t.Errorf("%#x has probes of kinds %v and %v", s.Addr, kind, s.Kind)
		}
		at[s.Addr] = s.Kind
	}
	if text := fmt.Sprint(plan.Skipped); !strings.Contains(text, "{main.(*named).area duration it leaves by a jump") {
		t.Errorf("skipped: %s, want the wrapper", text)
	}
	c := countsOf(t, x, plan, probe.Limits{})
	for i, f := range plan.Funcs {
		got, want := c.Times[i], uint64(0)
		if f.Name == "main.whole" {
			want = 2 * calls
		}
		if got.Calls != want || got.Open+got.Replaced+got.Unmatched != 0 {
			t.Errorf("%s: got %+v, want %d calls", f.Name, got, want)
		}
	}
}

// lineOf returns the first line of the target with a text.
func lineOf(t *testing.T, text string) int {
	t.Helper()
	source, err := os.ReadFile("testdata/target/main.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(source), text)
	if !ok {
		t.Fatalf("the target has no %q", text)
	}
	return strings.Count(before, "\n") + 1
}

// What cannot be probed is said, with the reason.
func TestSkipped(t *testing.T) {
	im, err := image.Open(build(t))
	if err != nil {
		t.Fatal(err)
	}
	defer im.Close()
	for _, c := range []struct {
		wish probe.Wish
		want string // in the reasons, or in the error
	}{
		{probe.Wish{Func: regexp.MustCompile(`^main\.nobody$`)}, `no function of the program matches "^main\\.nobody$"`},
		{probe.Wish{Func: regexp.MustCompile(`^strings\.\(\*Builder\)\.`)}, "inlined"},
		{probe.Wish{Func: regexp.MustCompile(`^math\.Floor$|^main\.pick$|^main\.work$`),
			Lines: []probe.Position{{File: "main.go", Line: 1}}}, "main.go:1 has no code"},
		{probe.Wish{Func: regexp.MustCompile(`^runtime\.memmove$`), Times: true}, "written in assembly"},
	} {
		plan, err := probe.Choose(im, c.wish)
		text := fmt.Sprint(err)
		if err == nil {
			text = fmt.Sprint(plan.Skipped)
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%v: got %s, want %q in it", c.wish.Func, text, c.want)
		}
	}
}
