//go:build linux && amd64

// Package cold finds the blocks of live programs that never run. A block has a probe until it is hit for the first
// time.
//
//	plan, err := cold.Survey(im, analyze.Modules)   // blocks, lines, and the places of probes
//	s, err := cold.Attach(cold.Target{PID: 4711, Exe: p.Exe()}, plan, nil, cold.Options{})
//	for range time.Tick(time.Second) {
//		s.Take()                                    // blocks that were hit since the last call
//	}
//	err = s.Detach()
//	s.Cost()
//
// # How probes go
//
// All probes are one link of the kernel's. When a block is hit, the kernel's trap instruction at its place is
// replaced by the byte of the file, with a write to /proc/PID/mem: from then on the block costs nothing. The kernel
// keeps the probe, which has nothing to do any more, until the link is closed. Processors take the write of one byte
// as it is, so the other threads run on.
//
// Where /proc/PID/mem may not be written, or with Options.Careful, blocks are in groups, each with a link: a
// group gets a new link without the blocks that were hit. Until then each hit costs a trap.
//
// # What it leaves behind
//
// Nothing: the kernel takes the probes away when the links are closed, which it also does when the tracer is killed. So
// that this is true while it attaches or detaches, too, a child does both: see the type link.
//
// # What has no probes
//
// Padding, calls that grow the stack, and both sides of write barriers: which of the two runs depends on whether the
// collector marks at that time.
//
// # Faults
//
// A probe stands on the cheapest instruction of its block, and an instruction ahead of it can fault. So
// there is a probe in runtime.sigpanic, which says where the fault was: that block has run, too.
package cold
