//go:build linux && amd64

package table

// This file finds names of addresses.

import (
	"strings"

	"github.com/pepgo/pep/internal/tracer/image"
)

// Of returns the names that the executable of a process has. Types of a stripped executable
// have none.
func Of(im *image.Image) Names { return names{im} }

type names struct{ *image.Image }

func (n names) Code(addr uint64) string {
	if fn, ok := n.FuncForPC(n.FromProcess(addr)); ok {
		return fn.Name
	}
	name, _ := n.Symbol(n.FromProcess(addr))
	return name
}

// Type reads the names of symbols: go:itab.*os.File,io.Reader and type:*os.File.
func (n names) Type(addr uint64) string {
	name, offset := n.Symbol(n.FromProcess(addr))
	if offset != 0 {
		return ""
	}
	if itab, ok := strings.CutPrefix(name, "go:itab."); ok {
		typ, _, _ := strings.Cut(itab, ",")
		return typ
	}
	typ, _ := strings.CutPrefix(name, "type:")
	return typ
}
