package symbol

// This file names the functions and types whose addresses taps have reported.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/report"
)

// A Process is this process, as far as names depend on it.
type Process struct {
	Text uintptr         // where its code begins
	Own  *pepfile.Header // of its own .pep file, nil if it has none
}

// Names finds the names of functions and types by their addresses in the program of
// a .pep file. That program is the same binary as this process, but may have been
// elsewhere in memory.
type Names struct {
	process Process
	symbols *Table
	of      *pepfile.Header
}

// NewNames returns the names for the addresses in the file that the header is of.
func NewNames(p Process, of *pepfile.Header) Names { return Names{p, NewTable(p.Text), of} }

func (n Names) here(addr uint64) uintptr {
	if n.of.Text == 0 {
		return uintptr(addr)
	}
	return uintptr(addr) - uintptr(n.of.Text) + n.process.Text
}

// Func returns the function whose code begins at pc.
func (n Names) Func(pc uint64) report.Frame { return n.funcAt(n.here(pc)) }

// IsFunc reports whether a function's code begins at pc.
func (n Names) IsFunc(pc uint64) bool { return len(n.symbols.lookup(n.here(pc)+1)) > 0 }

// There returns the address that an address of this process has in the program of the file.
func (n Names) There(p uintptr) uint64 { return uint64(p - n.here(0)) }

// funcAt returns the function whose code begins at pc in this process.
func (n Names) funcAt(pc uintptr) report.Frame {
	frames := n.symbols.lookup(pc + 1)
	if len(frames) == 0 {
		return report.Frame{Func: digits.Hex(n.There(pc))}
	}
	f := frames[len(frames)-1] // what is inlined at its beginning comes before it
	f.Line = f.StartLine
	return f
}

// Method returns the method called name of the type whose descriptor is at addr, as Callee does.
func (n Names) Method(addr uint64, name string) report.Frame {
	if t := n.here(addr); n.mayReadType(t) {
		if pc := golink.MethodPC(t, name); pc != 0 {
			return n.callee(pc)
		}
	}
	return report.Frame{Func: n.Type(addr) + "." + name}
}

// Type returns the name of the type whose descriptor is at addr.
func (n Names) Type(addr uint64) string {
	t := n.here(addr)
	if !n.mayReadType(t) {
		return "type " + digits.Hex(addr)
	}
	return golink.TypeName(t)
}

func (Names) Float(x float64, bits int) string { return golink.FormatFloat(x, bits) }
