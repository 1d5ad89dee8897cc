//go:build unix

package launch

import (
	"os"
	"syscall"
)

// exitCode returns the exit code of a program that has ended, or as shells do, 128 more than the number
// of the signal that has killed it.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
