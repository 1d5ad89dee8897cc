//go:build !linux || !amd64

package core

// measureFault: there are no faults.
func measureFault() {}
