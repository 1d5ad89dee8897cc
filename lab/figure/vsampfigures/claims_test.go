package vsampfigures

import (
	"fmt"
	"math"
	"testing"

	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

type plant = func(m *figure.Measured, column string)

// cost plants the time in interrupts with a setting of the column, of 10 programs: of the first n of them, and of the
// rest.
func cost(key string, n int, x, rest float64) plant {
	return func(m *figure.Measured, c string) {
		var t figure.Tally
		for i := range 10 {
			if i < n {
				t = append(t, x)
			} else {
				t = append(t, rest)
			}
		}
		m.Set("cost/"+in(key, c == "ours")+"/interrupts", t...)
	}
}

func exactly(name string, x ...float64) plant {
	return func(m *figure.Measured, _ string) { m.Set(name, x...) }
}

func together(list ...plant) plant {
	return func(m *figure.Measured, c string) {
		for _, p := range list {
			p(m, c)
		}
	}
}

// lines plants the time of programs by the length of runs.
func lines(of func(n float64) float64) plant {
	return func(m *figure.Measured, _ string) {
		for _, n := range lengths {
			m.Set("cost/"+byLength[n]+"/interrupts", of(float64(n)))
		}
	}
}

// ofGaps plants the time that an interrupt takes, by the length of runs.
func ofGaps(of func(n float64) float64) plant {
	return func(m *figure.Measured, _ string) {
		for _, n := range gaps {
			m.Set(fmt.Sprintf("taken/length-%d/gap", n), of(float64(n)), 1, 1e6)
		}
	}
}

func rare(first float64, others ...float64) plant {
	return func(m *figure.Measured, _ string) {
		m.Set("cost/values/interrupts", 0, 2*first)
		for i, x := range others {
			m.Set("cost/"+byEvery[1+i]+"/interrupts", x)
		}
	}
}

func ranked(x ...float64) plant {
	return func(m *figure.Measured, _ string) {
		for i, p := range []string{"format", "interp", "matrix"} {
			m.Set("hidden/"+p+"/rank", x[i])
		}
	}
}

func biased(of0, of63 float64) plant {
	return func(m *figure.Measured, c string) {
		m.Set("bias/0", of0)
		if m.Set("bias/63", of63); c == "rules" {
			return
		}
		m.Set("bias/0", of63)
		m.Set("bias/63", of0)
	}
}

// timed plants the part of the loads of each footprint that is in its bin: of four runs, and of a fifth that does not
// agree.
func timed(near, far, middle float64) plant {
	return func(m *figure.Measured, _ string) {
		m.Set("latency/near/near-cache", near, near, near, near, 1)
		m.Set("latency/far/memory", far, far, far, far, 90)
		m.Set("latency/middle/far-cache", middle, middle, middle, middle, 90)
	}
}

// lists plants results of hotlists, of 10 programs. In the first n of them, lists with room for so many values are as
// good as a table of eight, and larger ones as others in proportion; in the rest lists are never as good.
func lists(what string, n, room int) plant {
	result := func(entries float64) float64 { // of a table
		if what == covered {
			return 30 + 10*math.Log2(entries)
		}
		return 90 - 10*math.Log2(entries)
	}
	return func(m *figure.Measured, c string) {
		for i := range 10 {
			name := fmt.Sprintf("hotlists/program-%d/", i)
			for _, entries := range tableRooms {
				m.Add(name+"tables/"+what, result(float64(entries)))
			}
			for _, entries := range listRooms {
				x := result(float64(entries) * 8 / float64(room))
				if i >= n {
					x = result(1)
				}
				m.Add(name+in("lists", c == "ours" && what == off)+"/"+what, x)
			}
		}
	}
}

// row is what agrees with a row of Table 2a, and what does not.
func row(key string, most float64) []plant {
	return []plant{cost(key, 8, most*1.2, 99), cost(key, 7, 0.1, 99), cost(key, 0, 0, most*1.3)}
}

// What agrees with each claim, and then what refutes it.
func TestClaimsCanBeRefuted(t *testing.T) {
	notInterpreted := func(m *figure.Measured, c string) {
		m.Set("cost/"+in("vreplay", c == "ours")+"/steps", 0, 0, 0, 1, 1, 1, 1, 1, 1, 1)
	}
	figuretest.Planted(t, &Beside, &figure.Measured{}, map[string][]plant{
		"ten": row("values", 10), "3.9": row("alone", 3.9), "10.7": row("values", 10.7),
		"12.2": row("values-callsites", 12.2),
		"5.9":  append(row("vreplay", 5.9), together(cost("vreplay", 10, 5, 0), notInterpreted)),
		"6.8":  row("vreplay-callsites", 6.8),
		"context": {together(cost("values-callsites", 8, 1.2, 2), cost("values", 10, 1, 0)), together(cost("values-callsites",
			7, 1, 1.3),
			cost("values", 10, 1, 0))},
		"vreplay": {together(cost("vreplay", 8, 1, 3), cost("values", 10, 2, 0)), together(cost("vreplay", 7, 1, 2),
			cost("values", 10, 2, 0))},
		"1": {lines(func(n float64) float64 { return 5 + 1.2*n }), lines(func(n float64) float64 { return 5 + 1.3*n })},
		"linear": {ofGaps(func(n float64) float64 { return 100 + 10*n }), ofGaps(func(n float64) float64 {
			return 100 +
				10*float64(int(n)%5)
		})},
		"same": {rare(4, 4, 4, 3.5, 5), rare(4, 4, 4, 3, 3)},
		"declines": {together(cost("every-32", 8, 1, 3), cost("values", 10, 2, 0), rulesToo), together(cost("every-32", 7, 1,
			2), cost("values", 10, 2, 0), rulesToo)},
		"bias": {biased(1.3, 1), biased(1.2, 9)},
		"unbiased": {together(exactly("bias/0", 9), exactly("bias/15", 1.2), exactly("bias/63", 1.01),
			exactly("bias/255", 1)),
			together(exactly("bias/0", 1), exactly("bias/15", 1.3), exactly("bias/63", 1.01), exactly("bias/255", 1))},
		"latency":         {timed(60, 55, 9), timed(60, 45, 90), timed(45, 90, 90)},
		"bins":            {timed(60, 55, 52), timed(60, 55, 48), timed(60, 40, 90)},
		"hotlists":        {lists(covered, 10, 6), lists(covered, 10, 8), lists(covered, 7, 6)},
		"hotlists-shares": {lists(off, 10, 6), lists(off, 10, 8), lists(off, 7, 6)},
		"finds":           {ranked(1, 3, 3), ranked(1, 1, 4), ranked(0, 1, 1)},
	}, [2]string{"rules", "ours"})
}

// rulesToo plants what is planted for the column of users under the names of the paper's settings: for claims that have
// no column of their own.
func rulesToo(m *figure.Measured, _ string) {
	for _, key := range []string{"every-32", "values"} {
		if x := m.Of("cost/ours-" + key + "/interrupts"); x != nil {
			m.Set("cost/"+key+"/interrupts", x...)
		}
	}
}
