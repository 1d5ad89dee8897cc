// Package cop is a programmable profiling co-processor: a small machine that runs a short
// routine of microcode for each event, and interrupts software when its memory holds
// something worth reading.
//
//	image, err := asm.Assemble("sampler.s", source) // package hwsim/cop/asm
//	m, err := cop.New(cop.Config{})
//	err = m.Load(image)
//	m.Offer(10, cop.Sample{PC: 0x40, Value: 7, Class: 3}) // an event in cycle 10
//	if m.Run(1000) == cop.Interrupted {                    // all cycles before 1000
//		word, err := m.Get(cop.DataWindow + 5) // software reads data word 5
//		…
//		m.Resume(1200)
//	}
//
// Events pass three filters, which all must accept them: of the class of the event, of
// the hash of its PC, and of one bit for each PC. Accepted events wait in the sample
// buffer, and are dropped and counted if it is full. The decoder and field extractor
// shows the event at the head to the microcode, and knows where the routine of its
// class begins. The routine works with
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
// The machine is simulated cycle by cycle: one microinstruction per cycle, in three stages,
// and some cycles without one behind a branch that was predicted wrongly and when the
// routine of an event begins after the machine had nothing to do. Its state depends on the
// calls above alone. It allocates only in New, Load and Checkpoint.
//
// Source: Zilles and Sohi, "A Programmable Co-Processor for Profiling", HPCA 2001,
// section 3. The text of the paper that this package was written from has lost its
// numbers and tables. The numbers of sections are inferred. All sizes, and the encoding of
// instructions, are ours: see [Config] and docs/decisions/0018-coprocessor.md.
package cop

// An Error says what is wrong with a machine, a program, or an access by software.
type Error string

func (e Error) Error() string { return string(e) }
