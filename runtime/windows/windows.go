// Package windows has what runs in programs that are built with -pepmode=windows: so far the table of actions, which is
// constant data of the program.
//
//	rows, err := windows.Open(1<<16, 1<<17)   // when the program starts
//
// Package main imports it in such a program, though its source does not say so.
package windows

import (
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sites"
	"github.com/pepgo/pep/runtime/window"
)

// linked is how many bytes the linker has put into the program. It keeps them there though nothing reads them yet.
//
//lint:ignore U1000 a reference is enough
var linked = len(sites.Tables) + len(sites.Actions)

// Open returns the rows of the program's table of actions, with memory for so many rows and operations.
func Open(rows, ops int) (*window.Rows, error) {
	// The data must not be written to: it is in memory that is read-only.
	data := unsafe.Slice(unsafe.StringData(sites.Actions), len(sites.Actions))
	return window.New(data, uint64(golink.TextStart()), rows, ops)
}
