// Package probe holds the BPF program behind probes, compiled.
//
//	spec, err := probe.LoadProbe()
//	spec.Maps[probe.ProbeMapSites].MaxEntries = 2
//	…
//	var o probe.ProbeObjects
//	err = spec.LoadAndAssign(&o, nil)
//
// probe.c is its source and says what the program does; bpf.h has the declarations that it
// needs. Package tracer/internal/probe uses it. Whoever changes the source runs go generate,
// with Debian's packages clang-19 and llvm-19, and commits what comes out; a test compares.
// Nobody else needs a compiler for C.
package probe

//go:generate go tool bpf2go -cc clang-19 -strip llvm-strip-19 -target amd64 -go-package probe -type kind -type from -type as -type direction -type site -type hits -type word -type value -type text -type call -type durations -type slot -type op Probe probe.c -- -O2 -g -Wall -Werror
