//go:build !linux

package report

import "os"

// Terminal returns nil: there is no live view here.
func Terminal(*os.File) func() (lines, columns int) { return nil }
