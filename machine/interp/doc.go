// Package interp interprets amd64 machine code of the thread it runs on, or of another process, without any effect on
// it. A window is the interpretation of some thousand instructions on a copy of the thread's registers; what the window
// stores stays in a buffer. It is value sampling's interpreter (Burrows and others, "Efficient and Flexible Value
// Sampling", ASPLOS 2000, section 2.1.2) made fast enough for a signal handler.
//
//	var code interp.Code                // the cache of decoded code
//	code.Init(memory, size)
//	code.Texts[0] = interp.Text{Low: low, High: high}
//	code.Actions = func(pc uint64, a *interp.Actions) bool { ...; return true }
//	m := new(interp.Machine)
//	m.Init(&code)
//	m.Act = func(m *interp.Machine, event uint64) { ... }
//	copy(m.R[:16], registers)           // at a tick
//	m.Reset(pc, flags)
//	why := m.Run(6000)                  // m.PC is where the window ended
//
// Instructions are decoded to operations of 32 bytes, and again only if somebody has changed them: op.go. The
// operations of instructions that follow each other are a piece, and pieces are linked: code.go. Whether an instruction
// has events is asked when it is decoded: an event is an operation among the others, so instructions without events
// cost nothing more. So are values that somebody wants to have noted: note.go. Run is one switch over the kinds of
// operations, run.go; what is rare is in slow.go. Loads and stores go through a table of lines: memory.go. Flags are
// computed when somebody looks at them: flags.go, noflags.go.
//
// Many machines, one for each thread, may share code: a piece is decoded by one of them, in memory of its own, and then
// put into the cache by atomic stores. The cache has the memory that Init gave it. When that is full, windows end,
// until one begins while no other machine runs, and empties it.
//
// Everything that Run calls follows the rules of signal handlers: no allocation, no lock, no map, no write barrier, no
// call of the Go runtime, not even of a panic. So arrays are indexed with masks or with bytes, and addresses are
// numbers. A test looks at the machine code. The program's memory is read without a check that it is there: addresses
// below 4096 and those that no process has end the window, for others the caller needs a handler of SIGSEGV and SIGBUS.
// That may leave Run wherever it is, by restoring the stack pointer: after Reset the machine and the code are as good
// as before.
//
// # To add an instruction
//
// decodeint.go has integer instructions, and decodevector.go all others. Most of those are a row of a table: its
// comment says more. When the decoder calls vector, prefixes and opcode are read: opMap is 1 for 0F, 2 for 0F38, 3 for
// 0F3A; pp is 0, 1, 2, 3 for no prefix, 66, F3, F2; vex is 0, 2 (VEX) or 4 (EVEX); opcode, w, length, vvvv, mask and
// zeroing are set. Then
//
//   - modrm(n) reads the operands; n is the number of immediate bytes behind them. rm, unless memory is set, and reg are
//     register numbers up to 15; EVEX adds xHigh and rHigh. scale(size) follows with EVEX.
//   - emit(kind) returns an operation to fill. address(o) gives it the memory operand. Load a memory operand by an
//     operation of its own, to a temporary register, so that all arithmetic has one form. The temporary registers are
//     Vectors[32] to Vectors[63], and R[rTmp], R[rDst].
//   - a new kind of vector operation is a constant from kVector on, with a case in Machine.vector. There, m.read and
//     m.write load and store up to 64 bytes; if they return false, so does vector. Mask registers are R[rMask] to
//     R[rMask+7], the control register of SSE is m.MXCSR. An operation that sets flags calls m.word(flags).
//
// An instruction that is not decoded ends the window, which is always right. The processor is the oracle of everything
// else: the tests are in tracer/internal/interp/steptest. The program in the kernel executes the same operations, so a
// new kind needs a case in tracer/internal/interp/bpf, too: a test there says so.
package interp
