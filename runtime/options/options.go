package options

// This file reads PEPOPTS.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/items"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pace"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sampler"
)

// Ways of delivery.
const (
	DeliverInterrupt = iota
	DeliverService
)

// What a P does when the queue of the service is full.
const (
	FullBlock = iota // wait
	FullDrop         // drop the buffer and count what was in it
)

// EngineExact stands for no engine: every tuple is counted.
const EngineExact = "exact"

// Default parameters: PEP(64,17) (section 4.4 of the paper) at 100 ticks of CPU
// time a second.
const (
	defaultSamples = 64
	defaultStride  = 17
	defaultTick    = 10_000_000
	defaultBudget  = 40_000  // parts per million
	minTick        = 100_000 // ns

	// Of programs that sample in windows, for the first second and after 625 s.
	windowsBudget      = 25_000
	leastWindowsBudget = 1_000
)

// maxEngine is how long the description of an engine may be, in bytes.
const maxEngine = 256

// Options are the settings of PEPOPTS. The kernel looks at CPU-time timers when
// its scheduler ticks: at HZ=250 there are no more than 250 ticks a second,
// whatever tick says. (The comment in a profile has the number.)
type Options struct {
	Samples, Stride, Form uint32
	Tick                  uint64      // ns
	Budget                pace.Budget // of the CPU time for sampling
	Say                   uint32      // SayOnTerminal, …
	Values                uint32      // that windows note beside calls and types: ValueLoads | …
	Tapping
}

// Values that windows note, as bits.
const (
	ValueLoads     = 1 << iota // what instructions load
	ValueArgs                  // arguments of functions in registers
	ValueResults               // and results
	ValueAddresses             // from where instructions load
)

// values are the words of the setting values, in the order of bits.
var values = [...]string{"loads", "args", "results", "addresses"}

// When the program says which profiles it has written.
const (
	SayOnTerminal = iota // if standard error is a terminal
	SayNever
	SayAlways
)

// Says are the values of the setting say.
var Says = [...]string{"terminal", "never", "always"}

// Tapping has the options of taps.
type Tapping struct {
	Taps    uint32 // TapsOff, …
	Engine  string // EngineExact, or a description for package hwsim/engines
	Deliver uint32 // DeliverInterrupt, …
	Full    uint32 // FullBlock or FullDrop
	Trace   string // file for the trace, "" for none
}

var Default = Options{Samples: defaultSamples, Stride: defaultStride, Form: sampler.AgSimplified, Tick: defaultTick,
	Budget:  pace.Budget{First: defaultBudget, Least: defaultBudget},
	Tapping: Tapping{Taps: TapsFull, Engine: EngineExact}}

// Parse reads "samples=64,stride=17,tick=10ms,ag=simplified,budget=0.5%". The settings may be in any
// order, and all may be left out. Without a budget there is the default one, but none if
// samples, tick or ag are given. Commas within parentheses or quotation marks are part
// of a value; quotation marks around a whole value are not. The problem is the end of a
// sentence for the user, or "". The function engine returns what is wrong with the
// description of an engine, or "".
func Parse(s string, engine func(text string) (problem string)) (o Options, problem string) {
	o = Default
	if poll.Interprets {
		o.Budget = pace.Budget{First: windowsBudget, Least: leastWindowsBudget}
	}
	if at, found := items.Unclosed(s); found {
		return o, s + ": no counterpart to " + s[at:at+1]
	}
	var given []string
	for s != "" {
		var item string
		item, s, _ = items.Cut(s, ',')
		name, value, ok := items.CutPlain(item, '=')
		if !ok && len(given) > 0 && given[len(given)-1] == "values" && item != "" { // values=loads,args
			if problem := o.addValue(item); problem != "" {
				return o, problem
			}
			continue
		}
		if !ok {
			return o, items.Quote(item) + " is not of the form name=value"
		}
		if has(given, name) {
			return o, name + "= is given twice"
		}
		given = append(given, name)
		if problem := o.set(name, items.Unquote(value), engine); problem != "" {
			return o, problem
		}
	}
	if !has(given, "budget") && (has(given, "samples") || has(given, "tick") || has(given, "ag")) {
		o.Budget = pace.Budget{} // the user has set what sampling costs
	}
	return o, ""
}

func has(list []string, name string) bool {
	for _, x := range list {
		if x == name {
			return true
		}
	}
	return false
}

func (o *Options) set(name, value string, engine func(text string) (problem string)) (problem string) {
	if poll.Interprets && (name == "samples" || name == "stride" || name == "ag") {
		return name + "= chooses polls, and this program has windows, of which all paths count: build it with -pepmode=polls, or leave out the setting"
	}
	if golink.Linked && !golink.TapsLinked &&
		(name == "engine" || name == "trace" || name == "taps" || name == "deliver" || name == "full") {
		problem = name + "= is about taps, and this program has none: build it with -peptaps, or leave out the setting"
		if name == "engine" && poll.Interprets {
			problem += "; windows note too few events for an engine, and their profiles have the sums of all that they note; pep ranges reads the addresses that PEPOPTS=values=addresses notes"
		}
		return problem
	}
	switch name {
	case "values":
		if !poll.Interprets {
			return name + "= is about values that windows note, and this program has no windows: build it without -pepmode and -peptaps, or leave out the setting"
		}
		for more := true; more; {
			var word string
			word, value, more = items.CutPlain(value, ',')
			if problem := o.addValue(word); problem != "" {
				return problem
			}
		}
	case "samples":
		n, ok := digits.Parse(value)
		if !ok || n < 1 || n > 1<<31-1 {
			return "samples=" + value + " is not a number from 1 on"
		}
		o.Samples = uint32(n)
	case "stride":
		n, ok := digits.Parse(value)
		if !ok || n < 1 || n > sampler.MaxStride {
			return "stride=" + value + " is not a number from 1 to 65535"
		}
		o.Stride = uint32(n)
	case "tick":
		n, ok := parseDuration(value)
		if !ok || n < minTick {
			return "tick=" + value + " is not a time from 100us on, such as 10ms"
		}
		o.Tick = n
	case "budget":
		n, ok := parseBudget(value)
		if !ok {
			return "budget=" + value + " is not a percentage from 0.01% to 100%, such as 0.5%, and not off"
		}
		o.Budget = pace.Budget{First: n, Least: n}
	case "ag":
		switch value {
		case "simplified":
			o.Form = sampler.AgSimplified
		case "regular":
			o.Form = sampler.AgRegular
		case "jikes":
			o.Form = sampler.AgJikes
		case "timer":
			o.Form, o.Samples, o.Stride = sampler.AgSimplified, 1, 1
		default:
			return "ag=" + value + " is none of simplified, regular, jikes, timer"
		}
	case "engine":
		if len(value) > maxEngine {
			return "engine=" + value[:20] + "… is longer than 256 bytes"
		}
		if problem := engine(value); problem != "" {
			return problem
		}
		o.Engine = value
	case "trace":
		o.Trace = value
	case "say":
		return choose(&o.Say, name, value, Says[:]...)
	case "taps":
		return choose(&o.Taps, name, value, "off", "full")
	case "deliver":
		return choose(&o.Deliver, name, value, "interrupt", "service")
	case "full":
		return choose(&o.Full, name, value, "block", "drop")
	default:
		return items.Quote(name) + " is none of samples, stride, tick, budget, values, say, taps, engine, trace"
	}
	return ""
}

// addValue adds a word of the setting values.
func (o *Options) addValue(word string) (problem string) {
	var i uint32
	problem = choose(&i, "values", word, values[:]...)
	if problem == "" {
		o.Values |= 1 << i
	}
	return problem
}

// choose sets x to the index of value among names.
func choose(x *uint32, name, value string, names ...string) (problem string) {
	all := ""
	for i, n := range names {
		if n == value {
			*x = uint32(i)
			return ""
		}
		if i > 0 {
			all += ", "
		}
		all += n
	}
	return name + "=" + value + " is none of " + all
}

// parseDuration reads a whole number with a unit, in nanoseconds.
func parseDuration(s string) (ns uint64, ok bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	n, ok := digits.Parse(s[:i])
	if !ok || n > 1e9 {
		return 0, false
	}
	switch s[i:] {
	case "ns":
		return n, true
	case "us", "µs":
		return n * 1e3, true
	case "ms":
		return n * 1e6, true
	case "s":
		return n * 1e9, true
	}
	return 0, false
}

// parseBudget reads a percentage with up to four decimals, "0.5%", in parts per million. It
// reads "off" as 0.
func parseBudget(value string) (ppm uint64, ok bool) {
	if value == "off" {
		return 0, true
	}
	if value == "" || value[len(value)-1] != '%' {
		return 0, false
	}
	whole, fraction, _ := items.CutPlain(value[:len(value)-1], '.')
	if len(fraction) > 4 {
		return 0, false
	}
	ppm, ok = digits.Parse(whole + (fraction + "0000")[:4])
	return ppm, ok && whole != "" && ppm >= 100 && ppm <= 1_000_000
}

// Lookup returns the value of the variable name in environment env.
func Lookup(env []string, name string) string {
	for _, e := range env {
		if k, v, ok := items.CutPlain(e, '='); ok && k == name {
			return v
		}
	}
	return ""
}

// Values of Taps.
const (
	TapsOff  = iota // nothing
	TapsFull        // every event
)

// Facts says how the profile of taps was made.
func (o Tapping) Facts() (f facts.List) {
	f.SetText(facts.Mode, facts.ModeTaps)
	if o.Engine != EngineExact {
		f.SetText(facts.Engine, o.Engine)
	}
	f.SetText(facts.Deliver, [...]string{facts.ByInterrupt, facts.ByService}[min(o.Deliver, DeliverService)])
	return f
}

// Comment is the comment of a trace.
func (o Tapping) Comment() string { return o.Facts().Encode() }
