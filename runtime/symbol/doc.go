// Package symbol turns addresses in the code of this process into names: program counters
// into functions and lines, and the addresses of type descriptors into types. It reads the
// tables of the Go runtime and machine code. It changes nothing and takes no locks; it allocates, so it is for
// when profiles are written, and not for polls and taps.
//
// A [Table] has the frames of program counters. They count from the beginning of the text, as those in
// a .pep file do. If F in x.go, which is inlined into G, has polled, called by H:
//
//	s := symbol.NewTable(text)
//	s.Stack(&pepfile.Key{PC: 0x1234, N: 1, Callers: {0x5678}})  // [0 1 2], indices of
//	s.Frames                                                    // {F x.go 7} {G x.go 20} {H y.go 3}
//
// [Names] has the names for addresses that taps have reported in a program. That program is
// the same binary as this process, and may be this process itself or have been elsewhere in memory:
//
//	n := symbol.NewNames(symbol.Process{Text: text, Own: own}, header)
//	n.Type(0x4b8f20)            // "*bytes.Buffer"
//	n.Func(0x4a1c40)            // {F x.go 5}
//	n.Method(0x4b8f20, "Read")  // {(*bytes.Buffer).Read buffer.go 327}
package symbol
