package interp

// A Stop is the reason why a window ended.
type Stop uint8

// Reasons.
const (
	Done       Stop = iota // all instructions that were asked for
	Fault                  // an address that cannot be read or written
	Unknown                // an instruction that is not interpreted
	Syscall                // SYSCALL that is not interpreted, SYSENTER or INT
	Breakpoint             // INT3
	Undefined              // UD2
	Machinery              // CPUID, RDTSC and the like, whose result depends on the processor
	Divide                 // a division by zero, or a quotient that is too large
	StoresFull             // the window wrote to more memory than the buffer holds
	CodeFull               // the code cache is full, or is being emptied
	Refused                // Actions refused the code, or it is not in Code.Texts
	NewCode                // more code than Code.Fresh allows was new
	Long                   // a repeated instruction that would not end
	Patch                  // a store to one of Code.Texts: what the program does behind it may be new code
	NStops
)

var stopNames = [NStops]string{"done", "fault", "unknown instruction", "system call", "breakpoint",
	"undefined instruction",
	"machine instruction", "division", "too many stores", "code cache full", "code refused", "new code", "long repetition",
	"store to code"}

// String returns the reason in words.
func (s Stop) String() string {
	if s < NStops {
		return stopNames[s]
	}
	return "?"
}
