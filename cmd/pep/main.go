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
		{Name: "run", Usage: runUsage, Run: run},
		{Name: "test", Usage: testUsage, Run: test},
		{Name: "top", Usage: topUsage, Run: top, Lists: true},
		{Name: "list", Usage: listUsage, Run: list, Lists: true},
		{Name: "html", Usage: htmlUsage, Run: htmlPage},
		{Name: "serve", Usage: serveUsage, Run: serve},
		{Name: "values", Usage: valuesUsage, Run: values, Lists: true},
		{Name: "ranges", Usage: rangesUsage, Run: ranges, Lists: true},
		{Name: "sites", Usage: sitesUsage, Run: sites, Lists: true},
		{Name: "accuracy", Usage: accuracyUsage, Run: compare, Lists: true},
		{Name: "pgo", Usage: pgoUsage, Run: makePGO, Lists: true},
		{Name: "merge", Usage: mergeUsage, Run: merge},
		{Name: "dump", Usage: dumpUsage, Run: dump, Lists: true},
		{Name: "version", Usage: versionUsage, Run: command.Version},
	},
}
