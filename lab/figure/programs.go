package figure

// This file says which test program stands for which benchmark.

// A Program is one of the test programs.
type Program struct {
	Name string
	Role string // the benchmark that it stands for, "" if none is like it
	Why  string
}

// Programs are the test programs. Their roles are benchmarks of SPEC and of programs in Java and C that papers use.
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

func (p Program) String() string {
	if p.Role == "" {
		return p.Name
	}
	return p.Name + " (" + p.Role + ")"
}

// InRole returns the program that stands for a benchmark.
func InRole(role string) Program {
	for _, p := range Programs {
		if p.Role == role {
			return p
		}
	}
	panic("figure: no program is " + role)
}

// Named returns a test program.
func Named(name string) Program {
	for _, p := range Programs {
		if p.Name == name {
			return p
		}
	}
	panic("figure: no program " + name)
}
