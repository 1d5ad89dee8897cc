package core

// This file writes the profile when the program replaces itself by another: then
// exit hooks do not run, and the memory is lost.

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
			store32(&execing, execNone)
		}
		return err
	}
}

// beforeExec writes the profile. It reports whether it did, and not another one: a
// function that this one is called by, or another goroutine. Engines, the queue and
// the trace are left as they are, since the program may go on. What engines hold is in
// the profile if they can tell it without a change (snapshot.go); the comment counts
// the rest.
func beforeExec() (mine bool) {
	if off {
		return false
	}
	for !cas32(&execing, execNone, execWriting) {
		if load32(&execing) == execCalled {
			return false
		}
		pause()
	}
	held = snapshotEngines()
	writeBeforeExec()
	held = nil
	store32(&execing, execCalled)
	return true
}
