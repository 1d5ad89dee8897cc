package options

import (
	"testing"

	"github.com/pepgo/pep/runtime/pace"
	"github.com/pepgo/pep/runtime/sampler"
)

func TestOptions(t *testing.T) {
	with := func(f func(o *Options)) Options {
		o := Default
		f(&o)
		return o
	}
	// Settings of what sampling costs are without a budget.
	unlimited := func(f func(o *Options)) Options {
		o := with(f)
		o.Budget = pace.Budget{}
		return o
	}
	constant := func(n uint64) pace.Budget { return pace.Budget{First: n, Least: n} }
	for _, test := range []struct {
		in   string
		want Options
	}{
		{"", Default},
		{"samples=64,stride=17,tick=10ms,ag=simplified", unlimited(func(o *Options) {})},
		{"samples=1024", unlimited(func(o *Options) { o.Samples = 1024 })},
		{"ag=regular,stride=65535", unlimited(func(o *Options) { o.Form, o.Stride = sampler.AgRegular, 65535 })},
		{"ag=jikes", unlimited(func(o *Options) { o.Form = sampler.AgJikes })},
		{"ag=timer", unlimited(func(o *Options) { o.Samples, o.Stride = 1, 1 })},
		{"tick=500us", unlimited(func(o *Options) { o.Tick = 500_000 })},
		{"engine=H[P256]2048+A16@seed=3,deliver=service",
			with(func(o *Options) { o.Engine, o.Deliver = "H[P256]2048+A16@seed=3", DeliverService })},
		{"engine=exact,taps=off,full=drop", with(func(o *Options) { o.Taps, o.Full = TapsOff, FullDrop })},
		{"deliver=service,taps=off", with(func(o *Options) { o.Taps, o.Deliver = TapsOff, DeliverService })},
		{"trace=a.trace", with(func(o *Options) { o.Trace = "a.trace" })},
		{`trace="a,b=1.trace",tick=2s`, unlimited(func(o *Options) { o.Trace, o.Tick = "a,b=1.trace", 2_000_000_000 })},
		{"engine=strat(H[P4]8):A16,samples=3", unlimited(func(o *Options) { o.Engine, o.Samples = "strat(H[P4]8):A16", 3 })},
		{"tick=2s", unlimited(func(o *Options) { o.Tick = 2_000_000_000 })},
		{"stride=3", with(func(o *Options) { o.Stride = 3 })},
		{"budget=off", with(func(o *Options) { o.Budget = pace.Budget{} })},
		{"budget=0.5%", with(func(o *Options) { o.Budget = constant(5_000) })},
		{"budget=0.01%,tick=2s", with(func(o *Options) { o.Budget, o.Tick = constant(100), 2_000_000_000 })},
		{"samples=9,budget=1.2345%", with(func(o *Options) { o.Budget, o.Samples = constant(12_345), 9 })},
		{"budget=100%", with(func(o *Options) { o.Budget = constant(1_000_000) })},
	} {
		if got, problem := Parse(test.in, noEngine); got != test.want || problem != "" {
			t.Errorf("%q: got %+v, %q, want %+v", test.in, got, problem, test.want)
		}
	}
}

func TestMalformedOptions(t *testing.T) {
	for in, want := range map[string]string{
		"samples":                   `"samples" is not of the form name=value`,
		"say=loud":                  "say=loud is none of terminal, never, always",
		"rate=3":                    `"rate" is none of samples, stride, tick, budget, values, say, taps, engine, trace`,
		"values=loads":              `values= is about values that windows note, and this program has no windows: build it without -pepmode and -peptaps, or leave out the setting`,
		"samples=0":                 `samples=0 is not a number from 1 on`,
		"samples=4294967296":        `samples=4294967296 is not a number from 1 on`,
		"stride=65536":              `stride=65536 is not a number from 1 to 65535`,
		"stride=-1":                 `stride=-1 is not a number from 1 to 65535`,
		"tick=10":                   `tick=10 is not a time from 100us on, such as 10ms`,
		"tick=1us":                  `tick=1us is not a time from 100us on, such as 10ms`,
		"tick=99999999999999999ms":  `tick=99999999999999999ms is not a time from 100us on, such as 10ms`,
		"budget=0":                  `budget=0 is not a percentage from 0.01% to 100%, such as 0.5%, and not off`,
		"budget=0.001%":             `budget=0.001% is not a percentage from 0.01% to 100%, such as 0.5%, and not off`,
		"budget=100.01%":            `budget=100.01% is not a percentage from 0.01% to 100%, such as 0.5%, and not off`,
		"budget=0.50000%":           `budget=0.50000% is not a percentage from 0.01% to 100%, such as 0.5%, and not off`,
		"budget=.5%":                `budget=.5% is not a percentage from 0.01% to 100%, such as 0.5%, and not off`,
		"budget=-1%":                `budget=-1% is not a percentage from 0.01% to 100%, such as 0.5%, and not off`,
		"budget=1%,budget=2%":       `budget= is given twice`,
		"ag=none":                   `ag=none is none of simplified, regular, jikes, timer`,
		"engine=bad":                `this engine is bad`,
		"taps=some":                 `taps=some is none of off, full`,
		"deliver=":                  `deliver= is none of interrupt, service`,
		"full=wait":                 `full=wait is none of block, drop`,
		"deliver=ring":              `deliver=ring is none of interrupt, service`,
		"engine=R256,engine=exact":  `engine= is given twice`,
		"tick=1ms,ag=jikes,tick=1s": `tick= is given twice`,
		"samples=64,,stride=1":      `"" is not of the form name=value`,
		"engine=strat(P4,samples=3": `engine=strat(P4,samples=3: no counterpart to (`,
		`trace="a,b`:                `trace="a,b: no counterpart to "`,
		"engine=strat(P4),rate=3":   `"rate" is none of samples, stride, tick, budget, values, say, taps, engine, trace`,
	} {
		if _, problem := Parse(in, noEngine); problem != want {
			t.Errorf("%q: %s, want %s", in, problem, want)
		}
	}
}

// noEngine stands in for the parser of engines.
func noEngine(text string) (problem string) {
	if text == "bad" {
		return "this engine is bad"
	}
	return ""
}

// Values of windows add up, in any order.
func TestValues(t *testing.T) {
	var o Options
	for _, word := range []string{"results", "loads", "loads"} {
		if problem := o.addValue(word); problem != "" {
			t.Error(problem)
		}
	}
	if o.Values != ValueLoads|ValueResults {
		t.Errorf("values %b", o.Values)
	}
	if got, want := o.addValue("stores"), "values=stores is none of loads, args, results, addresses"; got != want ||
		o.Values != ValueLoads|ValueResults {
		t.Errorf("%q, want %q; values %b", got, want, o.Values)
	}
}
