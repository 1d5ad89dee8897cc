// Package ops has the operations of package machine/interp for value samplers: where the code of a program leads, what
// its instructions do, and the layout that the program in the kernel reads.
//
// A value sampler stops a program for a moment, and wants to know the values that the next few instructions compute. It
// has the registers, it may read memory, and it must change nothing. So it interprets. A [Decoder] has package interp
// decode an instruction to operations, mostly one; an [Op] is such an operation, with the indexes of those that follow.
// A [Table] holds the ops of the code that has been met. Where the sampler is a process, a [Machine] has package interp
// execute each instruction on a copy of the registers, and notes operands and results by the ops.
//
// In the kernel, the C program of tracer/internal/interp/bpf executes the same operations. It has no vector registers,
// so a register whose value cannot be told (a conversion from a float, say) is unknown there, and so is what is
// computed from it. It stops, with a reason, where it would have to guess. Its header ops.h has the numbers of packages
// interp and ops; a test of this package writes it, and numbers.go. Other tests compare the two interpreters with each
// other and with the processor.
//
// Example: the code "add rax, [rbx]; ret" at 0x1000.
//
//	t := ops.NewTable()
//	t.Add(ops.Bytes{Base: 0x1000, Code: []byte{0x48, 0x03, 0x03, 0xc3}}, 0x1000, 100)
//	m := ops.NewMachine()
//	m.Begin(regs, flags, 0x1000, fsBase, readMemory)
//	stop := m.Run(t, 8, func(s *ops.Step) {
//		fmt.Printf("%#x: %#x\n", s.PC, s.Result) // 0x1000: the sum
//	})
//	// stop is NotDecoded if the return address leads to code that t does not hold yet
//
// The scheme is that of section 2.1.2 of Burrows and others, "Efficient and Flexible Value Sampling" (ASPLOS 2000),
// with one difference: their interpreter advances the interrupted program, ours never writes. So it may give up
// anywhere.
package ops
