package gotest

// excluded names the programs that say nothing about instrumentation, with the
// reason. A mode may stand before the name.
var excluded = map[string]string{
	"fixedbugs/bug369.go":                   "runs the go tool on a file beside it",
	"fixedbugs/issue10607.go":               "runs the go tool on a file beside it",
	"fixedbugs/issue21317.go":               "runs the go tool, and checks what the compiler says",
	"fixedbugs/issue9355.go":                "runs the go tool on a file beside it",
	"linkmain_run.go":                       "runs the go tool on a file beside it",
	"linkobj.go":                            "runs the go tool on archives without its build cache",
	"linkx_run.go":                          "runs the go tool on a file beside it",
	"nosplit.go":                            "runs the assembler and the linker for minutes",
	"noinit.go":                             "counts the initialisers that are left to do at run time: calls of functions that hold polls are not evaluated by the compiler",
	"taps heapsampling.go":                  "looks for all allocations of a function in adjacent lines: the first tap of a P allocates where it happens",
	"taps fixedbugs/issue18636.go":          "has 64 kB of stack: the profile is written on it when main returns",
	"taps fixedbugs/issue29504.go":          "looks for the line of a panic between two line directives within one expression",
	"bursts heapsampling.go":                "looks for all allocations of a function in adjacent lines: the first tap of a P allocates where it happens",
	"bursts fixedbugs/issue18636.go":        "has 64 kB of stack: the profile is written on it when main returns",
	"bursts fixedbugs/issue29504.go":        "looks for the line of a panic between two line directives within one expression",
	"bursts devirtualization_nil_panics.go": "looks for literals by their names in tracebacks: those of tapped halves have numbers of their own",
	"exact heapsampling.go":                 "looks for all allocations of a function in adjacent lines: the first count of a package allocates where it happens",
	"exact fixedbugs/issue18636.go":         "has 64 kB of stack: the profile is written on it when main returns",
}
