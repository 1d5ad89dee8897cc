package core

// This file passes counts on to package convert, which makes profiles of them.

import (
	"github.com/pepgo/pep/runtime/convert"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/symbol"
	"github.com/pepgo/pep/runtime/taps"
)

// toConvert returns the counts of a .pep file, or of this program, with what convert must know of
// this process.
func toConvert(f pepfile.File) convert.Counts {
	return convert.Counts{File: f, Here: symbol.Process{Text: textBase, Own: counts.Header}, Held: held}
}

// profilesOf returns the profiles of counts.
func profilesOf(c convert.Counts, p *report.Profile) []report.File {
	files := p.Write()
	if taps.Linked {
		files = append(files, c.TapFiles(p)...)
	}
	return files
}
