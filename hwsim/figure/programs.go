package figure

// This file says which program of ours plays the role of which benchmark.

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/replay"
)

// A Program is one of the test programs.
type Program struct {
	Name string
	Role string // the benchmark that it stands for, "" if none is like it
	Why  string
}

// Programs are the test programs. go, a game, has no counterpart. Roles are those of the
// paper on stratified sampling; of the other paper's benchmarks gcc is among them.
var Programs = []Program{
	{"typecheck", "gcc", "a compiler's front end, with by far the most code"},
	{"lua", "li", "an interpreter, with 8 queens among its inputs as for li"},
	{"regex", "perl", "matching of text"},
	{"flate", "m88ksim", "tight loops over a small state"},
	{"printer", "strata", "a translator from syntax trees to text"},
	{"markdown", "jack", "a parser"},
	{"jsonbench", "jess", "decisions by data: reflection and a state machine"},
	{"sortbench", "db", "a data base in memory is looked up and sorted"},
	{"raytrace", "raytrace", "a ray tracer"},
	{"httpecho", "", "a server; nothing of its kind is in the paper"},
}

// MorePrograms are test programs that only the experiments with the co-processor use. Both
// show a weakness that its paper reports of a benchmark.
var MorePrograms = []Program{
	{"filters", "", "values in phases, as in gap and vpr"},
	{"bitboard", "", "flags and sets in words of 64 bits, as in crafty"},
}

func (p Program) String() string {
	if p.Role == "" {
		return p.Name
	}
	return p.Name + " (" + p.Role + ")"
}

// inRole returns the program that stands for a benchmark.
func inRole(role string) Program {
	for _, p := range Programs {
		if p.Role == role {
			return p
		}
	}
	panic("figure: no program is " + role)
}

// named returns a test program.
func named(name string) Program {
	for _, p := range Programs {
		if p.Name == name {
			return p
		}
	}
	panic("figure: no program " + name)
}

// source returns the events of a program, and how many of them figures take.
func (env *Env) source(p Program, taps string) (replay.Source, uint64, error) {
	s, err := env.Source(p.Name, taps)
	if err != nil {
		return nil, 0, err
	}
	if taps == "calls" {
		return s, env.Events / 4, nil
	}
	return s, env.Events, nil
}

// replay runs engines over the events of a program.
func (env *Env) replay(p Program, taps string, engines ...string) ([]*replay.Result, error) {
	source, events, err := env.source(p, taps)
	if err != nil {
		return nil, err
	}
	return env.run(source, events, engines)
}

func (env *Env) run(source replay.Source, events uint64, specs []string) ([]*replay.Result, error) {
	c := replay.Config{Overhead: env.Overhead, Limit: events}
	for _, e := range specs {
		spec, err := engines.Parse(e, nil)
		if err != nil {
			return nil, err
		}
		c.Engines = append(c.Engines, spec.WithSeed(env.Seed).String())
	}
	return replay.Run(source, c)
}

// each runs engines over all programs with a trace, except the one in role except, and calls
// do with the results. The setup of the figure names programs without a trace. It is an
// error if no program has one.
func (env *Env) each(res *Result, taps, except string, engines []string, do func(p Program, r []*replay.Result)) error {
	var missing []string
	var ran []string
	var last error
	for _, p := range Programs {
		if except != "" && p.Role == except {
			continue
		}
		r, err := env.replay(p, taps, engines...)
		if errors.Is(err, ErrNoTrace) {
			missing, last = append(missing, p.Name), err
			continue
		}
		if err != nil {
			return err
		}
		ran = append(ran, fmt.Sprintf("%s: %s events", p, short(r[0].Events)))
		do(p, r)
	}
	if ran == nil {
		return last
	}
	res.setup("programs, %s: %s", taps, strings.Join(ran, ", "))
	if missing != nil {
		res.setup("no traces of %s of: %s", taps, strings.Join(missing, ", "))
	}
	res.setup("engines: %s; seed %d", strings.Join(engines, " "), env.Seed)
	env.model(res)
	return nil
}

// model notes in the setup of a figure which events count and how overheads are computed.
func (env *Env) model(res *Result) {
	res.setup("events: those after the initialisation of the programs, which make figures leaves out")
	res.setup("overheads: %v cycles a message, %v cycles an event (modelled, not measured)", env.Overhead.PerMessage, env.Overhead.PerEvent)
}
