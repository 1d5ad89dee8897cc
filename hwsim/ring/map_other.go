//go:build !unix

package ring

import (
	"os"
	"unsafe"
)

func mapFile(*os.File) (unsafe.Pointer, func() error, error) { return nil, nil, ErrNotSupported }

func alive(int) bool { return false }
