//go:build !unix

package launch

import "os"

// exitCode returns the exit code of a program that has ended.
func exitCode(s *os.ProcessState) int { return s.ExitCode() }
