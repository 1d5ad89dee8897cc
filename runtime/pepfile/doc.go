// Package pepfile is the .pep file: the memory in which a profiled program counts,
// which is a file so that the counts survive a program that is killed.
//
// It holds the types of what is in the file, where each part is, how threads and
// signal handlers add to it, and how a reader finds out whether the file is whole.
// It knows no file name and makes no system call: whoever has the memory gives its
// address.
//
//	t := pepfile.TableAt(p)
//	t.Fill(opts)
//	t.Publish()                                   // from here on readers accept it
//	t.Add(&pepfile.Key{Path: 5, PC: 0x4a0})       // in a signal handler
//	pepfile.File{Table: t, Size: n}.Check()       // "": it is whole
//
// The layout is, little-endian,
//
//	offset 0         a Header, whose layout a test pins
//	offset 4096      Slots entries of 168 bytes, an open-addressed hash table
//	then             what exact counts and taps need (layout.go)
//
// An Entry counts one combination of path, program counter and callers. If two
// threads come upon a new key at the same time, two entries may get that key:
// readers add entries of equal keys up. Program counters are relative to Text, the
// start of the text segment, so they mean the same in another process of the same
// binary. A file of exact counts has no slots.
package pepfile
