// Package facts has what a profile says of itself besides its samples: how it was made, and what is not in it.
// A List of facts is one comment of a profile, for programs, and makes the sentences that people read:
//
//	var f facts.List
//	f.SetText(facts.Mode, facts.ModeExact)
//	f.Set(facts.Unended, 3)
//	f.Comments() // "pep: exact, every path counted, 3 have not ended", "#pep.version=1 mode=exact unended=3"
//
// In the last comment % and two hexadecimal digits stand for a space and the like. (go tool pprof prints comments
// that begin with # on request only.) What is not there is 0 or "". Nothing reads the sentences. Programs write
// facts, so the package imports only what is linked into them; analyze/profile reads them.
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
	NoTable
	InEngines
	Merged
	MergedRoughly
	InBuffers
	Others
	Unlabelled
	NoSpace
	Unsure
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

// A kind says what facts with a key are. The first sentence has those with text around their number, in the order of
// keys.
type kind struct {
	name          string
	rule          rule
	text          bool      // the value is a text
	always        [2]string // modes in which the sentence has the number even if it is 0
	before, after string
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
		return kind{name: "ticks", rule: sum, always: [2]string{ModeSampled}, after: " ticks"}
	case Samples:
		return kind{name: "samples", rule: sum, always: [2]string{ModeSampled}, after: " samples"}
	case Events:
		return kind{name: "events", rule: sum, always: [2]string{ModeTaps, ModeReplay}, after: " events"}
	case Messages:
		return kind{name: "messages", rule: sum, after: " messages"}
	case Dropped:
		return kind{name: "dropped", rule: sum, always: [2]string{ModeSampled, ModeTaps}, after: " dropped"}
	case Shortened:
		return kind{name: "shortened", rule: sum, always: [2]string{ModeSampled}, after: " shortened"}
	case Overruns:
		return kind{name: "overruns", rule: sum, after: " overruns"}
	case Folded:
		return kind{name: "repeated_callers", rule: sum, after: " with repeated callers of recursion left out"}
	case Erased:
		return kind{name: "cycles_left_out", rule: sum, after: " with cycles of recursion left out"}
	case Gapped:
		return kind{name: "middle_left_out", rule: sum, after: " with callers in the middle left out"}
	case Truncated:
		return kind{name: "outermost_left_out", rule: sum, after: " without the outermost callers of a deep stack"}
	case Windows:
		return kind{name: "windows", rule: sum, after: " windows"}
	case WindowSteps:
		return kind{name: "window_steps", rule: sum}
	case WindowsEnded:
		return kind{name: "windows_ended", rule: names}
	case WindowsThrown:
		return kind{name: "windows_thrown", rule: sum,
			after: " windows dropped, because they came to a fatal error that the program did not have"}
	case WindowsChanged:
		return kind{name: "windows_changed", rule: sum,
			after: " windows that met code other than the executable's, which is in no path"}
	case TicksInCalls:
		return kind{name: "ticks_in_calls", rule: sum, after: " ticks in system calls"}
	case TicksInC:
		return kind{name: "ticks_in_c", rule: sum, after: " ticks outside of Go code"}
	case TicksBusy:
		return kind{name: "ticks_busy", rule: sum, after: " ticks without a window, because all interpreters were in use"}
	case TicksUncaught:
		return kind{name: "ticks_uncaught", rule: sum,
			after: " ticks without a window, because a fault in one could not have been handled"}
	case Unnoted:
		return kind{name: "unnoted", rule: sum, after: " values in windows that had no space for them"}
	case UntoldFuncs:
		return kind{name: "untold_functions", before: "no paths of ",
			after: " functions, since the compiler has left no instructions that tell them: pep sites lists them as skipped"}
	case NearCache:
		return kind{name: "near_cache", rule: drop, before: "the near cache takes ", after: " cycles at most"}
	case FarCache:
		return kind{name: "far_cache", rule: drop, before: "the far one ", after: " cycles"}
	case NoTable:
		return kind{name: "no_table", rule: sum, before: "but ", after: " paths and calls of packages without a site table"}
	case InEngines:
		return kind{name: "in_engines", rule: sum, after: " left in engines"}
	case Merged:
		return kind{name: "engines_merged", rule: sum, after: " engines merged"}
	case MergedRoughly:
		return kind{name: "engines_merged_roughly", rule: sum, after: " engines merged, so that counts are approximate"}
	case InBuffers:
		return kind{name: "in_buffers", rule: sum, after: " left in buffers"}
	case Others:
		return kind{name: "other", rule: sum, after: " of words without space, as other"}
	case Unlabelled:
		return kind{name: "without_labels", rule: sum, after: " without labels, which are too long or too many"}
	case NoSpace:
		return kind{name: "no_room", rule: sum, after: " without space"}
	case Unsure:
		return kind{name: "unsure", rule: sum, after: " at most counted twice or not at all when the program was killed"}
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
		return kind{name: "damaged_entries", rule: sum, before: "damaged: ", after: " entries with a wrong hash"}
	case DamagedLabels:
		return kind{name: "damaged_labels", rule: sum, before: "damaged: ", after: " entries whose labels have a wrong hash"}
	case DamagedCounters:
		return kind{name: "damaged_counters", rule: sum, before: "damaged: ", after: " counters are too large to be right"}
	case DamagedWindows:
		return kind{name: "damaged_windows", rule: sum, before: "damaged: ", after: " windows with a wrong checksum"}
	case NotCounted:
		return kind{name: "not_counted", rule: sum, after: " taken but not counted"}
	case NotTaken:
		return kind{name: "not_taken", rule: sum, before: "damaged: ", after: " counted but not taken"}
	case Handled:
		return kind{name: "handled", rule: sum}
	case Handling:
		return kind{name: "handling_time", rule: sum}
	case MinGap:
		return kind{name: "gap_min", rule: least}
	case GapP1:
		return kind{name: "gap_p1", rule: drop}
	case Untold:
		return kind{name: "labels_not_told"}
	case EqualBursts:
		return kind{name: "equal_bursts", rule: sum, before: "bursts weigh like ", after: " equal ones"}
	case Unended:
		return kind{name: "unended", rule: sum, after: " have not ended"}
	case UnknownPaths:
		return kind{name: "unknown_paths", rule: sum, after: " of functions unknown to the site tables"}
	case UnknownTaps:
		return kind{name: "unknown_taps", rule: sum, after: " at taps unknown to the site tables"}
	case Detached:
		return kind{name: "detached"}

	case TicksPlaced:
		return kind{name: "ticks_placed", rule: sum}
	case TicksOutside:
		return kind{name: "ticks_outside", rule: sum}
	case TicksOutsideIn:
		return kind{name: "ticks_outside_in", rule: names}
	case TicksMore:
		return kind{name: "ticks_more", rule: sum}
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
		return kind{name: "calls_more", rule: sum}
	case CallsOpen:
		return kind{name: "calls_open", rule: sum}
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

// Comments returns the comments of a profile with the facts: the sentences for people, then that for programs.
func (f List) Comments() []string { return append(f.Sentences(), f.Encode()) }

// Mark begins a comment with facts, and Sentence one with a sentence.
const (
	Mark     = "#pep.version="
	Sentence = "pep: "
)

// Encode returns the comment that programs read.
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

// Sentences returns what people read: how the profile was made and what it lacks, and which share of ticks and calls
// was outside of the functions that it is about.
func (f List) Sentences() (list []string) {
	mode := f.Text(Mode)
	if mode == "" {
		return nil
	}
	s := Sentence + f.How()
	for k := range numKeys {
		s += f.part(k, mode)
	}
	return append(append(list, s), f.outside()...)
}

// part returns what the first sentence says of a key, with the separator before it.
func (f List) part(k Key, mode string) (s string) {
	n := f.Number(k)
	switch k {
	case Messages:
		if mode == ModeReplay {
			s = " in " + digits.Uint(n) + " messages"
		}
		return s
	case Stopped:
		if why := f.Text(k); why != "" {
			s = ", sampling stopped: " + why
		}
	case SampledTime:
		s = f.took()
	case Handled:
		s = f.gaps()
	case Untold:
		if n > 0 {
			s = ", without labels of goroutines, which engines and 32-bit programs do not tell apart"
		}
	case Detached:
		if n > 0 {
			s = ", until the disk was full or the file was cut off " + digits.Uint(n/1e6) + "ms after the start"
		}
	}
	if x := k.kind(); x.after != "" && (n > 0 || x.always[0] == mode || x.always[1] == mode) {
		s += ", " + x.before + digits.Uint(n) + x.after
	}
	return s
}

// Lacks returns the parts of the first sentence that say what the profile lacks, as far as that changes what a reader
// concludes: "4 dropped". It leaves out what is for those who look after the sampling itself.
func (f List) Lacks() (list []string) {
	for k := range numKeys {
		switch k {
		case Ticks, Samples, Events, Messages, SampledTime, NearCache, FarCache, Handled, EqualBursts, Unended:
			continue
		case Shortened, Overruns, Folded, Erased, Gapped, Truncated, Windows, WindowsThrown, WindowsChanged, TicksInCalls,
			TicksInC,
			TicksBusy, TicksUncaught, UntoldFuncs:
			continue
		}
		if s := f.part(k, "lacks"); s != "" { // no mode, so that what is 0 is left out
			list = append(list, s[len(", "):])
		}
	}
	return list
}

// How says how the profile was made.
func (f List) How() string {
	switch f.Text(Mode) {
	case ModeExact:
		return "exact, every path counted"
	case ModeCover:
		return "cover, every path counted, up to the next decision"
	case ModeReplay:
		return "replay, engine " + f.Text(Engine)
	case ModeSampled:
		form := f.Text(Form)
		if form == FormWindows {
			return "sampled in windows, tick " + duration(f.Number(Tick)) + " " + f.Text(Clock)
		}
		if form != "" {
			form += " "
		}
		return "sampled " + form + "PEP(" + digits.Uint(f.Number(Burst)) + "," + digits.Uint(f.Number(Stride)) + "), tick " +
			duration(f.Number(Tick)) + " " + f.Text(Clock)
	}
	s := "taps, every event counted"
	if e := f.Text(Engine); e != "" {
		s = "taps, engine " + e
	}
	return s + ", by " + f.Text(Deliver)
}

// took says what sampling has taken, and of what the budget was a part.
func (f List) took() string {
	all := f.Number(CPUTime)
	if all == 0 {
		return ""
	}
	s := ", sampling took " + digits.Uint(f.Number(SampledTime)/1e6) + "ms, " + percent(f.Number(SampledTime), all, 2)
	n, end := f.Number(Budget), f.Number(BudgetEnd)
	switch {
	case end != 0 && end != n:
		s += " (budget " + percent(f.Number(BudgetTime), all, 2) + " on average, " + percent(end, 1e6, 2) + " at the end)"
	case n > 0:
		s += " (budget " + percent(n, 1e6, 2) + ")"
	}
	if n := f.Number(TickTime); n > 0 {
		s += ", of which ticks " + percent(n, all, 2)
	}
	return s
}

// gaps says how long the gaps between messages were, and how long the service took for one.
func (f List) gaps() string {
	n := f.Number(Handled)
	if n == 0 {
		return ""
	}
	s := ", gap between messages at least " + digits.Uint(f.Number(MinGap)) + "ns, "
	if p1 := f.Number(GapP1); p1 > 0 {
		s += "p1 " + digits.Uint(p1) + "ns, "
	}
	return s + digits.Uint(f.Number(Handling)/n) + "ns to handle one"
}

// outside says which share of ticks and calls was outside of the functions that the profile is about.
//
//	pep: 98.0% of 250 ticks were outside of instrumented functions: encoding/json 55.6%,
//	strconv 30.0%, runtime 12.4% (-peppkg=all instruments more)
//
//	pep: 38.2% of calls on paths go outside of instrumented functions: encoding/json.Marshal
//	30.0%, fmt.Println 8.2% (-peppkg=all instruments more); 12.0% go through interfaces and
//	function values, their targets are not known; calls by functions outside or with one path
//	are not counted
func (f List) outside() (list []string) {
	inside, does := "instrumented functions", "instruments"
	if f.Text(Mode) == ModeTaps {
		inside, does = "functions with taps", "taps"
	}
	more := func(n, all uint64) string {
		if n < all/10+min(all%10, 1) {
			return "" // not worth another build
		}
		return " (-peppkg=all " + does + " more)"
	}
	if all, n := f.Number(TicksPlaced), f.Number(TicksOutside); all > 0 && n > 0 {
		list = append(list, Sentence+percent(n, all,
			1)+" of "+digits.Uint(all)+" ticks were outside of "+inside+f.list(TicksOutsideIn, n, all)+more(f.Number(TicksMore),
			all))
	}
	all := f.Number(Calls)
	if all == 0 {
		return list
	}
	n := f.Number(CallsOutside)
	s := Sentence + percent(n, all, 1) + " of calls on paths go outside of " + inside + f.list(CallsOutsideTo, n,
		all) + more(f.Number(CallsMore), all)
	if open := f.Number(CallsOpen); open > 0 {
		s += "; " + percent(open, all, 1) + " go through interfaces and function values, their targets are not known"
	}
	s += "; calls by functions outside"
	if f.Number(CallsSampled) > 0 {
		s += " or with one path"
	}
	return append(list, s+" are not counted")
}

// named is how many names a sentence has.
const named = 5

// list returns the first names of a key with their shares, and with a colon before them. The numbers of all names add
// up to n.
func (f List) list(k Key, n, all uint64) (s string) {
	count, separator := 0, ": "
	for i := range f {
		if f[i].Key != k || count == named {
			continue
		}
		s += separator + f[i].Name + " " + percent(f[i].N, all, 1)
		n -= min(f[i].N, n)
		separator = ", "
		count++
	}
	if n > 0 {
		s += separator + "…"
	}
	return s
}

// percent returns the share of n in all with some digits behind the point. The numbers can be
// large: calls are in 1/1000 samples.
func percent(n, all uint64, places int) string {
	one := uint64(10) // 1 %
	if places == 2 {
		one = 100
	}
	share := uint64(float64(n)*100*float64(one)/float64(all) + .5)
	return digits.Uint(share/one) + "." + digits.Uint(share%one + one)[1:] + "%"
}

// duration writes ns as PEPOPTS has it.
func duration(ns uint64) string {
	for _, u := range [...]struct {
		ns   uint64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}} {
		if ns%u.ns == 0 {
			return digits.Uint(ns/u.ns) + u.name
		}
	}
	return digits.Uint(ns) + "ns"
}
