// Package register has the operations on path registers that nothing in a program keeps: see format/actions and
// runtime/follow.
package register

// A Do is what an operation does to a register.
type Do uint8

const (
	Set Do = iota // the register becomes Arg
	Add           // Arg is added to it, modulo 2^32
	End           // the path ends whose number it has, and it has no value any more
	dos
)

// Known reports whether d is an operation.
func (d Do) Known() bool { return d < dos }

// An Op is an operation on a register of a frame. An action is one or more operations.
type Op struct {
	Do   Do
	Last bool   // of the action
	Slot uint16 // which register of the frame
	Arg  uint32
}
