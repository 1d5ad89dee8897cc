package ops

import (
	"fmt"

	"github.com/pepgo/pep/machine/interp"
)

// A Stop is the reason why an interpreter executed no further instruction: PC is the address of the next one. The one
// in Go and the one in the kernel have the same reasons.
type Stop uint8

const (
	Done           Stop = iota // as many instructions as were asked for
	Unsupported                // the instruction is not interpreted
	Undecodable                // its bytes cannot be read
	String                     // a string instruction, such as REP MOVSQ
	Syscall                    // the kernel would run
	Trap                       // a breakpoint or an invalid instruction
	StackSwitch                // SP gets a value from elsewhere: another goroutine or stack
	Fault                      // a load from an address that cannot be read now
	UnknownFlags               // a conditional jump on flags that are unknown
	UnknownAddress             // a store to an unknown address
	UnknownTarget              // a jump, call or return to an unknown address
	NotDecoded                 // the table has no op for PC
	StoresFull                 // no space in the store buffer
	Divide                     // a division that would trap, or, in the kernel, of more than 64 bits
	Changed                    // the code is not what was decoded
	stops
)

var stopNames = [stops]string{
	"done", "unsupported instruction", "undecodable", "string instruction", "syscall", "trap", "stack switch", "fault",
	"unknown flags", "unknown address", "unknown target", "not decoded", "store buffer full", "division", "changed code",
}

func (s Stop) String() string {
	if s < stops {
		return stopNames[s]
	}
	return fmt.Sprintf("stop %d", uint8(s))
}

// Stops returns all reasons in the order of their numbers.
func Stops() []Stop {
	all := make([]Stop, stops)
	for i := range all {
		all[i] = Stop(i)
	}
	return all
}

// reasons has the words of this package for those of package interp.
var reasons = [interp.NStops]Stop{
	interp.Fault: Fault, interp.Unknown: Unsupported, interp.Syscall: Syscall, interp.Breakpoint: Trap,
	interp.Undefined: Trap,
	interp.Machinery: Unsupported, interp.Divide: Divide, interp.StoresFull: StoresFull, interp.CodeFull: StoresFull,
	interp.Refused: Unsupported, interp.Long: String,
}
