//go:build !linux || !amd64

package symbol

// This file is for systems where profiles are written by the program itself only.

import "github.com/pepgo/pep/format/digits"

// mayReadType returns true: all addresses are of this process.
func (n Names) mayReadType(uintptr) bool { return true }

// Dynamic knows no types: there are no windows.
func (n Names) Dynamic(addr uint64, itab bool) string { return "type " + digits.Hex(addr) }

// FindTaps knows the code of linux/amd64 alone.
func FindTaps(func(addr, pc uint64)) (ok bool) { return false }
