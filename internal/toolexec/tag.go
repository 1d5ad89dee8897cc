package toolexec

import (
	"fmt"
	"strings"

	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/rewrite"
)

// A Tag says how a package is instrumented. It travels in the package's
// -gcflags, so that a change of any of it compiles the package anew.
type Tag struct {
	Poll     rewrite.Poll
	Truncate string // "header" or "backedge"
	Tool     string // hash of the instrumenter and the linked runtime
	Dump     string // directory to write the instrumented source to; empty for none
}

// TagFlag is the flag of the compile command that carries the tag. The compiler
// does not know it; it is taken out again.
const TagFlag = "-pep"

// Arg returns the tag as a command-line argument.
func (t Tag) Arg() string {
	s := fmt.Sprintf("%s=poll=%s,truncate=%s,tool=%s", TagFlag, t.Poll, t.Truncate, t.Tool)
	if t.Dump != "" {
		s += ",dump=" + t.Dump
	}
	return s
}

// ParseTag is the inverse of Arg, without the flag's name.
func ParseTag(s string) (Tag, error) {
	var t Tag
	// The dump directory comes last and may contain anything.
	s, t.Dump, _ = strings.Cut(s, ",dump=")
	for field := range strings.SplitSeq(s, ",") {
		key, value, ok := strings.Cut(field, "=")
		switch {
		case ok && key == "poll":
			t.Poll = rewrite.Poll(value)
		case ok && key == "truncate":
			t.Truncate = value
		case ok && key == "tool":
			t.Tool = value
		default:
			return Tag{}, fmt.Errorf("tag %q: unknown field %q", s, field)
		}
	}
	return t, nil
}

// numbering returns the options of the path numbering.
func (t Tag) numbering() pathnum.Options {
	var o pathnum.Options
	if t.Truncate == "backedge" {
		o.Truncate = pathnum.BackEdge
	}
	return o
}
