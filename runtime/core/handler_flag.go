package core

// This file is the flag that polls test. A tick sets it.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/sampler"
)

// armed is 0, and in a burst all its bits are set: polls compare it with 0, or test it and the
// stack pointer for common bits.
var armed uint32

// setFlag carries out act.
func setFlag(act sampler.Action) {
	switch act {
	case sampler.ActArm:
		golink.Store32(&armed, ^uint32(0))
	case sampler.ActDisarm:
		golink.Store32(&armed, 0)
	}
}
