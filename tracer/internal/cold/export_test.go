//go:build linux && amd64

package cold

import "os"

// OpenMemory replaces how the memory of processes is opened.
func OpenMemory(open func(pid int) (*os.File, error)) (restore func()) {
	old := openMemory
	openMemory = open
	return func() { openMemory = old }
}
