package taps

// This file makes the layout of the code for engines.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/runtime/symbol"
)

// ownLayout returns the addresses of the taps as text that package hwsim/code reads.
func ownLayout() ([]byte, error) {
	text := []byte("pep layout 1 of this process\n")
	if !symbol.FindTaps(func(addr, pc uint64) { text = append(text, digits.Hex(addr)+" "+digits.Hex(pc)+"\n"...) }) {
		return nil, layoutError("the site tables cannot be read")
	}
	return text, nil
}

// A layoutError says why there is no layout.
type layoutError string

func (e layoutError) Error() string { return string(e) }
