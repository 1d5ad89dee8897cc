// Package micro turns amd64 machine code into micro-operations and interprets them
// without any effect on the program that they come from.
//
// A value sampler stops a program for a moment, and wants to know the values that the
// next few instructions compute. It has the registers, it may read memory, and it must
// change nothing. So it interprets: [Decode] makes one [Op] of one instruction, a
// [Table] holds the ops of the code that has been met, and a [Machine] executes them on
// a copy of the registers. Stores go to a store buffer, and loads look there first. A
// register whose value cannot be told (a conversion from a float, say, because no float
// register is captured) is marked unknown, and what is computed from it is unknown, too.
// The machine stops, with a reason, where it would have to guess.
//
// An Op has the fixed layout of [OpSize] bytes, so the same ops are interpreted in the
// kernel by the C program of tracer/internal/interp/bpf. That program is a transcription of this
// package's machine. Tests compare both with the processor, not with each other.
//
// Example: the code "add rax, [rbx]; ret" at 0x1000.
//
//	t := micro.NewTable()
//	start := t.Add(micro.Bytes{Base: 0x1000, Code: []byte{0x48, 0x03, 0x03, 0xc3}}, 0x1000, 100)
//	m := micro.NewMachine(regs, flags, mem)
//	stop := m.Run(t, start, 8, func(s *micro.Step) {
//		fmt.Printf("%#x: %#x\n", s.PC, s.Result) // 0x1000: the sum
//	})
//	// stop is NotDecoded if the return address leads to code that t does not hold yet
//
// The scheme is that of section 2.1.2 of Burrows and others, "Efficient and Flexible
// Value Sampling" (ASPLOS 2000), with one difference: their interpreter advances the
// interrupted program, ours never writes. So it may give up anywhere.
package micro
