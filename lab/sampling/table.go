//go:build linux && amd64

package sampling

// This file writes the results in Markdown. What it says about them is computed from them.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pepgo/pep/tracer"
)

// HiddenTable returns the ranks and speed-ups.
func HiddenTable(all []*Found) string {
	var b strings.Builder
	b.WriteString("| program | rank | invariant | share of samples | time of its function | CPU time, general | special | speed-up |\n|---|--:|---|--:|--:|--:|--:|--:|\n")
	found := 0
	for _, f := range all {
		general, special := slices.Min(f.Times[0]), slices.Min(f.Times[1])
		rank := "none"
		if f.Rank > 0 {
			rank = fmt.Sprint(f.Rank)
		}
		if f.Rank > 0 && f.Rank <= Top {
			found++
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s %s | %.1f%% of %d | %.1f%% | %.3f s (%.3f–%.3f) | %.3f s (%.3f–%.3f) | %+.0f%% |\n", f.Program, rank, f.Row.Kind, f.Row.Value,
			100*f.Row.Invariance, f.Row.Samples, 100*f.Row.Time, general, quantile(f.Times[0], .25), quantile(f.Times[0], .75),
			special, quantile(f.Times[1], .25), quantile(f.Times[1], .75), 100*(general/special-1))
	}
	fmt.Fprintf(&b, "\nAmong the first %d: %d of %d. CPU times are the least of %d rounds, with quartiles. The paper has one program with an exponent that is mostly the same "+
		"(+20%%) and one with a table in place of a test (+2%%); these programs are ours. What the finder ranks first:\n", Top, found, len(all), len(all[0].Times[0]))
	for _, f := range all {
		fmt.Fprintf(&b, "\n`%s`:\n\n", f.Program)
		for _, line := range f.First {
			fmt.Fprintf(&b, "%s\n", line)
		}
	}
	return b.String()
}

// BiasTable returns the ratios of two loads in one block.
func BiasTable(all []Bias) string {
	var b strings.Builder
	b.WriteString("| random skip | values of the slow load | of the fast load | ratio, ours | paper | within 5% of 1 |\n|---|--:|--:|--:|--:|---|\n")
	for _, x := range all {
		skip, paper := "none", "1.60"
		if x.Skip > 0 {
			skip, paper = fmt.Sprintf("up to %d", x.Skip), "-"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %.2f | %s | %s |\n", skip, x.Far, x.Near, x.Ratio(), paper, yes(x.Ratio() <= 1.05))
	}
	b.WriteString("\nThe loop has 16 instructions. A skip of up to n, the sum of two random numbers, is spread evenly over loops of up to n/2 instructions; decision 23 has what stays in longer ones.\n")
	return b.String()
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// over returns a number of a setting for the tables: the mean over the programs of the least of the
// rounds, because other load on the machine only adds.
func (c *Costs) over(f func(Cost) float64) float64 {
	var least []float64
	for _, rounds := range c.Programs {
		least = append(least, slices.Min(each(rounds, f)))
	}
	return mean(least)
}

// slowdown is of the least CPU times of all rounds: the mean over the programs, and its standard
// error.
func (c *Costs) slowdown() (percent, err float64) {
	programs := c.slowdowns()
	m, sum := mean(programs), 0.0
	for _, x := range programs {
		sum += (x - m) * (x - m)
	}
	if n := float64(len(programs)); n > 1 {
		err = math.Sqrt(sum / (n - 1) / n)
	}
	return m, err
}

// slowdowns returns that of each program.
func (c *Costs) slowdowns() (programs []float64) {
	for _, rounds := range c.Programs {
		cpu := slices.Min(each(rounds, func(c Cost) float64 { return float64(c.CPU) }))
		plain := slices.Min(each(rounds, func(c Cost) float64 { return float64(c.Plain) }))
		programs = append(programs, 100*(cpu/plain-1))
	}
	return programs
}

// ProgramTable returns what each program costs with two settings.
func ProgramTable(costs []*Costs) string {
	by := map[string]*Costs{}
	for _, c := range costs {
		by[c.Name] = c
	}
	alone, values, user := by[aloneRow], by[values4], by[userRow]
	var b strings.Builder
	b.WriteString("| program | rounds | CPU time, s (most) | interrupts alone | length 4, every 2nd | 997 Hz on each CPU |\n|---|--:|--:|--:|--:|--:|\n")
	for i, name := range alone.Names {
		plain := each(alone.Programs[i], func(c Cost) float64 { return c.Plain.Seconds() })
		fmt.Fprintf(&b, "| `%s` | %d | %.2f (%.2f) | %+.1f%% | %+.1f%% | %+.1f%% |\n", name, len(plain), slices.Min(plain), slices.Max(plain), alone.slowdowns()[i], values.slowdowns()[i], user.slowdowns()[i])
	}
	return b.String()
}

func each(rounds []Cost, f func(Cost) float64) (xs []float64) {
	for _, r := range rounds {
		xs = append(xs, f(r))
	}
	return xs
}

func slowdown(c Cost) float64 { return 100 * (float64(c.CPU)/float64(c.Plain) - 1) }
func inKernel(c Cost) float64 { return 100 * float64(c.Kernel) / float64(c.CPU) }
func withOwn(c Cost) float64  { return 100 * float64(c.Kernel+c.Own) / float64(c.CPU) }
func perTick(c Cost) float64  { return float64(c.Kernel) / float64(c.Stats.Interrupts) }
func steps(c Cost) float64    { return float64(c.Stats.Steps) / float64(c.Stats.Interrupts) }
func missed(c Cost) float64 {
	return 100 * float64(c.Stats.Missed) / float64(max(c.Stats.Interrupts-c.Stats.Passed, 1))
}

// table returns the rows of a table.
func table(rows []*Costs, outside float64) string {
	var b strings.Builder
	b.WriteString("| setting | in interrupts (quartiles) | CPU time of the program (quartiles) | paper | in our program in the kernel | and our process | ns per interrupt | instructions | not decoded yet |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, c := range rows {
		var spread, interrupts []float64 // of all programs and rounds
		for _, rounds := range c.Programs {
			spread = append(spread, each(rounds, slowdown)...)
			interrupts = append(interrupts, each(rounds, c.inInterruptsOf(outside))...)
		}
		paper := "-"
		if c.Paper > 0 {
			paper = fmt.Sprintf("%.1f%%", c.Paper)
		}
		mean, err := c.slowdown()
		fmt.Fprintf(&b, "| %s | %.2f%% (%.2f–%.2f) | %+.1f%% ± %.1f (%+.1f to %+.1f) | %s | %.2f%% | %.2f%% | %.0f | %.2f | %.1f%% |\n", c.Name, c.inInterrupts(outside), quantile(interrupts, .25), quantile(interrupts, .75), mean, err, quantile(spread, .25), quantile(spread, .75),
			paper, c.over(inKernel), c.over(withOwn), c.over(perTick), c.over(steps), c.over(missed))
	}
	return b.String()
}

// inInterrupts is the part of the programs' time in interrupts: what our program in the kernel
// took, and for each interrupt what it takes outside of that, which the program gaps has measured.
func (c *Costs) inInterrupts(outside float64) float64 {
	return c.over(c.inInterruptsOf(outside))
}

func (c *Costs) inInterruptsOf(outside float64) func(Cost) float64 {
	if c.ticks() {
		outside = 0 // there would be as many interrupts without a sampler
	}
	return func(x Cost) float64 { return inKernel(x) + 100*outside*float64(x.Stats.Interrupts)/float64(x.CPU) }
}

// CostTables returns the tables 2a, 2b and 2c, and what peptrace costs. Outside is what an interrupt
// takes outside of our program in the kernel, in ns.
func CostTables(costs []*Costs, outside float64) string {
	tables := map[string][]*Costs{}
	for _, c := range costs {
		tables[c.Table] = append(tables[c.Table], c)
		if c.Name == values4 {
			tables["2b"], tables["2c"] = append(tables["2b"], c), append(tables["2c"], c)
		}
	}
	cpu := func(c *Costs) float64 { percent, _ := c.slowdown(); return percent }
	inside := func(c *Costs) float64 { return c.over(inKernel) }
	whole := func(c *Costs) float64 { return c.inInterrupts(outside) }
	var b strings.Builder
	fmt.Fprintf(&b, "### Table 2a: what is sampled\n\n%s\n", table(tables["2a"], outside))
	alone, values := tables["2a"][0], tables["2a"][1]
	fmt.Fprintf(&b, "What values add to interrupts: %.2f%% in interrupts, %.1f%% by CPU time, %.1f%% in the paper.\n\n", whole(values)-whole(alone), cpu(values)-cpu(alone), values.Paper-alone.Paper)
	cheaper := func(f func(c *Costs) float64) (n int) {
		for _, c := range costs {
			if c.Paper > 0 && f(c) < c.Paper {
				n++
			}
		}
		return n
	}
	fmt.Fprintf(&b, "Of the %d rows of the three tables, cheaper than in the paper: %d by time in interrupts, %d by CPU time, %d by time in our program in the kernel, %d by that and our process.\n\n",
		len(costs)-len(tables[""]), cheaper(whole), cheaper(cpu), cheaper(inside), cheaper(func(c *Costs) float64 { return c.over(withOwn) }))

	fmt.Fprintf(&b, "### Table 2b: longer runs at every 2nd interrupt\n\n%s\n", table(tables["2b"], outside))
	length := func(c *Costs) float64 { return float64(c.Length) }
	paper, paperR2 := line(tables["2b"], length, func(c *Costs) float64 { return c.Paper })
	kernel, kernelR2 := line(tables["2b"], length, whole)
	slope, cpuR2 := line(tables["2b"], length, cpu)
	fmt.Fprintf(&b, "Slowdown per instruction of length: %.3f%% with R² = %.3f by time in interrupts, %.3f%% with R² = %.3f by CPU time; the paper's rows have %.3f%% with R² = %.3f. "+
		"R² by time in interrupts above 0.95: %s.\n\n", kernel, kernelR2, slope, cpuR2, paper, paperR2, yes(kernelR2 > 0.95))

	fmt.Fprintf(&b, "### Table 2c: two instructions for each interrupt\n\n%s\n", table(tables["2c"], outside))
	ratio := func(f func(c *Costs) float64) float64 {
		xs := make([]float64, len(tables["2c"]))
		for i, c := range tables["2c"] {
			xs[i] = f(c)
		}
		return slices.Max(xs) / slices.Min(xs)
	}
	fmt.Fprintf(&b, "Greatest to least: %.2f by time in interrupts (below 1.3: %s), %.2f by CPU time, %.2f by time in our program in the kernel alone, which the paper does not have, %.2f in the paper.\n\n",
		ratio(whole), yes(ratio(whole) < 1.3), ratio(cpu), ratio(inside), ratio(func(c *Costs) float64 { return c.Paper }))

	fmt.Fprintf(&b, "### The sampler as users get it\n\n997 interrupts a second, length 4, or the kernel's ticks, length 16, and a random skip of up to %d. Clocks on each CPU interrupt other programs, too: an estimate of their time in the kernel is taken off.\n\n%s\n", tracer.DefaultSkip, table(tables[""], outside))
	for _, c := range tables[""] {
		percent, err := c.slowdown()
		fmt.Fprintf(&b, "* %s: at most 1%%: %s in our program in the kernel, %s by time in interrupts, %s by CPU time (%+.1f%% ± %.1f).\n", c.Name, yes(inside(c) <= 1), yes(whole(c) <= 1), yes(percent <= 1), percent, err)
	}
	fmt.Fprintf(&b, "\n### Programs\n\nSlowdowns by CPU time.\n\n%s", ProgramTable(costs))
	return b.String()
}

func line(rows []*Costs, x, y func(*Costs) float64) (slope, r2 float64) {
	var xs, ys []float64
	for _, c := range rows {
		xs, ys = append(xs, x(c)), append(ys, y(c))
	}
	return fit(xs, ys)
}
