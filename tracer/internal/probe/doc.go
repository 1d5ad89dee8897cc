//go:build linux && amd64

// Package probe counts what happens at instructions of a live Go program: calls, values,
// branches, durations.
//
//	p, err := process.Open(4711)
//	im, err := image.OpenProcess(4711)
//	plan, err := probe.Choose(im, probe.Wish{Func: regexp.MustCompile(`^main\.known$`), Args: true})
//	s, err := probe.Attach(p, plan, probe.Limits{Hits: 100_000})
//	ended, err := s.Watch(ctx)   // until the context is done or the process ends; detaches
//	counts, err := s.Read()
//	counts.Sites[0].Hits             // 8000 calls
//	counts.Sites[0].Words[0].Values  // [{7 7200} {0 80} …]
//
// # How exact counts are
//
// All probes of a session are one link of the kernel's. They begin to count at the same
// moment, when all are there, and end together. Every hit counts. Calls are counted after
// the check of the stack's size, which is executed again when the stack has grown; package
// site says which counts are exact. Counts of values are exact, too. If there are more
// values than the tables hold, the first values to come have rows, and the rest is in one
// number.
//
// Durations pair the entry and the return of a call by the goroutine and the distance of
// the frame from the top of its stack: goroutines change threads, and stacks move.
//
// # What probes cost
//
// A hit is a trap, about 0.5 µs, if the kernel can emulate the instruction, and about 10 µs
// in a virtual machine if it has to step over it. So probes stand at instructions of the
// first kind: pushes, jumps, direct calls. A return is of the second kind. If jumps lead to
// it, the probes stand there, and the kernel interprets from there to the return (package
// micro): a fused probe. A way to the return that begins after a call has no such jump, and
// a slow probe of its own. A site with more hits per second than the limit is switched off by the kernel, and
// detached soon.
//
// # Variables at lines
//
//	probe.Wish{Lines: []probe.Position{{File: "main.go", Line: 12, Vars: []string{"x"}}}}
//
// DWARF's location lists say where variables are before the instruction with which a
// statement of the line begins: in registers, on the stack, or on the heap. The probe
// stands at a cheap instruction behind that one, if the values are the same there, or it
// is a fused probe. A variable that has no location before the instruction, but behind it
// in straight code, has a second site there (Site.Again). The reasons why others have no
// value are in Plan.Skipped.
//
// # What it leaves behind
//
// Nothing: the kernel removes the probes when the file descriptor of the link is closed,
// which it also does when the tracer is killed.
//
// # Secrets
//
// Of pointers the kernel passes on whether they are nil, of strings the length, unless
// Limits.Secrets is set. Numbers are passed on as they are.
package probe
