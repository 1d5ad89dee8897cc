//go:build !linux || !amd64

package golink

// This file asks for the time, on systems where core makes no system calls.

import _ "unsafe" // for go:linkname

// TimeNow returns the time since 1970, and that of the monotonic clock; the
// runtime provides it for package time.
//
//go:linkname TimeNow time.now
func TimeNow() (sec int64, nsec int32, mono int64)
