// Package machine is a programmable profiling co-processor: a small machine that runs a
// short routine of microcode for each event, and interrupts software when its memory
// holds something worth reading.
//
//	image, err := asm.Assemble("sampler.s", source) // package hwsim/cop/asm
//	m, err := machine.New(machine.Config{})
//	err = m.Load(image)
//	m.Offer(10, machine.Sample{PC: 0x40, Value: 7, Class: 3}) // an event in cycle 10
//	if m.Run(1000) == machine.Interrupted {                    // all cycles before 1000
//		word, err := m.Get(machine.DataWindow + 5) // software reads data word 5
//		…
//		m.Resume(1200)
//	}
//
// Each event must pass three filters: one for the class of the event, one for the hash
// of its PC, and one with a bit for each PC. Accepted events wait in the sample buffer.
// If the buffer is full, events are dropped and counted. The decoder and field
// extractor shows the event at the head of the buffer to the microcode, and knows the
// address of the routine for its class. The routine works with
//
//	V0-V7   values
//	I0-I7   indexes and small counters, each of its own width
//	K0-K15  constants, which only software writes
//	B0-B3   sub-arrays of the data array, likewise
//	T0-T3   far targets of branches, likewise
//	M       what the data array has read last
//
// and ends with a branch to done, which takes the next event, or to interrupt, which
// stops the machine until software resumes it. See [Instr] for the instructions.
//
// The machine is simulated cycle by cycle. It executes one microinstruction per cycle,
// in three stages. Some cycles have no microinstruction: those after a branch that was
// predicted wrongly, and those at the start of a routine if the machine had nothing to
// do before. The state of the machine depends only on the calls above. The machine
// allocates memory only in New, Load and Checkpoint.
//
// Source: Zilles and Sohi, "A Programmable Co-Processor for Profiling", HPCA 2001,
// section 3. This package was written from a text of the paper that has lost its
// numbers and tables. The section numbers are inferred. All sizes, and the encoding of
// instructions, are ours: see [Config] and docs/decisions/0018-coprocessor.md.
package machine

// An Error says what is wrong with a machine, a program, or an access by software.
type Error string

func (e Error) Error() string { return string(e) }
