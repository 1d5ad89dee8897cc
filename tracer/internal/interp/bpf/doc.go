// Package bpf has the tracer's programs for the kernel, compiled: the interpreter of
// package machine/interp in C, operation by operation, as a value sampler and as a program for tests.
//
// The objects are committed, so nobody needs a C compiler to build or use the tracer. To
// change a program, change its C file and run, with clang-19 and llvm-strip-19 at hand,
//
//	go generate ./tracer/internal/interp/bpf
//
// A test compares the objects with their sources, where clang-19 is. The files are
//
//	helpers.h   the kernel's interface, as far as it is used
//	ops.h       numbers of packages interp and ops, written by "go test ./tracer/internal/interp/ops -update"
//	code.h      ops and entries: the decoded code of the traced processes
//	run.h       state of the interpreter and arithmetic
//	interp.h    the interpreter: one operation
//	namespace.h numbers of processes in the sampler's PID namespace
//	labels.h    goroutines and their labels
//	steps.c     program that interprets a thread which a test has stopped
//	sampler.c   program that interprets at each tick of a CPU's clock
//
// Example: the sampler's objects, with space for a million ops.
//
//	spec, err := bpf.LoadSampler()
//	spec.Maps["ops"].MaxEntries = 1 << 20
//	err = spec.Variables["cfg_length"].Set(uint32(8))
//	var objs bpf.SamplerObjects
//	err = spec.LoadAndAssign(&objs, nil)
package bpf

//go:generate go tool bpf2go -cc clang-19 -strip llvm-strip-19 -target amd64 -type request -type tuple -type store Steps steps.c -- -O2 -g -Wall -Werror
//go:generate go tool bpf2go -cc clang-19 -strip llvm-strip-19 -target amd64 -type record -type tuple -type proc -type entry -type address -type labels Sampler sampler.c -- -O2 -g -Wall -Werror
