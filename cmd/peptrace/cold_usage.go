//go:build linux && amd64

package main

// This file holds the usage text of the command cold, written by hand.

import (
	"github.com/pepgo/pep/cmd/peptrace/cold"
	"github.com/pepgo/pep/internal/command"
)

var coldVerbs = []command.Verb{{Name: "cold", Usage: coldUsage, Run: cold.Run, Lists: true}}

const coldUsage = `peptrace cold [-d 10m] [-pkg deps] [-o FILE] [-careful] [-n 10] [-coverprofile FILE] [-lcov FILE] [-source_path dirs] [-json] -p PID | -a FILE | PROGRAM [arguments]

Examples:

	peptrace cold -p 4711 -d 1s
`
