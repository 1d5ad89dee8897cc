//go:build !linux || !amd64

package core

// This file says how ticks come on systems where core handles no signals.

import "github.com/pepgo/pep/runtime/pepfile"

const tickClock = "wall"

// whyStopped: nothing that sampling takes can be denied.
func whyStopped(*pepfile.Header) string { return "" }
