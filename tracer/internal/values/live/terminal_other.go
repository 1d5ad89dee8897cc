//go:build !linux

package live

import "os"

// Terminal returns nil: there is no live view here.
func Terminal(*os.File) *Screen { return nil }

// keys returns false: there is no live view here.
func keys(*os.File) (restore func(), ok bool) { return nil, false }
