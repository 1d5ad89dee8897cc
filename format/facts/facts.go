// Package facts has what a profile says of itself besides its samples: how it was made, and what is not in it.
// A List of facts is one comment of a profile:
//
//	var f facts.List
//	f.SetText(facts.Mode, facts.ModeExact)
//	f.Set(facts.Unended, 3)
//	f.Encode() // "#pep.version=1 mode=exact unended=3"
//
// There % and two hexadecimal digits stand for a space and the like. (go tool pprof prints comments that begin with #
// for -comments only.) What is not there is 0 or "". Programs write facts, so the package imports only what is linked
// into them; analyze/profile reads facts, and analyze/report makes sentences of them.
package facts

import "github.com/pepgo/pep/format/digits"

// Version is that of what is in profiles: of the names and the meaning of sample types, labels and facts. Package
// analyze/profile reads profiles of this version only.
const Version = 1

// A List is the facts of a profile. A profile that was merged has several if settings differ.
type List []Fact

// A Fact is a key with its value: a number, or a text.
type Fact struct {
	Key  Key
	Name string // for a key that a fact can have for each of several names; of a function or a package
	N    uint64
	Text string
}

// A Key says what a fact is about.
type Key uint8

// Keys of facts. Times are in ns.
const (
	version Key = iota

	// How the profile was made.
	Mode
	Form   // of bursts, as the setting ag; "" is simplified. FormWindows: there were no bursts, but windows
	Burst  // samples after a tick
	Stride // see the setting
	Tick   // between ticks
	Clock  // of ticks
	Budget // of sampling, in parts per million of the CPU time; 0 is no limit. It may fall: BudgetEnd
	Engine // of taps; "" is none: every event was counted
	Deliver
	Module // the path of the main module, in profiles whose listings begin with its packages

	// What was counted, and what was not.
	Ticks
	Samples
	Events
	Messages
	Dropped
	Shortened
	Overruns
	Folded
	Erased
	Gapped
	Truncated
	Windows
	WindowSteps    // instructions in windows
	WindowsEnded   // by the reason of their end
	WindowsThrown  // dropped, because they came to a fatal error
	WindowsChanged // that met code other than that of the executable
	TicksInCalls   // at the exit of a system call
	TicksInC       // outside of Go code
	TicksBusy      // without a window, because all interpreters were in use
	TicksUncaught  // without a window, because a fault in one could not have been handled
	Unnoted        // values of instructions that windows had no space for
	UntoldFuncs    // of the program, whose paths its code does not tell
	NearCache      // cycles that a load from there takes at most, with the clock
	FarCache       // likewise
	NoTable        // paths and calls of packages without a site table
	InEngines
	Merged
	MergedRoughly
	InBuffers
	Others     // words for which the table had no space, as one
	Unlabelled // samples whose labels are too long or too many
	NoSpace
	Unsure      // events that may be counted twice or not at all, because the program was killed
	Stopped     // why sampling stopped before the program did
	SampledTime // that sampling took
	TickTime    // of that, what the kernel took to deliver ticks
	BudgetTime  // that sampling might have taken by a budget that falls
	BudgetEnd   // what that was at the end, in parts per million of the CPU time
	CPUTime     // of the program
	DamagedEntries
	DamagedLabels
	DamagedCounters
	DamagedWindows
	NotCounted
	NotTaken
	Handled // messages of the service
	Handling
	MinGap
	GapP1
	Untold      // 1 if goroutines had labels and their samples have none
	EqualBursts // so many bursts of equal weight would be as good
	Unended
	UnknownPaths
	UnknownTaps
	Detached // time from the start until counting stopped because the file was full or cut off

	// Where ticks and calls were. Lists have the names with the highest numbers.
	TicksPlaced
	TicksOutside
	TicksOutsideIn
	TicksMore // of these in packages that -peppkg=all adds
	TicksInside
	TicksInsideIn
	Calls
	CallsOutside
	CallsOutsideTo
	CallsMore
	CallsOpen    // through interfaces and function values
	CallsSampled // 1 if functions with one path are not counted

	numKeys
)

// Values of Mode. Profiles of other programs than those of pepbuild have none.
const (
	ModeExact   = "exact"
	ModeCover   = "cover" // exact, and paths end at decisions
	ModeSampled = "sampled"
	ModeTaps    = "taps"
	ModeReplay  = "replay" // of a trace by pepsim
)

// FormWindows is the form of profiles by windows: at a tick, the program's next instructions were interpreted.
const FormWindows = "windows"

// EndedDone is the name in WindowsEnded of windows that saw all that they should.
const EndedDone = "done"

// Values of Deliver.
const (
	ByInterrupt = "interrupt"
	ByService   = "service"
)

// A rule says what becomes of facts with the same key when profiles are merged.
type rule uint8

const (
	same  rule = iota // facts with different values stay apart, with all others of their profile
	sum               // they add up
	least             // the least one remains
	drop              // none remains
	names             // they add up by name, and names go of which some numbers are not known
)

// A kind says what facts with a key are.
type kind struct {
	name string
	rule rule
	text bool // the value is a text
}

// kind is a function and not a table, because package variables that have pointers are roots, which the collector of
// the profiled program would scan in each cycle.
func (k Key) kind() (x kind) {
	switch k {
	case version:
		return kind{name: "version"}
	case Mode:
		return kind{name: "mode", text: true}
	case Form:
		return kind{name: "form", text: true}
	case Burst:
		return kind{name: "burst"}
	case Stride:
		return kind{name: "stride"}
	case Tick:
		return kind{name: "tick"}
	case Clock:
		return kind{name: "clock", text: true}
	case Budget:
		return kind{name: "budget"}
	case Engine:
		return kind{name: "engine", text: true}
	case Deliver:
		return kind{name: "deliver", text: true}
	case Module:
		return kind{name: "module", text: true}

	case Ticks:
		return kind{name: "ticks", rule: sum}
	case Samples:
		return kind{name: "samples", rule: sum}
	case Events:
		return kind{name: "events", rule: sum}
	case Messages:
		return kind{name: "messages", rule: sum}
	case Dropped:
		return kind{name: "dropped", rule: sum}
	case Shortened:
		return kind{name: "shortened", rule: sum}
	case Overruns:
		return kind{name: "overruns", rule: sum}
	case Folded:
		return kind{name: "repeated_callers", rule: sum}
	case Erased:
		return kind{name: "cycles_left_out", rule: sum}
	case Gapped:
		return kind{name: "middle_left_out", rule: sum}
	case Truncated:
		return kind{name: "outermost_left_out", rule: sum}
	case Windows:
		return kind{name: "windows", rule: sum}
	case WindowSteps:
		return kind{name: "window_steps", rule: sum}
	case WindowsEnded:
		return kind{name: "windows_ended", rule: names}
	case WindowsThrown:
		return kind{name: "windows_thrown", rule: sum}
	case WindowsChanged:
		return kind{name: "windows_changed", rule: sum}
	case TicksInCalls:
		return kind{name: "ticks_in_calls", rule: sum}
	case TicksInC:
		return kind{name: "ticks_in_c", rule: sum}
	case TicksBusy:
		return kind{name: "ticks_busy", rule: sum}
	case TicksUncaught:
		return kind{name: "ticks_uncaught", rule: sum}
	case Unnoted:
		return kind{name: "values_without_space", rule: sum}
	case UntoldFuncs:
		return kind{name: "untold_functions"}
	case NearCache:
		return kind{name: "near_cache_cycles", rule: drop}
	case FarCache:
		return kind{name: "far_cache_cycles", rule: drop}
	case NoTable:
		return kind{name: "without_site_table", rule: sum}
	case InEngines:
		return kind{name: "left_in_engines", rule: sum}
	case Merged:
		return kind{name: "engines_merged", rule: sum}
	case MergedRoughly:
		return kind{name: "engines_merged_roughly", rule: sum}
	case InBuffers:
		return kind{name: "left_in_buffers", rule: sum}
	case Others:
		return kind{name: "counted_as_other", rule: sum}
	case Unlabelled:
		return kind{name: "without_labels", rule: sum}
	case NoSpace:
		return kind{name: "without_space", rule: sum}
	case Unsure:
		return kind{name: "unsure_when_killed", rule: sum}
	case Stopped:
		return kind{name: "stopped", text: true}
	case SampledTime:
		return kind{name: "sampling_time", rule: sum}
	case TickTime:
		return kind{name: "tick_time", rule: sum}
	case BudgetTime:
		return kind{name: "budget_time", rule: sum}
	case BudgetEnd:
		return kind{name: "budget_end", rule: least}
	case CPUTime:
		return kind{name: "cpu_time", rule: sum}
	case DamagedEntries:
		return kind{name: "damaged_entries", rule: sum}
	case DamagedLabels:
		return kind{name: "damaged_labels", rule: sum}
	case DamagedCounters:
		return kind{name: "damaged_counters", rule: sum}
	case DamagedWindows:
		return kind{name: "damaged_windows", rule: sum}
	case NotCounted:
		return kind{name: "taken_not_counted", rule: sum}
	case NotTaken:
		return kind{name: "counted_not_taken", rule: sum}
	case Handled:
		return kind{name: "messages_handled", rule: sum}
	case Handling:
		return kind{name: "handling_time", rule: sum}
	case MinGap:
		return kind{name: "message_gap_min", rule: least}
	case GapP1:
		return kind{name: "message_gap_p1", rule: drop}
	case Untold:
		return kind{name: "labels_not_told"}
	case EqualBursts:
		return kind{name: "equal_bursts", rule: sum}
	case Unended:
		return kind{name: "unended", rule: sum}
	case UnknownPaths:
		return kind{name: "unknown_paths", rule: sum}
	case UnknownTaps:
		return kind{name: "unknown_taps", rule: sum}
	case Detached:
		return kind{name: "counted_until"}

	case TicksPlaced:
		return kind{name: "ticks_placed", rule: sum}
	case TicksOutside:
		return kind{name: "ticks_outside", rule: sum}
	case TicksOutsideIn:
		return kind{name: "ticks_outside_in", rule: names}
	case TicksMore:
		return kind{name: "ticks_peppkg_all", rule: sum}
	case TicksInside:
		return kind{name: "ticks_inside", rule: sum}
	case TicksInsideIn:
		return kind{name: "ticks_inside_in", rule: names}
	case Calls:
		return kind{name: "calls", rule: sum}
	case CallsOutside:
		return kind{name: "calls_outside", rule: sum}
	case CallsOutsideTo:
		return kind{name: "calls_outside_to", rule: names}
	case CallsMore:
		return kind{name: "calls_peppkg_all", rule: sum}
	case CallsOpen:
		return kind{name: "calls_indirect", rule: sum}
	case CallsSampled:
		return kind{name: "calls_sampled"}
	}
	return x
}

// How many names a list has in a profile. That of functions inside has so many that all of a short run are there.
const (
	maxNames  = 50
	maxInside = 300
)

// MaxNames returns how many names the list of a key has in a profile.
func (k Key) MaxNames() int {
	if k == TicksInsideIn {
		return maxInside
	}
	return maxNames
}

// most is the greatest number of a fact.
const most = 999_999_999_999_999_999

// Set adds a fact with a number.
func (f *List) Set(k Key, n uint64) { f.set(Fact{Key: k, N: n}) }

// SetText adds a fact with a text.
func (f *List) SetText(k Key, text string) { f.set(Fact{Key: k, Text: text}) }

// SetName adds a fact for a name. Of a key, the names with the highest numbers come first.
func (f *List) SetName(k Key, name string, n uint64) { f.set(Fact{Key: k, Name: name, N: n}) }

func (f *List) set(x Fact) {
	if x.N > 0 || x.Text != "" || x.Key.kind().rule == least {
		x.N = min(x.N, most) // as a counter that is full
		*f = append(*f, x)
	}
}

// Number returns the number of a key that has no names, 0 if there is none.
func (f List) Number(k Key) uint64 { return f.find(k).N }

// Text returns the text of a key, "" if there is none.
func (f List) Text(k Key) string { return f.find(k).Text }

func (f List) find(k Key) (x Fact) {
	for i := range f {
		if f[i].Key == k {
			return f[i]
		}
	}
	return x
}

// Mark begins a comment with facts.
const Mark = "#pep.version="

// Encode returns the comment of a profile with the facts.
func (f List) Encode() string {
	b := append([]byte(Mark), digits.Uint(Version)...)
	for k := range numKeys {
		for i := range f {
			x := &f[i]
			if x.Key != k {
				continue
			}
			b = append(append(b, ' '), k.kind().name...)
			if k.kind().rule == names {
				b = escape(append(b, '/'), x.Name)
			}
			b = append(b, '=')
			if k.kind().text {
				b = escape(b, x.Text)
			} else {
				b = append(b, digits.Uint(x.N)...)
			}
		}
	}
	return string(b)
}

// escape appends a text, in which %20 stands for a space.
func escape(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	for i := range len(text) {
		switch c := text[i]; {
		case c <= ' ' || c == '%' || c == '=' || c == 0x7f:
			b = append(b, '%', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return b
}
