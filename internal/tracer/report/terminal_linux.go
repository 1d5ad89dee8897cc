package report

import (
	"os"

	"golang.org/x/sys/unix"
)

// Terminal returns a function that returns the size of the terminal that f is; nil if f is no
// terminal.
func Terminal(f *os.File) func() (lines, columns int) {
	if _, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err != nil {
		return nil
	}
	return func() (lines, columns int) {
		size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
		if err != nil || size.Row == 0 || size.Col == 0 {
			return 24, 80
		}
		return int(size.Row), int(size.Col)
	}
}
