//go:build linux && amd64

package main

import (
	"os"
	"slices"

	"github.com/pepgo/pep/internal/command"
)

func main() {
	os.Exit(peptrace.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

var peptrace = command.Program{Name: "peptrace", Usage: usage,
	Verbs: slices.Concat(probeVerbs, coldVerbs, valuesVerbs, sampledVerbs)}
