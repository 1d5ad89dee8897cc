package live

import (
	"os"

	"golang.org/x/sys/unix"
)

// Terminal returns the screen of the terminal that f is; nil if f is no terminal.
func Terminal(f *os.File) *Screen {
	if _, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err != nil {
		return nil
	}
	return &Screen{W: f, Size: func() (lines, columns int) {
		size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
		if err != nil || size.Row == 0 || size.Col == 0 {
			return 24, 80
		}
		return int(size.Row), int(size.Col)
	}}
}

// keys sets the terminal f so that a program reads each key at once, and the terminal does not show
// it. ^C still interrupts. The function restore sets it back. If f is no terminal, ok is
// false.
func keys(f *os.File) (restore func(), ok bool) {
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, false
	}
	now := *before
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &now); err != nil {
		return nil, false
	}
	return func() { unix.IoctlSetTermios(fd, unix.TCSETS, before) }, true
}
