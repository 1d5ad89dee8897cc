package interp

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// A native is a Go function of this process that a machine interprets.
type native struct {
	m     *Machine
	pc    uint64
	c     *ctx
	stack []uint64
	g     []uint64
	end   []byte
}

func newCtx(seed uint64) *ctx {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &ctx{ints: make([]int, 4000), table: make([]uint64, 1024), stack: make([]int64, 64), nodes: make([]node, 3000),
		n: 0}
	for i := range c.ints {
		c.ints[i] = r.IntN(100000)
	}
	for len(c.text) < 30000 {
		c.text = append(c.text, []string{"func ", "x1 := ", "foo(", "bar)", " {\n", "}\n", "\"text\" ", "12345 ",
			"// comment\n", "return\t"}[r.IntN(10)]...)
	}
	return c
}

var vmCode = []byte{0, 2, 7, 1, 6, 4, 5, 2, 9, 9, 0, 2, 11, 3, 7, 4, 5, 1, 9, 2, 5, 6, 0, 4, 1, 8}

func newNative(m *Machine, f func(*ctx) uint64) *native {
	n := &native{m: m, pc: uint64(reflect.ValueOf(f).Pointer()), c: newCtx(1), stack: make([]uint64, 1<<13),
		g: make([]uint64, 256), end: []byte{0xcc}}
	n.stack[len(n.stack)-64] = address(&n.end[0])
	return n
}

// begin prepares a call of the function.
func (n *native) begin() {
	m := n.m
	m.R[rAX] = uint64(uintptr(unsafe.Pointer(n.c)))
	m.R[14] = uint64(uintptr(unsafe.Pointer(&n.g[0])))
	m.R[rSP] = uint64(uintptr(unsafe.Pointer(&n.stack[len(n.stack)-64])))
	m.Reset(n.pc, 0)
}

var workloads = []struct {
	name string
	f    func(*ctx) uint64
	prep func(*ctx)
}{
	{"slices", wSlices, func(*ctx) {}},
	{"lexer", wLexer, func(*ctx) {}},
	{"vm", wVM, func(c *ctx) { c.code, c.n = vmCode, 2000 }},
	{"tree", wTree, func(*ctx) {}},
}

// noCollection prevents collections: the functions' write barriers would need a true g.
func noCollection(t testing.TB) {
	percent := debug.SetGCPercent(-1)
	runtime.GC() // the one that runs now, if any, ends
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}

// TestResults compares what functions return, interpreted and executed.
func TestResults(t *testing.T) {
	noCollection(t)
	for _, w := range workloads {
		_, m := newMachine()
		n := newNative(m, w.f)
		n.c.ints, n.c.nodes = n.c.ints[:500], n.c.nodes[:200]
		n.c.text = n.c.text[:5000]
		w.prep(n.c)
		n.begin()
		why := m.Run(1 << 40)
		got, steps := m.R[rAX], m.Steps
		if why == Unknown {
			t.Logf("%s: %v after %d steps", w.name, why, steps)
			continue
		}
		if want := w.f(n.c); why != Breakpoint || got != want {
			t.Errorf("%s: %v after %d steps, %d, want %d", w.name, why, steps, got, want)
		}
	}
}

// ownText is where the code of this process is.
func ownText(t testing.TB) (text Text) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	pc := uint64(reflect.ValueOf(wSlices).Pointer())
	for line := range strings.Lines(string(maps)) {
		if _, err := fmt.Sscanf(line, "%x-%x", &text.Low, &text.High); err == nil && pc >= text.Low && pc < text.High {
			return text
		}
	}
	t.Fatal("no mapping has the code of this process")
	return Text{}
}

func BenchmarkWindow(b *testing.B) {
	noCollection(b)
	var flush []uint64
	for _, between := range []string{"warm", "native", "flushed", "first"} {
		for _, w := range workloads {
			b.Run(w.name+"/"+between, func(b *testing.B) {
				c, m := newMachine()
				c.Texts[0] = ownText(b)
				n := newNative(m, w.f)
				w.prep(n.c)
				var others []*ctx // for native work: all four functions
				for i, w := range workloads {
					others = append(others, newCtx(uint64(2+i)))
					w.prep(others[i])
				}
				saved := slices.Clone(others[0].ints)
				if between == "flushed" && flush == nil {
					flush = make([]uint64, 8<<20)
				}
				var per []float64
				fresh := true
				for range b.N {
					switch between {
					case "native":
						copy(others[0].ints, saved)
						others[3].n = 0
						for i, w := range workloads {
							w.f(others[i])
						}
					case "flushed":
						for i := 0; i < len(flush); i += 8 {
							flush[i]++
						}
					}
					if between == "first" {
						c.Clear()
						fresh = true
					}
					begin := time.Now()
					if fresh {
						n.begin()
					}
					before := m.Steps
					length := 6000
					if between == "first" {
						length = 200 // so that decoding is most of the time
					}
					why := m.Run(length)
					d := time.Since(begin)
					if between == "first" && c.Decoded() > 0 {
						per = append(per, float64(d.Nanoseconds())/float64(c.Decoded()))
						continue
					}
					if fresh = why != Done; m.Steps-before >= 5000 {
						per = append(per, float64(d.Nanoseconds())/float64(m.Steps-before))
					}
				}
				if slices.Sort(per); len(per) > 0 {
					b.ReportMetric(per[0], "min-ns/insn")
					b.ReportMetric(per[len(per)/2], "med-ns/insn")
				}
			})
		}
	}
}

// BenchmarkEvents times windows in which every eighth address has an event.
func BenchmarkEvents(b *testing.B) {
	noCollection(b)
	for _, events := range []bool{false, true} {
		b.Run(fmt.Sprint(events), func(b *testing.B) {
			c, m := newMachine()
			var sum uint64
			m.Act = func(m *Machine, e uint64) { sum += e + m.R[rSP] }
			if events {
				c.Actions = func(pc uint64, a *Actions) bool {
					if pc%8 == 0 {
						a.At = pc
					}
					return true
				}
			}
			n := newNative(m, wLexer)
			best := 1e9
			for range b.N {
				n.begin()
				begin := time.Now()
				m.Run(6000)
				best = min(best, float64(time.Since(begin).Nanoseconds())/float64(m.Steps))
			}
			b.ReportMetric(best, "min-ns/insn")
		})
	}
}
