package report

// This file says below a listing what it lacks, and what to do about it.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
)

// fewTicks is a number of ticks below which bounds are wide.
const fewTicks = 100

// How many names of places a note has. Time that windows do not see has few kinds, which all have a name.
const fewNames, kindsOfTime = 2, 4

// A part is a part of all ticks or calls.
type part struct {
	name string
	n    uint64
}

// parts returns the facts of a key that have names, added up over all lists, the largest first.
func parts(lists []facts.List, k facts.Key) (all []part) {
	for _, list := range lists {
		for _, x := range list {
			if x.Key != k {
				continue
			}
			i := slices.IndexFunc(all, func(p part) bool { return p.name == x.Name })
			if i < 0 {
				i, all = len(all), append(all, part{name: x.Name})
			}
			all[i].n += x.N
		}
	}
	slices.SortStableFunc(all, func(p, q part) int { return cmp.Or(cmp.Compare(q.n, p.n), cmp.Compare(p.name, q.name)) })
	return all
}

// sum returns the number of a fact, added up over all lists.
func sum(lists []facts.List, k facts.Key) (n uint64) {
	for _, list := range lists {
		n += list.Number(k)
	}
	return n
}

// An outside says how much of a whole is outside of what the profile is about.
type outside struct {
	share float64
	all   uint64
	where string // "runtime 39.3%, strconv 4.7%, …"
	more  bool   // pepbuild could instrument much of it
}

func outsideOf(lists []facts.List, named int, all, out, in, more facts.Key) outside {
	x := outside{all: sum(lists, all)}
	n := sum(lists, out)
	if x.all == 0 || n == 0 {
		return x
	}
	x.share = float64(n) / float64(x.all)
	x.more = 10*sum(lists, more) >= x.all
	x.where = listed(parts(lists, in), named, n, x.all)
	return x
}

// listed is the first of some parts with their shares of a whole. All parts have n together.
func listed(list []part, named int, n, whole uint64) string {
	var where []string
	for _, p := range list[:min(named, len(list))] {
		where = append(where, fmt.Sprintf("%s %.1f%%", p.name, 100*float64(p.n)/float64(whole)))
		n -= min(n, p.n)
	}
	if n > 0 {
		where = append(where, "…")
	}
	return strings.Join(where, ", ")
}

// unseenTime is how much of the time ticks were outside of instrumented functions, or of functions with taps.
func (x Profile) unseenTime() outside {
	named := fewNames
	if x.windows {
		named = kindsOfTime
	}
	return outsideOf(x.facts, named, facts.TicksPlaced, facts.TicksOutside, facts.TicksOutsideIn, facts.TicksMore)
}

// tellsOutside reports whether what is outside changes what a reader concludes. Windows see all packages, and pep top
// says where their time was.
func (x Profile) tellsOutside() bool { return x.verbose || !x.windows }

// most reports whether most of the time is outside, so that the listing has little to say.
func (o outside) most() bool { return o.share > .5 }

// inTaps reports whether the profile is about taps.
func (x Profile) inTaps() bool {
	return len(x.facts) > 0 && (x.facts[0].Text(facts.Mode) == facts.ModeTaps)
}

// sayTime says what of the time the profile does not show, and what does.
func (x Profile) sayTime(o outside) string {
	what, more := "no path", "pepbuild build -peppkg=all shows more"
	if x.inTaps() {
		what, more = "functions without taps", "pepbuild build -peppkg=all taps more"
	}
	if !o.more {
		more = "see a CPU profile"
	}
	where := ""
	if o.where != "" {
		where = ": " + o.where
	}
	return fmt.Sprintf("%.1f%% of the time is in %s%s; %s", 100*o.share, what, where, more)
}

// earlyEnds says why windows ended before they had seen all that they should, "" if none did.
func (x Profile) earlyEnds() string {
	all := sum(x.facts, facts.Windows)
	ends, n := parts(x.facts, facts.WindowsEnded), uint64(0)
	ends = slices.DeleteFunc(ends, func(p part) bool { return p.name == facts.EndedDone })
	for _, p := range ends {
		n += p.n
	}
	if all == 0 || n == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f%% of windows ended early: %s.", 100*float64(n)/float64(all),
		listed(ends, kindsOfTime, n, all))
}

// sayCalls says which calls on paths lead where the profile does not show more, "" if none do.
func (x Profile) sayCalls() string {
	o := outsideOf(x.facts, fewNames, facts.Calls, facts.CallsOutside, facts.CallsOutsideTo, facts.CallsMore)
	var list []string
	if o.share > 0 {
		inside, does := "instrumented functions", "instruments"
		if x.inTaps() {
			inside, does = "functions with taps", "taps"
		}
		s := fmt.Sprintf("%.1f%% of calls on paths go outside of %s: %s", 100*o.share, inside, o.where)
		if o.more {
			s += fmt.Sprintf(" (pepbuild build -peppkg=all %s more)", does)
		}
		list = append(list, s)
	}
	if open := sum(x.facts, facts.CallsOpen); open > 0 && o.all > 0 {
		list = append(list, fmt.Sprintf("%.1f%% go through interfaces and function values (-peptaps=calls shows to which functions)", 100*float64(open)/float64(o.all)))
	}
	if len(list) == 0 {
		return ""
	}
	if x.verbose {
		s := "calls by functions outside are not counted"
		if sum(x.facts, facts.CallsSampled) > 0 {
			s = "calls by functions outside, or with one path, are not counted"
		}
		list = append(list, s)
	}
	if o.share == 0 {
		list[0] = strings.Replace(list[0], "% go", "% of calls on paths go", 1)
	}
	return strings.Join(list, "; ") + "."
}

// ran is the word for code that must have run by what counts say. In windows it is seen.
func (x Profile) ran() string {
	if x.windows {
		return "seen"
	}
	return "ran"
}

// printWarning says above a listing if it has little of the time.
func (x Profile) printWarning(p *listing.Page) {
	if o := x.unseenTime(); o.most() {
		p.Say(listing.Warning, "%s", x.sayTime(o))
		p.Line("")
	}
}

// printNotes says below a listing how the profile was made, what it lacks, and what to do about it.
func (x Profile) printNotes(p *listing.Page, bounds ...string) {
	notes := bounds
	if o := x.unseenTime(); x.tellsOutside() && !o.most() && o.share > 0 {
		notes = append(notes, x.sayTime(o)+".")
	}
	if s := x.earlyEnds(); s != "" && x.verbose {
		notes = append(notes, s)
	}
	if s := x.sayCalls(); s != "" && x.tellsOutside() {
		notes = append(notes, s)
	}
	if x.windows && (x.verbose || x.Kind != schema.Paths) {
		notes = append(notes, "Windows interpret what a thread is about to do: what they see has run unless another thread or a signal came between, or a system call such as write failed.")
	}
	for _, list := range x.facts {
		if s := x.made(list, x.verbose); s != "" {
			notes = append(notes, s)
		}
	}
	if x.few > 0 {
		notes = append(notes, fmt.Sprintf("%s are few. For narrower bounds let the program run longer, give files of several runs, or sample more often: PEPOPTS=tick=1ms.", listing.Count(x.few, "tick")))
	}
	notes = append(notes, x.others...)
	if len(notes) > 0 {
		p.Line("")
	}
	for _, n := range notes {
		p.Say(listing.Plain, "%s", n)
	}
}

// untoldNote explains the outcome of branches that windows do not see.
const untoldNote = "untold: in some places, the code of the program does not tell what was decided, for example because the compiler made one comparison of two. Paths may have gone either way there. -pepmode=polls and -pepmode=exact tell it."
