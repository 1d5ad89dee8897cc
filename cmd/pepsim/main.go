package main

import (
	"os"

	"github.com/pepgo/pep/internal/command"
)

func main() {
	os.Exit(pepsim.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

var pepsim = command.Program{
	Name:  "pepsim",
	Usage: usage,
	Verbs: []command.Verb{
		{Name: "run", Usage: runUsage, Run: replayTraces, Lists: true},
		{Name: "trace record", Usage: recordUsage, Run: record},
		{Name: "trace info", Usage: infoUsage, Run: info, Lists: true},
		{Name: "trace print", Usage: printUsage, Run: printText, Lists: true},
		{Name: "trace parse", Usage: parseUsage, Run: parseText},
		{Name: "trace filter", Usage: filterUsage, Run: filter},
		{Name: "trace merge", Usage: mergeUsage, Run: merge},
		{Name: "cop asm", Usage: copAsmUsage, Run: assemble},
		{Name: "cop disasm", Usage: copDisasmUsage, Run: disassemble},
		{Name: "cop trace", Usage: copTraceUsage, Run: traceProgram},
		{Name: "cop step", Usage: copStepUsage, Run: stepProgram},
		{Name: "version", Usage: versionUsage, Run: command.Version},
	},
}
