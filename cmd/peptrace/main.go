//go:build linux && amd64

// Command peptrace looks into running Go programs.
package main

import (
	"os"

	"github.com/pepgo/pep/internal/command"
)

func main() {
	os.Exit(peptrace.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

var peptrace = command.Program{Name: "peptrace", Usage: sampledUsage, Verbs: sampledVerbs}
