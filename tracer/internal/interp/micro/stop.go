package micro

import "fmt"

// A Stop is the reason why a machine executed no further instruction. The state of the
// machine is always that between two instructions, and PC is the address of the next.
type Stop uint8

const (
	Done           Stop = iota // as many instructions as were asked for
	Unsupported                // the instruction has effects that no kind describes
	Undecodable                // the bytes are no known instruction
	Lock                       // an atomic instruction: it has effects on other threads
	String                     // a string instruction, such as REP MOVSQ
	Segment                    // an operand relative to GS, or with both a base and an index relative to FS
	Syscall                    // the kernel would run
	Trap                       // a breakpoint or an invalid instruction
	StackSwitch                // SP gets a value from elsewhere: another goroutine or stack
	Fault                      // a load from an address that cannot be read now
	UnknownFlags               // a conditional jump on flags that are unknown
	UnknownAddress             // a store to an unknown address
	UnknownTarget              // a jump, call or return to an unknown address
	NotDecoded                 // the table has no op for PC
	StoresFull                 // no room in the store buffer
	Divide                     // a division that would trap, or of more than 64 bits
	stops
)

var stopNames = [stops]string{
	"done", "unsupported instruction", "undecodable", "lock", "string instruction", "segment", "syscall", "trap", "stack switch",
	"fault", "unknown flags", "unknown address", "unknown target", "not decoded", "store buffer full", "division",
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
