package report

// This file makes sentences of facts: how a profile was made, and what it lacks.

import (
	"fmt"
	"strings"
	"time"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
)

// clocks are the words for the clocks of ticks.
var clocks = map[string]string{"cpu": "CPU", "wall": "wall-clock"}

// made says how a profile was made, and what is of note: all that the facts have, or what changes what a reader
// concludes. It returns "" for profiles of other programs than those of pepbuild.
func (x Profile) made(list facts.List, all bool) string {
	var s, lean string
	switch list.Text(facts.Mode) {
	case "":
		return ""
	case facts.ModeExact:
		s = "Exact: every path was counted"
	case facts.ModeCover:
		s = "For coverage: every path was counted, up to the next decision"
	case facts.ModeSampled:
		s, lean = x.sampled(list)
	case facts.ModeReplay:
		s = "Replay, engine " + list.Text(facts.Engine) + events(list)
		if n := list.Number(facts.Messages); n > 0 {
			s += " in " + listing.Count(n, "message")
		}
	default:
		s = "Taps, every event counted"
		if e := list.Text(facts.Engine); e != "" {
			s = "Taps, engine " + e
		}
		s += ", by " + list.Text(facts.Deliver) + events(list)
	}
	s += lean
	if noted := noted(list, all); len(noted) > 0 {
		s += ". Of note: " + strings.Join(noted, ", ")
	}
	return s + "."
}

func events(list facts.List) string {
	if n := list.Number(facts.Events); n > 0 {
		return ", " + listing.Count(n, "event")
	}
	return ""
}

// sampled says how paths were sampled, and in which direction their shares lean.
func (x Profile) sampled(list facts.List) (s, lean string) {
	if list.Number(facts.Tick) == 0 {
		return "Sampled", ""
	}
	if list.Text(facts.Form) == facts.FormWindows {
		thing := "path"
		if x.Kind == schema.Loads {
			thing = "load"
		}
		s = fmt.Sprintf("Sampled: %s in %s", listing.Count(list.Number(facts.Samples), thing),
			listing.Count(list.Number(facts.Windows), "window"))
	} else {
		s = fmt.Sprintf("Sampled: %s at %s", listing.Count(list.Number(facts.Samples), "path"),
			listing.Count(list.Number(facts.Ticks), "tick"))
		lean = ". Each sample counts once, and ticks find loops with long rounds more often: their shares are too large"
	}
	each := "one each"
	if list.Number(facts.Budget) > 0 { // ticks are further apart where they cost more
		each = "at most one each"
	}
	s += fmt.Sprintf(", %s %v of %s time", each, time.Duration(list.Number(facts.Tick)), clocks[list.Text(facts.Clock)])
	if list.Number(facts.CPUTime) > 0 {
		s += fmt.Sprintf(", which took %.1f%% of the CPU time", ofCPU(list, facts.SampledTime))
		if end := list.Number(facts.BudgetEnd); end != 0 && end != list.Number(facts.Budget) {
			s += fmt.Sprintf(" of a budget of %.1f%% on average and %.1f%% at the end", ofCPU(list, facts.BudgetTime),
				float64(end)/1e4)
		}
	}
	if near := list.Number(facts.NearCache); near > 0 {
		s += fmt.Sprintf("; the near cache takes %d cycles at most, the far one %d", near, list.Number(facts.FarCache))
	}
	return s, lean
}

// ofCPU returns the share that a time has in the CPU time of the program, in percent.
func ofCPU(list facts.List, k facts.Key) float64 {
	return 100 * float64(list.Number(k)) / float64(max(list.Number(facts.CPUTime), 1))
}

// A note is what a sentence says of a fact, unless it is 0.
type note struct {
	key     facts.Key
	matters bool                    // it changes what a reader concludes, and does not only tell how sampling went
	format  string                  // of the number, if there is no func
	say     func(facts.List) string // other words
}

// notes are in the order of the keys.
var notes = [...]note{
	{key: facts.Burst, say: func(list facts.List) string {
		form := list.Text(facts.Form)
		if form == facts.FormWindows {
			return ""
		}
		return strings.TrimSpace(fmt.Sprintf("%s PEP(%d,%d)", form, list.Number(facts.Burst), list.Number(facts.Stride)))
	}},
	{key: facts.Budget, say: func(list facts.List) string {
		return fmt.Sprintf("a budget of %.2f%% at first", float64(list.Number(facts.Budget))/1e4)
	}},
	{key: facts.Ticks, format: "%d ticks"},
	{key: facts.Dropped, matters: true, format: "%d dropped"},
	{key: facts.Shortened, format: "%d shortened"},
	{key: facts.Overruns, format: "%d overruns"},
	{key: facts.Folded, format: "%d with repeated callers of recursion left out"},
	{key: facts.Erased, format: "%d with cycles of recursion left out"},
	{key: facts.Gapped, format: "%d with callers in the middle left out"},
	{key: facts.Truncated, format: "%d without the outermost callers of a deep stack"},
	{key: facts.WindowsThrown,
		format: "%d windows dropped, because they came to a fatal error that the program did not have"},
	{key: facts.WindowsChanged, format: "%d windows that met code other than the executable's, which is in no path"},
	{key: facts.TicksInCalls, format: "%d ticks in system calls"},
	{key: facts.TicksInC, format: "%d ticks outside of Go code"},
	{key: facts.TicksBusy, format: "%d ticks without a window, because all interpreters were in use"},
	{key: facts.TicksUncaught, format: "%d ticks without a window, because a fault in one could not have been handled"},
	{key: facts.Unnoted, matters: true, format: "%d values in windows that had no space for them"},
	{key: facts.UntoldFuncs, format: "no paths of %d functions, since the compiler has left no instructions that tell them: pep sites lists them as skipped"},
	{key: facts.NoTable, matters: true, format: "%d paths and calls of packages without a site table"},
	{key: facts.InEngines, matters: true, format: "%d left in engines"},
	{key: facts.Merged, matters: true, format: "%d engines merged"},
	{key: facts.MergedRoughly, matters: true, format: "%d engines merged, so that counts are approximate"},
	{key: facts.InBuffers, matters: true, format: "%d left in buffers"},
	{key: facts.Others, matters: true, format: "%d of words without space, as other"},
	{key: facts.Unlabelled, matters: true, format: "%d without labels, which are too long or too many"},
	{key: facts.NoSpace, matters: true, format: "%d without space"},
	{key: facts.Unsure, matters: true, format: "%d at most counted twice or not at all when the program was killed"},
	{key: facts.Stopped, matters: true, say: func(list facts.List) string {
		return "sampling stopped: " + list.Text(facts.Stopped)
	}},
	{key: facts.TickTime, say: func(list facts.List) string {
		return fmt.Sprintf("ticks took %.2f%% of the CPU time", ofCPU(list, facts.TickTime))
	}},
	{key: facts.DamagedEntries, matters: true, format: "damaged: %d entries with a wrong hash"},
	{key: facts.DamagedLabels, matters: true, format: "damaged: %d entries whose labels have a wrong hash"},
	{key: facts.DamagedCounters, matters: true, format: "damaged: %d counters are too large to be right"},
	{key: facts.DamagedWindows, matters: true, format: "damaged: %d windows with a wrong checksum"},
	{key: facts.NotCounted, matters: true, format: "%d taken but not counted"},
	{key: facts.NotTaken, matters: true, format: "damaged: %d counted but not taken"},
	{key: facts.Handled, say: gaps},
	{key: facts.Untold, matters: true, say: func(facts.List) string {
		return "without labels of goroutines, which engines and 32-bit programs do not tell apart"
	}},
	{key: facts.EqualBursts, format: "bursts weigh like %d equal ones"},
	{key: facts.Unended, format: "%d have not ended"},
	{key: facts.UnknownPaths, matters: true, format: "%d of functions unknown to the site tables"},
	{key: facts.UnknownTaps, matters: true, format: "%d at taps unknown to the site tables"},
	{key: facts.Detached, matters: true, say: func(list facts.List) string {
		return fmt.Sprintf("until the disk was full or the file was cut off %dms after the start",
			list.Number(facts.Detached)/1e6)
	}},
}

// noted returns what is of note.
func noted(list facts.List, all bool) (texts []string) {
	for _, n := range notes {
		switch {
		case !all && !n.matters, list.Number(n.key) == 0 && list.Text(n.key) == "":
			continue
		case n.say == nil:
			texts = append(texts, fmt.Sprintf(n.format, list.Number(n.key)))
		default:
			if s := n.say(list); s != "" {
				texts = append(texts, s)
			}
		}
	}
	return texts
}

// gaps says how long the gaps between messages were, and how long the service took for one.
func gaps(list facts.List) string {
	s := fmt.Sprintf("gap between messages at least %dns, ", list.Number(facts.MinGap))
	if p1 := list.Number(facts.GapP1); p1 > 0 {
		s += fmt.Sprintf("p1 %dns, ", p1)
	}
	return s + fmt.Sprintf("%dns to handle one", list.Number(facts.Handling)/list.Number(facts.Handled))
}
