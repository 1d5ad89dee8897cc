package write

// This file passes counts on to package convert, which makes profiles of them.

import (
	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/convert"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/symbol"
	"github.com/pepgo/pep/runtime/taps"
)

// toConvert returns the counts of a .pep file with what convert must know of this process. In a program these are the
// header of its own file, and the words that engines hold and have not sent.
func toConvert(f pepfile.File, own *pepfile.Header, held []report.Word) convert.Counts {
	return convert.Counts{File: f, Here: symbol.Process{Text: callers.Text.Base, Own: own}, Held: held}
}

// profilesOf returns the profiles of counts.
func profilesOf(c convert.Counts, p *report.Profile) []report.File {
	files := p.Write()
	if taps.Linked {
		files = append(files, c.TapFiles(p)...)
	}
	return files
}
