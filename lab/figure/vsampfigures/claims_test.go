package vsampfigures

import (
	"fmt"
	"testing"

	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/figuretest"
)

type plant = func(m *figure.Measured, column string)

// cost plants the time in interrupts with a setting of the column, of 10 programs: of the first n of them, and of the rest.
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
		"ten": row("values", 10), "3.9": row("alone", 3.9), "10.7": row("values", 10.7), "12.2": row("values-callsites", 12.2),
		"5.9": append(row("vreplay", 5.9), together(cost("vreplay", 10, 5, 0), notInterpreted)),
		"6.8": row("vreplay-callsites", 6.8),
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
		"unbiased": {together(exactly("bias/0", 9), exactly("bias/15", 1.2), exactly("bias/63", 1.01), exactly("bias/255", 1)),
			together(exactly("bias/0", 1), exactly("bias/15", 1.3), exactly("bias/63", 1.01), exactly("bias/255", 1))},
		"finds": {ranked(1, 3, 3), ranked(1, 1, 4), ranked(0, 1, 1)},
	}, [2]string{"rules", "ours"})
}

// rulesToo plants what is planted for the column of users under the names of the paper's settings: for claims that have no
// column of their own.
func rulesToo(m *figure.Measured, _ string) {
	for _, key := range []string{"every-32", "values"} {
		if x := m.Of("cost/ours-" + key + "/interrupts"); x != nil {
			m.Set("cost/"+key+"/interrupts", x...)
		}
	}
}
