// Package uprobe puts probes on instructions of an executable, and takes them away.
//
//	l, refused, err := uprobe.Attach(program, "/proc/4711/exe", []uint64{0x1234}, []uint64{0}, 4711)
//	…the program runs when the process executes the instruction at offset 0x1234 of the file
//	err = l.Close()
//
// # Killed tracers
//
// A process that was killed with SIGKILL can do nothing more to the memory of others. If that
// happens while it attaches or detaches, the kernel can neither go on nor take back what it has
// done: traps stay in the program, and cost it time for ever. So a child with the same file
// descriptors does it. Who kills the tracer, or its process group, does not kill the child. It
// ends when its system call has ended, and then the kernel takes all probes away. Until then, it also
// has the files of the tracer open. Who kills all processes of a control group or a container kills
// the child, too, and traps stay if it was at work.
//
// Until the probes are gone, nobody handles the hits. A web server with 90,000 probes on two busy CPUs answered
// some requests after one to ten seconds. Its code was that of the file after one to six seconds, or
// after up to a minute if another tracer attached or detached, too: the kernel has one lock for all
// of them (dup_mmap_sem), which then changes hands at each probe.
package uprobe
