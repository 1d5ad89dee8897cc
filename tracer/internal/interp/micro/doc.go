// Package micro turns amd64 machine code into micro-operations, and tells what instructions do that are
// interpreted without any effect on the program that they come from.
//
// A value sampler stops a program for a moment, and wants to know the values that the
// next few instructions compute. It has the registers, it may read memory, and it must
// change nothing. So it interprets: [Decode] makes one [Op] of one instruction, which says what the
// instruction computes, and where its operands and its result are. A [Table] holds the ops of the code that
// has been met. Where the sampler is a process, a [Machine] has package interp execute each instruction on
// a copy of the registers, and notes operands and results by the op.
//
// An Op has the fixed layout of [OpSize] bytes: the C program of tracer/internal/interp/bpf executes ops
// in the kernel. It has no vector registers, so a register whose value cannot be told (a conversion from
// a float, say) is unknown there, and so is what is computed from it. It stops, with a reason, where it would
// have to guess. Tests compare both with the processor, not with each other.
//
// Example: the code "add rax, [rbx]; ret" at 0x1000.
//
//	t := micro.NewTable()
//	t.Add(micro.Bytes{Base: 0x1000, Code: []byte{0x48, 0x03, 0x03, 0xc3}}, 0x1000, 100)
//	m := micro.NewMachine()
//	m.Begin(regs, flags, 0x1000, fsBase, readMemory)
//	stop := m.Run(t, 8, func(s *micro.Step) {
//		fmt.Printf("%#x: %#x\n", s.PC, s.Result) // 0x1000: the sum
//	})
//	// stop is NotDecoded if the return address leads to code that t does not hold yet
//
// The scheme is that of section 2.1.2 of Burrows and others, "Efficient and Flexible
// Value Sampling" (ASPLOS 2000), with one difference: their interpreter advances the
// interrupted program, ours never writes. So it may give up anywhere.
package micro
