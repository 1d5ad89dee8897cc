package main

import (
	"os"

	"github.com/pepgo/pep/internal/command"
)

func main() {
	os.Exit(pep.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

var pep = command.Program{
	Name:  "pep",
	Usage: usage,
	Verbs: []command.Verb{
		{Name: "top", Usage: topUsage, Run: top},
		{Name: "list", Usage: listUsage, Run: list},
		{Name: "values", Usage: valuesUsage, Run: values},
		{Name: "sites", Usage: sitesUsage, Run: sites},
		{Name: "accuracy", Usage: accuracyUsage, Run: compare},
		{Name: "merge", Usage: mergeUsage, Run: merge},
		{Name: "dump", Usage: dumpUsage, Run: dump},
		{Name: "version", Usage: versionUsage, Run: command.Version},
	},
}
