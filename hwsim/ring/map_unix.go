//go:build unix

package ring

import (
	"errors"
	"os"
	"syscall"
	"unsafe"

	layout "github.com/pepgo/pep/runtime/ring"
)

func mapFile(f *os.File) (p unsafe.Pointer, unmap func() error, err error) {
	b, err := syscall.Mmap(int(f.Fd()), 0, int(layout.Size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return unsafe.Pointer(unsafe.SliceData(b)), func() error { return syscall.Munmap(b) }, nil
}

// alive reports whether there is a process with the number.
func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
