// Package pepfile is the .pep file: the memory in which a profiled program counts,
// which is a file so that the counts survive a program that is killed.
//
// The package has the types in the file and the offset of each part. It has the functions
// with which threads and signal handlers add to the file, and those with which a reader
// finds out whether the file is whole. It knows no file name and makes no system call:
// the caller gives the address of the memory.
//
//	t := pepfile.TableAt(p)
//	t.Fill(opts)
//	t.Publish()                                   // from here on readers accept it
//	t = t.WithIndex(new(pepfile.Index))           // what counting needs, outside of the file
//	t.Add(&pepfile.Key{Path: 5, PC: 0x4a0})       // in a signal handler
//	pepfile.File{Table: t, Size: n}.Check()       // "": it is whole
//
// The layout is, little-endian,
//
//	offset 0         a Header, whose layout a test pins
//	offset 4096      Slots entries of 176 bytes, in the order in which they came
//	offset 5771264   LabelSets label sets of 256 bytes, an open-addressed hash table: hash, state, size, and keys
//	                 and values in turns, each behind a byte with its length
//	offset 6033408   the log of bursts (bursts.go) or of windows (windows.go), 2 MB, and what these have noted (notes.go)
//	then             the parts for exact counts and for taps (layout.go)
//
// An Entry counts one combination of path, program counter and callers. If two
// threads come upon a new key at the same time, two entries may get that key:
// readers add entries of equal keys up. Program counters are relative to Text, the
// start of the text segment, so they mean the same in another process of the same
// binary. A file of exact counts has no slots, and label sets only if taps report.
//
// A reader notices damage: the header has a checksum of the fields that do not change, and is published last; each
// slot has the hash of its key; and as many samples must be counted or dropped as were taken. A wrong header is an
// error. Wrong slots are skipped, and the comment of the profile has their number. Exact counts, the log and numbers
// of the comment, such as ticks, are not protected.
package pepfile
