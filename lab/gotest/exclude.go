package gotest

// excluded names the programs that say nothing about instrumentation, with the
// reason. A mode may stand before the name.
var excluded = map[string]string{
	"fixedbugs/bug369.go":          "runs the go tool on a file beside it",
	"fixedbugs/issue10607.go":      "runs the go tool on a file beside it",
	"fixedbugs/issue21317.go":      "runs the go tool, and checks the compiler's messages",
	"fixedbugs/issue9355.go":       "runs the go tool on a file beside it",
	"linkmain_run.go":              "runs the go tool on a file beside it",
	"linkobj.go":                   "runs the go tool on archives without its build cache",
	"linkx_run.go":                 "runs the go tool on a file beside it",
	"nosplit.go":                   "runs the assembler and the linker for minutes",
	"noinit.go":                    "counts the initialisers that the compiler does not evaluate: it does not evaluate calls of functions that contain polls",
	"taps fixedbugs/issue29504.go": "looks for the line of a panic between two line directives within one expression",
}
