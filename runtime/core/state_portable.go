//go:build !linux || !amd64

package core

// This file holds the variables that several rooms share on systems where core handles
// no signals.

import "github.com/pepgo/pep/runtime/pepfile"

var (
	counts pepfile.Table

	countsMemory []uint64 // keeps what counts is in
)
