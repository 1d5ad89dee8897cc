package main

import (
	"os"

	"github.com/pepgo/pep/cmd/pep/compiler"
	"github.com/pepgo/pep/cmd/pep/coverage"
	"github.com/pepgo/pep/cmd/pep/show"
	"github.com/pepgo/pep/internal/command"
)

func main() {
	os.Exit(pep.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

var pep = command.Program{
	Name:  "pep",
	Usage: usage,
	Verbs: []command.Verb{
		{Name: "run", Usage: runUsage, Run: show.Run},
		{Name: "test", Usage: testUsage, Run: show.Test},
		{Name: "top", Usage: topUsage, Run: top, Lists: true},
		{Name: "list", Usage: listUsage, Run: list, Lists: true},
		{Name: "html", Usage: htmlUsage, Run: show.HTML},
		{Name: "serve", Usage: serveUsage, Run: show.Serve},
		{Name: "cover", Usage: coverUsage, Run: coverage.Cover, Lists: true},
		{Name: "cold", Usage: coldUsage, Run: coverage.Cold, Lists: true},
		{Name: "values", Usage: valuesUsage, Run: values, Lists: true},
		{Name: "ranges", Usage: rangesUsage, Run: ranges, Lists: true},
		{Name: "sites", Usage: sitesUsage, Run: sites, Lists: true},
		{Name: "accuracy", Usage: accuracyUsage, Run: compare, Lists: true},
		{Name: "pgo", Usage: pgoUsage, Run: compiler.PGO, Lists: true},
		{Name: "merge", Usage: mergeUsage, Run: merge},
		{Name: "dump", Usage: dumpUsage, Run: dump, Lists: true},
		{Name: "version", Usage: versionUsage, Run: command.Version},
	},
}
