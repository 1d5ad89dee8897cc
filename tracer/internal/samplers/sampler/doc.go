// Package sampler samples the values that live, unmodified programs compute. At each tick
// of a CPU's clock, a BPF program interprets the next few instructions of the interrupted
// thread, without any effect on it, and sends what they computed.
//
//	s, err := sampler.Attach(sampler.Options{PIDs: []int{4711}, Skip: 15})
//	defer s.Close()
//	var run capture.Run
//	for s.Next(&run) == nil {
//		for _, t := range run.Tuples {
//			if t.Known&capture.Result != 0 {
//				fmt.Printf("%#x: %#x\n", t.Insn.PC, t.Result) // 0x4011a0: 0xc000010010
//			}
//		}
//	}
//
// The scheme is that of Burrows and others, "Efficient and Flexible Value Sampling" (ASPLOS
// 2000), section 2.1.2: [Options] has the parameters of the paper. The interval is in time,
// not in instructions, because it comes from the clock of the CPU; so values are weighted by
// the time that is spent at an instruction, not by its executions.
//
// The kernel interprets decoded instructions. In the beginning there are none: the
// kernel notes the addresses that it could not interpret, and this package decodes what
// is reached from there. After some hundred milliseconds, nearly all samples meet decoded
// code. [Stats] says how many did not, and why runs ended early.
//
// Attach needs CAP_BPF and CAP_PERFMON, or root, and Linux 5.17 with BTF. To read the code of
// processes of other users it also needs CAP_SYS_PTRACE. Close removes everything from the
// kernel, and so does the end of the sampling process.
package sampler
