package figure

// This file says which program of ours plays the role of which benchmark.

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

// model notes in the setup of a figure which events count and how overheads are computed.
func (env *Env) model(res *Result) {
	res.setup("events: those after the initialisation of the programs, which make figures leaves out")
	res.setup("overheads: %v cycles a message, %v cycles an event (modelled, not measured)", env.Overhead.PerMessage, env.Overhead.PerEvent)
}
