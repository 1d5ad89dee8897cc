// Package capture has the data between a value sampler and all that reads its values:
// tuples, runs, the source that runs come from, and the file that keeps them.
//
// A sampler interrupts a program, interprets some instructions from there on without
// executing them, and notes for each instruction a [Tuple]: which instruction, and those of
// its values that are known. The tuples of one interrupt, in order, with the context, are
// a [Run]. For the interrupted loop
//
//	0x4011a0  mov rcx, [rax+rdx*8]
//	0x4011a4  test rcx, rcx
//	0x4011a7  jne 0x4011b0
//
// a run of three instructions, with rax = 0xc000010000, rdx = 2 and a word 0 in memory, is
//
//	Run{PID: 71, TID: 71, At: mov, Tuples: []Tuple{
//		{Insn: mov,  Known: Result | Second | Addr, Result: 0, Second: 0, Addr: 0xc000010010},
//		{Insn: test, Known: First | Second, First: 0, Second: 0},
//		{Insn: jne,  Known: Taken, Taken: false},
//	}}
//
// What is the same each time that an instruction is executed (its address, its code, the
// registers that it reads) is in an [Instruction], which all its tuples share.
//
// A [Source] returns runs. The live sampler is one, and [OpenReplay] makes one of a recording
// that a [Writer] has written, so everything behind a source works without privileges and
// without the program. A [Module] says what a sampler notes and what becomes of it.
//
// The package interprets nothing: package interp does. Package hotlist counts values, and
// package database keeps the counts.
//
// Source: Burrows et al., "Efficient and Flexible Value Sampling", ASPLOS 2000, sections 2.3
// and 2.4. Their tuple sequences are our runs.
package capture
