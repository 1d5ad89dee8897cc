package core

// This file is the flag of flag polls, which a tick sets where the poll region would
// lose its read permission.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sampler"
)

// armed is not 0 in a burst.
var armed uint32

// setFlag does for the flag what mprotect does for the poll region.
func setFlag(act sampler.Action) {
	switch act {
	case sampler.ActArm:
		golink.Store32(&armed, 1)
	case sampler.ActDisarm:
		golink.Store32(&armed, 0)
	}
}
