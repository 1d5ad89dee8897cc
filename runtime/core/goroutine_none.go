//go:build !peptaps

package core

// This file stands in for goroutine.go where the runtime has no room for taps: in
// programs without, and in the package's own module, whose tests tap.

const tapsLinked = false

func goroutineID() uint64 { return 0 }

func numberGoroutines() {}

func pin() int { return procPin() }

func mayWait() bool { return true }
