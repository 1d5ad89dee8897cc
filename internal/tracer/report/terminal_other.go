//go:build !linux

package report

import "os"

// Terminal returns nil: there is no live view here.
func Terminal(*os.File) func() (lines, columns int) { return nil }

// Keys returns false: there is no live view here.
func Keys(*os.File) (restore func(), ok bool) { return nil, false }
