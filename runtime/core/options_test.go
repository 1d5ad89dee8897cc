package core

import "testing"

func TestOptions(t *testing.T) {
	with := func(f func(o *options)) options {
		o := defaultOptions
		f(&o)
		return o
	}
	for _, test := range []struct {
		in   string
		want options
	}{
		{"", defaultOptions},
		{"samples=64,stride=17,tick=10ms,ag=simplified", defaultOptions},
		{"samples=1024", with(func(o *options) { o.samples = 1024 })},
		{"ag=regular,stride=65535", with(func(o *options) { o.form, o.stride = agRegular, 65535 })},
		{"ag=jikes", with(func(o *options) { o.form = agJikes })},
		{"ag=timer", with(func(o *options) { o.samples, o.stride = 1, 1 })},
		{"tick=500us", with(func(o *options) { o.tick = 500_000 })},
		{"engine=H[P256]2048+A16@seed=3,deliver=service", with(func(o *options) { o.engine, o.deliver = "H[P256]2048+A16@seed=3", deliverService })},
		{"engine=exact,taps=burst,full=drop", with(func(o *options) { o.taps, o.full = tapsBurst, fullDrop })},
		{"deliver=ring,taps=off", with(func(o *options) { o.taps, o.deliver = tapsOff, deliverRing })},
		{"trace=a.trace", with(func(o *options) { o.trace = "a.trace" })},
		{`trace="a,b=1.trace",tick=2s`, with(func(o *options) { o.trace, o.tick = "a,b=1.trace", 2_000_000_000 })},
		{"engine=strat(H[P4]8):A16,samples=3", with(func(o *options) { o.engine, o.samples = "strat(H[P4]8):A16", 3 })},
		{"tick=2s", with(func(o *options) { o.tick = 2_000_000_000 })},
	} {
		if got, problem := parseOptions(test.in); got != test.want || problem != "" {
			t.Errorf("%q: got %+v, %q, want %+v", test.in, got, problem, test.want)
		}
	}
}

func TestMalformedOptions(t *testing.T) {
	for in, want := range map[string]string{
		"samples":                   `"samples" is not of the form name=value`,
		"rate=3":                    `"rate" is none of samples, stride, tick, ag, taps, engine, deliver, full, trace`,
		"samples=0":                 `samples=0 is not a number from 1 on`,
		"samples=4294967296":        `samples=4294967296 is not a number from 1 on`,
		"stride=65536":              `stride=65536 is not a number from 1 to 65535`,
		"stride=-1":                 `stride=-1 is not a number from 1 to 65535`,
		"tick=10":                   `tick=10 is not a time from 100us on, such as 10ms`,
		"tick=1us":                  `tick=1us is not a time from 100us on, such as 10ms`,
		"tick=99999999999999999ms":  `tick=99999999999999999ms is not a time from 100us on, such as 10ms`,
		"ag=none":                   `ag=none is none of simplified, regular, jikes, timer`,
		"engine=H[P256":             `engine H[P256, column 7: want ]`,
		"taps=some":                 `taps=some is none of off, full, burst`,
		"deliver=":                  `deliver= is none of interrupt, service, ring`,
		"full=wait":                 `full=wait is none of block, drop`,
		"deliver=ring,trace=x":      `deliver=ring leaves engines and traces to the reader: no trace=`,
		"samples=64,,stride=1":      `"" is not of the form name=value`,
		"engine=strat(P4,samples=3": `engine=strat(P4,samples=3: no counterpart to (`,
		`trace="a,b`:                `trace="a,b: no counterpart to "`,
		"engine=strat(P4),rate=3":   `"rate" is none of samples, stride, tick, ag, taps, engine, deliver, full, trace`,
	} {
		if _, problem := parseOptions(in); problem != want {
			t.Errorf("%q: %s, want %s", in, problem, want)
		}
	}
}
