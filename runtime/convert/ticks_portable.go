//go:build !linux || !amd64

package convert

// This file says how ticks come on systems where core handles no signals.

import "github.com/pepgo/pep/runtime/pepfile"

const tickClock = "wall"

// WhyStopped returns "": nothing that sampling takes can be denied.
func WhyStopped(*pepfile.Header) string { return "" }
