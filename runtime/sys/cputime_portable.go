//go:build !linux || !amd64

package sys

import "github.com/pepgo/pep/runtime/golink"

// CPUTime returns wall-clock time, as ticks are of that, too.
func CPUTime() uint64 { return uint64(golink.Nanotime()) }
