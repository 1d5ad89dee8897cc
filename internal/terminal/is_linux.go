package terminal

import (
	"os"
	"syscall"
	"unsafe"
)

// Is reports whether f is a terminal.
func Is(f *os.File) bool {
	c, err := f.SyscallConn()
	if err != nil {
		return false
	}
	var settings syscall.Termios
	var errno syscall.Errno
	err = c.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TCGETS, uintptr(unsafe.Pointer(&settings)))
	})
	return err == nil && errno == 0
}
