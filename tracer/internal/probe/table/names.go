//go:build linux && amd64

package table

// This file finds names of addresses.

import "github.com/pepgo/pep/machine/image"

// Of returns the names that the executable of a process has, and as long as the process runs
// the names of types that it has made itself.
func Of(im *image.Image) Names { return names{im} }

type names struct{ *image.Image }

func (n names) Code(addr uint64) string {
	if fn, ok := n.FuncForPC(n.FromProcess(addr)); ok {
		return fn.Name
	}
	name, _ := n.Symbol(n.FromProcess(addr))
	return name
}

func (n names) Type(addr uint64) string {
	t, _ := n.Dynamic(n.FromProcess(addr))
	return t.Name
}
