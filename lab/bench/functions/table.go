package functions

// This file writes what functions execute as Markdown.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/markdown"
	"github.com/pepgo/pep/lab/stats"
)

// worstWanted is the overhead without ticks that no program should exceed.
const worstWanted = 1.08

// Tables returns the costs as Markdown: a table of the programs, and a section for each.
func Tables(all []FuncCosts) string {
	var b strings.Builder
	b.WriteString("Instructions relative to those of the plain program. Counted are the functions of all packages but the Go runtime, which is not instrumented and whose work depends on hash seeds, and the linked runtime, " +
		"which works at start and exit: 1 + (instrumented - plain) / all instructions of the plain program. Start and exit of the program are part of it. Instructions are not time: a poll is a test and a jump " +
		"that the processor predicts, and a mispredicted jump costs more than twenty other instructions.\n\n" +
		"\"Polls alone\" is a build without path registers: each path ends with a poll of a constant, so it shows what one poll per path costs where registers are free. That can be less than its polls, because the compiler orders the other instructions in another way than in the plain program. \"Registers alone\" is the instrumented build without the polls that it executes, " +
		"two instructions each. \"Neither\" is a build in which conditions are taken apart, so that code can stand at each outcome, and nothing else.\n\n")
	t := markdown.NewTable("program", "instrumented", "polls alone", "registers alone", "neither", "polls / 1000",
		"hottest difference")
	means := make([][]float64, 4)
	for i := range all {
		c := &all[i]
		row := []string{c.Program}
		for j, x := range []float64{c.ratio(costFull), c.ratio(costPolls), c.registers(), c.ratio(costSplit)} {
			row = append(row, markdown.Ratio(x))
			means[j] = append(means[j], x)
		}
		hottest := markdown.None
		if len(c.Funcs) > 0 {
			hottest = "`" + c.Funcs[0].Name + "`"
		}
		t.Row(append(row, fmt.Sprintf("%.1f", 1000*float64(c.Polls)/float64(c.All)), hottest)...)
	}
	if len(all) > 1 {
		row := []string{"geometric mean"}
		for _, list := range means {
			row = append(row, markdown.Ratio(stats.GeoMean(list)))
		}
		t.Row(append(row, "", "")...)
	}
	b.WriteString(t.String() + "\n\"polls / 1000\" counts polls that 1000 instructions of the plain program have in addition.\n\n")
	for _, s := range limits(all) {
		b.WriteString("* " + s + "\n")
	}
	b.WriteString("\nThe tables below have percentages of all instructions of the plain program: what a function executes there, how much more it executes in the instrumented build, and how much more in a build with polls alone. " +
		"The columns behind divide the difference by the kind of instruction, as the disassembly shows it: tests of polls, " +
		"calls (with returns and what stands at the beginning and end of functions: inlinings that were lost), moves to and from the stack (spills among them), loads of constants, additions of constants " +
		"(those of path numbers among them), jumps (those of polls among them), and all others. A function without plain instructions is inlined there, or not called. " +
		"A negative number is a kind of which the instrumented build executes fewer.\n\n")
	for i := range all {
		b.WriteString(all[i].section())
	}
	return b.String()
}

// section returns the table of the functions.
func (c *FuncCosts) section() string {
	t := markdown.NewTable(append([]string{"function", "plain", "difference", "polls alone"}, classNames[:]...)...)
	share := func(n int64) string { return fmt.Sprintf("%.2f", 100*float64(n)/float64(c.All)) }
	shown := int64(0)
	for i := range c.Funcs {
		f := &c.Funcs[i]
		shown += f.more(costFull)
		row := []string{"`" + f.Name + "`", share(f.Counts[costPlain]), share(f.more(costFull)), share(f.more(costPolls))}
		for _, n := range f.More {
			row = append(row, share(n))
		}
		t.Row(row...)
	}
	text := fmt.Sprintf("%.1f M instructions plain, %s instrumented, %s with polls alone. The functions below are %s of the difference.",
		float64(c.All)/1e6, markdown.Overhead(c.ratio(costFull)), markdown.Overhead(c.ratio(costPolls)),
		markdown.Percent(float64(shown)/float64(c.Counts[costFull]-c.Counts[costPlain])))
	return markdown.Section(c.Program, text, t)
}

// limits returns what the costs say of the limits of overhead, a sentence each.
func limits(all []FuncCosts) (list []string) {
	var polls, registers, over, stay, fall []string
	for _, c := range all {
		// What goes away without registers, and without polls.
		withoutRegisters, withoutPolls := c.Counts[costFull]-c.Counts[costPolls], c.ofPolls()
		if withoutRegisters > withoutPolls {
			registers = append(registers, c.Program)
		} else {
			polls = append(polls, c.Program)
		}
	}
	list = append(list, fmt.Sprintf("Without registers more instructions go away than without polls in %s, fewer in %s.",
		names(registers), names(polls)))
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b FuncCosts) int { return cmp.Compare(b.ratio(costFull), a.ratio(costFull)) })
	for _, c := range sorted {
		if c.ratio(costFull) <= worstWanted {
			continue
		}
		over = append(over, c.Program)
		text := fmt.Sprintf("%s (%s, polls alone %s)", c.Program, markdown.Ratio(c.ratio(costFull)), markdown.Ratio(c.ratio(costPolls)))
		if c.ratio(costPolls) > worstWanted {
			stay = append(stay, text)
		} else {
			fall = append(fall, text)
		}
	}
	if len(over) == 0 {
		return append(list, fmt.Sprintf("No program is above %.2f.", worstWanted))
	}
	list = append(list, fmt.Sprintf("%d of %d programs are above %.2f: %s.", len(over), len(all), worstWanted,
		names(over)))
	if len(fall) > 0 {
		list = append(list, fmt.Sprintf("With one poll per path and free registers these of them would be below: %s.",
			names(fall)))
	}
	if len(stay) > 0 {
		list = append(list, fmt.Sprintf("One poll per path alone is more in %s. No choice of numbers or registers can bring these below; fewer or longer paths could.", names(stay)))
	}
	for _, c := range sorted[:len(over)] {
		if len(c.Funcs) == 0 {
			continue
		}
		f := &c.Funcs[0]
		all := float64(c.Counts[costFull] - c.Counts[costPlain])
		list = append(list, fmt.Sprintf("%s: `%s` is %s of the difference; with polls alone it executes %s more than in the plain build, and %s instrumented.", c.Program, f.Name,
			markdown.Percent(float64(f.more(costFull))/all), part(f.more(costPolls), f.Counts[costPlain]),
			part(f.more(costFull), f.Counts[costPlain])))
	}
	return list
}

// part formats n as a part of all.
func part(n, all int64) string {
	if all == 0 {
		return fmt.Sprintf("%d instructions", n)
	}
	return markdown.Percent(float64(n) / float64(all))
}

// names joins names with commas and "and".
func names(list []string) string {
	switch n := len(list); n {
	case 0:
		return "none"
	case 1:
		return list[0]
	default:
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
}
