package core

// This file writes the profile before the program replaces itself by another one:
// exec runs no exit hooks, and the memory is lost.

import (
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/taps"
)

// State of execing.
const (
	execNone    = iota
	execWriting // a goroutine writes the profile
	execCalled  // the profile is written, exec is called
)

var execing uint32

// Exec makes of exec, which is syscall.Exec or its like, a function that writes the
// profile first. If exec does not work the program goes on, and so does its profile,
// which is written once more at its end.
func Exec(exec func(name string, args, env []string) error) func(name string, args, env []string) error {
	return func(name string, args, env []string) error {
		mine := beforeExec()
		err := exec(name, args, env)
		if mine {
			companionAgain()
			golink.Store32(&execing, execNone)
		}
		return err
	}
}

// beforeExec writes the profile, and reports whether it did. It does not if another
// call of beforeExec has just done so: one of the same goroutine further out, or of
// another goroutine. It leaves engines, the queue and the trace as they are, since
// the program may go on. What engines hold is in the profile if they can tell it
// without a change (package taps); the profile's comment counts the rest.
func beforeExec() (mine bool) {
	if withoutProfile {
		return false
	}
	for !golink.Cas32(&execing, execNone, execWriting) {
		if golink.Load32(&execing) == execCalled {
			return false
		}
		golink.Pause()
	}
	writeBeforeExec(taps.Snapshot())
	golink.Store32(&execing, execCalled)
	return true
}
