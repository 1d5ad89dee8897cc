//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// foreground reports whether the terminal sends the signals of its keys to this process.
func foreground() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false // there is no terminal
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
