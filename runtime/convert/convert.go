// Package convert makes profiles of what a program has counted: of its .pep file, or of the
// same counts in the memory of a program that ends. It runs when profiles are written, in the program, in the
// writer of a program that has died, or in a process that a user has started. It changes no counts.
//
// For example, a program was built with two packages and ended with these counts:
//
//	entry  path 3, poll at 0x1234 from the text on, callers {0x5678}   41 samples
//	entry  path 3, poll at 0x1234 from the text on, callers {0x9abc}   1 sample
//	word   42 of the first tap of package main                         7 events
//
// Package pepfile has the file, sitetables the site tables, symbol what is at 0x1234:
//
//	c := convert.Counts{File: file, Here: symbol.Process{Text: text, Own: own}}
//	p := c.Profile(pkgs, build)               // Samples {Number: 3, Count: 41, Stack: …} and {Number: 3, Count: 1, …}
//	files := append(p.Write(), c.TapFiles(p)...)  // paths, edges; values, types, calltargets
//
// The samples have numbers of paths, which package report decodes. Counts that contradict each other, of a
// file that is damaged, are left out, and the comments of the profiles say how many.
package convert

import (
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/symbol"
)

// Counts are what profiles are made of. Nobody may change them meanwhile, except by counting.
type Counts struct {
	pepfile.File                // as the program has left it, or the mapped one of this process
	Here         symbol.Process // this process, which is of the same binary as the program
	Held         []report.Word  // words that engines hold in this process, and have not sent
}
