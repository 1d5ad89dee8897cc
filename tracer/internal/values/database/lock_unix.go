//go:build unix && !solaris && !aix

package database

import (
	"errors"
	"os"
	"syscall"
)

// lock waits until nobody else has the lock of a directory, and takes it. The kernel gives it back
// if the program ends without doing so.
func lock(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, &os.PathError{Op: "lock", Path: dir, Err: err}
	}
	return func() { f.Close() }, nil
}
