package core

// This file names the functions and types whose addresses taps have reported.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
)

// names finds the names of functions and types by their addresses in the program of
// a .pep file. That program is the same binary as this process, but may have been
// elsewhere in memory.
type names struct {
	symbols *symbolizer
	of      *pepfile.Header
}

func newNames(of *pepfile.Header) names { return names{&symbolizer{}, of} }

func (n names) here(addr uint64) uintptr {
	if n.of.Text == 0 {
		return uintptr(addr)
	}
	return uintptr(addr) - uintptr(n.of.Text) + textBase
}

// Func returns the function whose code begins at pc.
func (n names) Func(pc uint64) report.Frame { return n.funcAt(n.here(pc)) }

// there is the inverse of here.
func (n names) there(p uintptr) uint64 { return uint64(p - n.here(0)) }

// funcAt returns the function whose code begins at pc in this process.
func (n names) funcAt(pc uintptr) report.Frame {
	frames := n.symbols.lookup(pc + 1)
	if len(frames) == 0 {
		return report.Frame{Func: digits.Hex(n.there(pc))}
	}
	f := frames[len(frames)-1] // what is inlined at its beginning comes before it
	f.Line = f.StartLine
	return f
}

// Method returns the method called name of the type whose descriptor is at addr. If
// that method is a wrapper, it returns the method in the source that the wrapper
// calls.
func (n names) Method(addr uint64, name string) report.Frame {
	if t := n.here(addr); n.mayReadType(t) {
		if pc := golink.MethodPC(t, name); pc != 0 {
			f := n.funcAt(pc)
			if isWrapper(f) {
				if real, ok := n.behind(pc, name); ok {
					return real
				}
			}
			return f
		}
	}
	return report.Frame{Func: n.Type(addr) + "." + name}
}

// Type returns the name of the type whose descriptor is at addr.
func (n names) Type(addr uint64) string {
	t := n.here(addr)
	if !n.mayReadType(t) {
		return "type " + digits.Hex(addr)
	}
	return golink.TypeName(t)
}

func (names) Float(x float64, bits int) string { return golink.FormatFloat(x, bits) }
