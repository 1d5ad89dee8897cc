//go:build linux && amd64

package probe_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// Numbers of registers in instructions.
const (
	ax = 0
	cx = 1
	bx = 3
	sp = 4
	si = 6
	di = 7
)

// Every call counts once, and so does every return, while stacks grow, the garbage
// collector runs, and goroutines move between threads.
func TestHitsAreCalls(t *testing.T) {
	targettest.NeedRights(t)
	const goroutines, calls = 8, 1000
	for name, flags := range map[string][]string{
		"plain":    nil,
		"stripped": {"-ldflags=-s -w"},
		"pie":      {"-buildmode=pie"},
		"cgo":      {"-tags=withc"},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, build(t, flags...))
			if name == "stripped" {
				b.symbols = open(t, build(t)).symbols // the code has the same addresses
			}
			h := plan(t, b)
			h.fn("main.pick", true).checked().exits()
			h.fn("main.deep", true).checked().exits()
			h.fn("main.indirect", true).checked().exits()
			h.fn("main.known", true).entry().exits()
			x := targettest.Start(t, b.path, "calls", fmt.Sprint(goroutines), fmt.Sprint(calls))
			s := h.attach(x, probe.Limits{})
			if n := h.probed(x); n != len(h.Sites) {
				t.Errorf("%d of %d instructions have probes", n, len(h.Sites))
			}
			x.Work()
			c := finish(t, s)
			for fn, want := range map[string]uint64{
				"main.pick":     goroutines * calls,
				"main.deep":     goroutines * calls / 100 * 61,
				"main.indirect": goroutines * calls,
				"main.known":    goroutines * calls,
			} {
				if n := h.hits(c, fn, probe.Entry); n != want {
					t.Errorf("%s: %d entries, want %d", fn, n, want)
				}
				if n := h.hits(c, fn, probe.Exit); n != want {
					t.Errorf("%s: %d exits, want %d", fn, n, want)
				}
				times, sum := h.times(c, fn), uint64(0)
				for _, n := range times.Buckets {
					sum += n
				}
				if times.Calls != want || sum != want || times.Unmatched+times.Replaced+times.Open+times.Full+times.Faults != 0 {
					t.Errorf("%s: %+v, want all %d calls timed", fn, times, want)
				}
			}
			h.clean(x)
			x.Ends()
		})
	}
}

// VSAMP-28: values that programs get are those that the table has, with their counts.
func TestValuesAndTheirCounts(t *testing.T) {
	targettest.NeedRights(t)
	const calls = 2000
	b := open(t, build(t))
	h := plan(t, b)
	h.fn("main.known", false).entry(
		probe.Word{Name: "x", Reg: ax, Size: 8, As: probe.Signed},
		probe.Word{Name: "text", Reg: bx, Size: 8, As: probe.Text},
		probe.Word{Name: "len(text)", Reg: cx, Size: 8},
		probe.Word{Name: "p", Reg: di, Size: 8, As: probe.Pointer},
		probe.Word{Name: "flag", Reg: si, Size: 1, As: probe.Bool},
		probe.Word{Name: "*p", Reg: di, Size: 2, Memory: true},
		probe.Word{Name: "fault", Reg: si, Disp: 0x100, Size: 8, Memory: true},
	).exits(probe.Word{Name: "result", Reg: ax, Size: 8})
	h.Sites[0].Words[6].Reg = ax // address: a small number

	// What the program does, in Go.
	var x, length, pointer, flag, star, result = map[uint64]uint64{}, map[uint64]uint64{}, map[uint64]uint64{},
		map[uint64]uint64{}, map[uint64]uint64{}, map[uint64]uint64{}
	texts, n := map[string]uint64{}, uint64(0)
	for i := range uint64(calls) {
		v, text := uint64(7), "secret"
		if i%10 == 0 {
			v, text = i%100, ""
		}
		x[v]++
		length[uint64(len(text))]++
		texts[text]++
		pointer[1]++
		flag[(i+1)%2]++
		star[n&0xffff]++
		if i%2 == 0 {
			n += uint64(len(text))
		}
		result[3*v]++
	}

	for _, secrets := range []bool{false, true} {
		target := targettest.Start(t, b.path, "calls", "1", fmt.Sprint(calls))
		s := h.attach(target, probe.Limits{Values: 5000, Secrets: secrets})
		target.Work()
		c := finish(t, s)
		target.Ends()
		words := c.Sites[0].Words
		for i, want := range map[int]map[uint64]uint64{0: x, 2: length, 4: flag, 5: star} {
			if got := counted(words[i]); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %v, want %v", h.Sites[0].Words[i].Name, got, want)
			}
		}
		results := map[uint64]uint64{}
		for _, site := range c.Sites[1:] {
			for v, n := range counted(site.Words[0]) {
				results[v] += n
			}
		}
		if !reflect.DeepEqual(results, result) {
			t.Errorf("results: got %v, want %v", results, result)
		}
		if words[6].Faults != calls || len(words[6].Values) != 0 {
			t.Errorf("memory that nobody has mapped: got %+v, want %d faults", words[6], calls)
		}
		if secrets {
			got := map[string]uint64{}
			for _, x := range words[1].Texts {
				got[x.Text] = x.Count
				if x.Length != uint64(len(x.Text)) {
					t.Errorf("%q has the length %d", x.Text, x.Length)
				}
			}
			if !reflect.DeepEqual(got, texts) {
				t.Errorf("text: got %v, want %v", got, texts)
			}
			sum := uint64(0)
			for _, p := range words[3].Values { // the variable is on the stack, which can move
				if p.Value < 1<<20 {
					t.Errorf("p: %#x is no address", p.Value)
				}
				sum += p.Count
			}
			if sum != calls {
				t.Errorf("p: %d addresses, want %d", sum, calls)
			}
			continue
		}
		// Addresses and texts do not leave the kernel.
		if got := counted(words[3]); !reflect.DeepEqual(got, pointer) {
			t.Errorf("p: got %v, want %v", got, pointer)
		}
		if len(words[1].Texts) != 0 {
			t.Errorf("text: got %v, want no text", words[1].Texts)
		}
	}
}

func counted(w probe.WordCount) map[uint64]uint64 {
	m := map[uint64]uint64{}
	for _, v := range w.Values {
		m[v.Value] = v.Count
	}
	return m
}

// If a word has more values than fit, the counts of those that have a row stay exact, and
// the others are counted together.
func TestBoundOfValues(t *testing.T) {
	targettest.NeedRights(t)
	const calls, bound = 1000, 10
	b := open(t, build(t))
	h := plan(t, b)
	h.fn("main.pick", false).checked(probe.Word{Name: "i", Reg: ax, Size: 8}, probe.Word{Name: "low", Reg: ax, Size: 1})
	x := targettest.Start(t, b.path, "calls", "1", fmt.Sprint(calls))
	s := h.attach(x, probe.Limits{Values: bound})
	x.Work()
	c := finish(t, s)
	x.Ends()
	w := c.Sites[0].Words
	if len(w[0].Values) != bound || w[0].Other != calls-bound || w[0].Full != 0 {
		t.Errorf("i: %d values, %d others, %d without space, want %d, %d and 0", len(w[0].Values), w[0].Other, w[0].Full,
			bound, calls-bound)
	}
	sum := uint64(0)
	for _, v := range w[1].Values {
		want := uint64(calls / 256)
		if v.Value < calls%256 {
			want++
		}
		if v.Count != want {
			t.Errorf("low byte %d: counted %d times, want %d", v.Value, v.Count, want)
		}
		sum += v.Count
	}
	if len(w[1].Values) != bound || sum+w[1].Other != calls {
		t.Errorf("low byte: %d values of %d hits and %d others, want %d values and %d hits together", len(w[1].Values), sum,
			w[1].Other, bound, calls)
	}
}

// The directions of a jump, and the code that an indirect call calls.
func TestEdgesAndCalls(t *testing.T) {
	targettest.NeedRights(t)
	const calls = 1000
	b := open(t, build(t))
	h := plan(t, b)
	h.fn("main.pick", false).every(probe.Edge, x86asm.JB)
	h.fn("main.total", false)
	for _, x := range b.instructions(t, "main.total") {
		if r, ok := x.Args[0].(x86asm.Reg); ok && x.Op == x86asm.CALL {
			h.site(probe.Call, x, probe.Word{Reg: uint8(r - x86asm.RAX), Size: 8, As: probe.Code})
		}
	}
	x := targettest.Start(t, b.path, "calls", "1", fmt.Sprint(calls))
	s := h.attach(x, probe.Limits{})
	x.Work()
	c := finish(t, s)
	x.Ends()
	if got := c.Sites[0]; got.Hits != calls || got.Taken != calls-calls/5 {
		t.Errorf("the jump of pick: %d hits, %d taken, want %d and %d", got.Hits, got.Taken, calls, calls-calls/5)
	}
	want := map[uint64]uint64{b.symbols["main.(*square).area"].Value: calls / 4,
		b.symbols["main.(*circle).area"].Value: calls - calls/4}
	if got := counted(c.Sites[1].Words[0]); !reflect.DeepEqual(got, want) {
		t.Errorf("the calls of total: got %v, want %v", got, want)
	}
}

// A probe at a jump that stands for one of its ways counts the other way as an execution
// that is no hit.
func TestOtherExecutions(t *testing.T) {
	targettest.NeedRights(t)
	const calls = 1000
	h := plan(t, open(t, build(t)))
	h.fn("main.pick", false).every(probe.Line, x86asm.JB)
	h.Sites[0].Fused = &probe.Fused{Direction: probe.Taken}
	x := targettest.Start(t, h.path, "calls", "1", fmt.Sprint(calls))
	s := h.attach(x, probe.Limits{})
	x.Work()
	c := finish(t, s)
	x.Ends()
	if got := c.Sites[0]; got.Hits != calls-calls/5 || got.Others != calls/5 {
		t.Errorf("%d hits and %d other executions, want %d and %d", got.Hits, got.Others, calls-calls/5, calls/5)
	}
}

// A call that panics never returns, and says so.
func TestPanicsAreNoReturns(t *testing.T) {
	targettest.NeedRights(t)
	const calls = 100
	b := open(t, build(t))
	h := plan(t, b)
	h.fn("main.boom", true).checked().exits()
	h.fn("main.throw", true).checked().exits()
	x := targettest.Start(t, b.path, "panics", fmt.Sprint(calls))
	s := h.attach(x, probe.Limits{})
	x.Work()
	c := finish(t, s)
	x.Ends()
	if got := h.times(c, "main.boom"); got.Calls != calls || got.Open+got.Replaced+got.Unmatched != 0 {
		t.Errorf("boom recovers and returns: got %+v, want %d calls", got, calls)
	}
	if got := h.times(c, "main.throw"); got.Calls != 0 || got.Open != 1 || got.Replaced != calls-1 {
		t.Errorf("throw never returns: got %+v, want 1 open call and %d replaced", got, calls-1)
	}
}

// Sites that the kernel refuses are named, and the others have their probes.
func TestRefusedInstructions(t *testing.T) {
	targettest.NeedRights(t)
	b := open(t, build(t))
	h := plan(t, b)
	h.fn("main.pick", false).checked()
	h.fn("internal/sync.(*Mutex).Unlock", false)
	locked := 0
	for _, x := range b.instructions(t, "sync.(*WaitGroup).Add") {
		if x.Prefix[0]&0xff == x86asm.PrefixLOCK {
			h.site(probe.Line, x)
			locked++
		}
	}
	if locked == 0 {
		t.Fatal("WaitGroup.Add has no LOCK prefix")
	}
	h.fn("main.indirect", false).checked()
	x := targettest.Start(t, b.path, "calls", "1", "100")
	s := h.attach(x, probe.Limits{})
	x.Work()
	c := finish(t, s)
	x.Ends()
	if r := s.Refused(); len(r) != locked || !strings.Contains(r[0].Reason, fmt.Sprintf("%#x", h.Sites[1].Addr)) {
		t.Errorf("refused: %v, want the %d instructions with LOCK, the first at %#x", r, locked, h.Sites[1].Addr)
	}
	if p, i := h.hits(c, "main.pick", probe.Entry), h.hits(c, "main.indirect", probe.Entry); p != 100 || i != 100 {
		t.Errorf("%d calls of pick and %d of indirect, want 100 of each", p, i)
	}
}
