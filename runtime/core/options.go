package core

// This file reads what the environment has to say: PEPOPTS and PEPDIR.

import "github.com/pepgo/pep/runtime/items"

// Default parameters: PEP(64,17) (section 4.4 of the paper) at 100 ticks of CPU
// time a second.
const (
	defaultSamples = 64
	defaultStride  = 17
	defaultTick    = 10_000_000
	minTick        = 100_000 // ns
)

// options are the settings of PEPOPTS. The kernel looks at CPU-time timers when
// its scheduler ticks: at HZ=250 there are no more than 250 ticks a second,
// whatever tick says. (The comment in a profile has the number.)
type options struct {
	samples, stride, form uint32
	tick                  uint64 // ns
	tapping
}

// tapping are the options of taps.
type tapping struct {
	taps    uint32 // tapsOff, …
	engine  string // engineExact, or a description for package hwsim/engines
	deliver uint32 // deliverInterrupt, …
	full    uint32 // fullBlock or fullDrop
	trace   string // file for the trace, "" for none
}

// tapOptions are those of this program.
var tapOptions tapping

var defaultOptions = options{samples: defaultSamples, stride: defaultStride, form: agSimplified, tick: defaultTick,
	tapping: tapping{taps: defaultTaps, engine: engineExact}}

// parseOptions reads "samples=64,stride=17,tick=10ms,ag=simplified", any part
// of it in any order. Commas within parentheses or quotation marks are part of a
// value, and so are not quotation marks around all of it. A problem is a
// sentence's end for the user, "" if there is none.
func parseOptions(s string) (o options, problem string) {
	o = defaultOptions
	if at, found := items.Unclosed(s); found {
		return o, s + ": no counterpart to " + s[at:at+1]
	}
	for s != "" {
		var item string
		item, s, _ = items.Cut(s, ',')
		name, value, ok := cut(item, '=')
		if !ok {
			return o, quote(item) + " is not of the form name=value"
		}
		if problem := o.set(name, items.Unquote(value)); problem != "" {
			return o, problem
		}
	}
	if o.deliver == deliverRing && o.trace != "" {
		return o, "deliver=ring leaves engines and traces to the reader: no trace="
	}
	return o, ""
}

func (o *options) set(name, value string) (problem string) {
	switch name {
	case "samples":
		n, ok := parseUint(value)
		if !ok || n < 1 || n > 1<<31-1 {
			return "samples=" + value + " is not a number from 1 on"
		}
		o.samples = uint32(n)
	case "stride":
		n, ok := parseUint(value)
		if !ok || n < 1 || n > maxStride {
			return "stride=" + value + " is not a number from 1 to 65535"
		}
		o.stride = uint32(n)
	case "tick":
		n, ok := parseDuration(value)
		if !ok || n < minTick {
			return "tick=" + value + " is not a time from 100us on, such as 10ms"
		}
		o.tick = n
	case "ag":
		switch value {
		case "simplified":
			o.form = agSimplified
		case "regular":
			o.form = agRegular
		case "jikes":
			o.form = agJikes
		case "timer":
			o.form, o.samples, o.stride = agSimplified, 1, 1
		default:
			return "ag=" + value + " is none of simplified, regular, jikes, timer"
		}
	case "engine":
		if len(value) > len(area.Engine) {
			return "engine=" + value[:20] + "… is longer than 256 bytes"
		}
		if problem := parseEngine(value); problem != "" {
			return problem
		}
		o.engine = value
	case "trace":
		o.trace = value
	case "taps":
		return choose(&o.taps, name, value, "off", "full", "burst")
	case "deliver":
		return choose(&o.deliver, name, value, "interrupt", "service", "ring")
	case "full":
		return choose(&o.full, name, value, "block", "drop")
	default:
		return quote(name) + " is none of samples, stride, tick, ag, taps, engine, deliver, full, trace"
	}
	return ""
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

// parseUint reads a decimal number of at most 18 digits.
func parseUint(s string) (n uint64, ok bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + uint64(s[i]-'0')
	}
	return n, true
}

// parseDuration reads a whole number with a unit, in nanoseconds.
func parseDuration(s string) (ns uint64, ok bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	n, ok := parseUint(s[:i])
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

// lookup returns the value of the variable name in environment env.
func lookup(env []string, name string) string {
	for _, e := range env {
		if k, v, ok := cut(e, '='); ok && k == name {
			return v
		}
	}
	return ""
}

func cut(s string, sep byte) (before, after string, found bool) {
	for i := range len(s) {
		if s[i] == sep {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

func quote(s string) string { return `"` + s + `"` }

func base(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}
