// Package trace is the format of trace files: the tuples that an instrumented
// program, or part of one, has produced, in order.
//
//	b := trace.AppendHeader(nil, &trace.Header{Build: build, Exe: "./app", Tables: tables})
//	b = trace.AppendBlock(b, 0, tuples)
//	b = trace.AppendEnd(b, trace.End{Tuples: uint64(len(tuples))})
//
// This comment is the specification. The package works on byte slices and
// imports crc32 and tuple alone, because it is linked into instrumented programs;
// package hwsim/trace reads and writes files.
//
// # Numbers and strings
//
// A number is an unsigned varint: seven bits a byte, lowest first, the top bit
// set in all but the last byte, ten bytes at most. A signed number is zigzag
// coded: 0, -1, 1, -2 … as 0, 1, 2, 3 …, in 64 bits, with wraparound. A string
// is its length, a number, and its bytes.
//
// # Chunks
//
//	file     "pepTRACE", version (1 byte), header, blocks and symbols in any
//	         order, end
//	chunk    kind (1 byte), size of the body (32 bits), body,
//	         CRC-32 (IEEE) of kind, size and body (32 bits)
//
// Numbers of fixed size are little-endian. The header, a block, symbols and the end are
// chunks with these bodies:
//
//	H  header   Build: 8 bytes; Exe: string; Comment: string; Tables: string
//	B  block    stream, number of tuples (4096 at most), tuples
//	S  symbols  number of symbols, per symbol: tag (1 byte), W, name: string
//	E  end      number of tuples in the file, number of events dropped
//
// Build is the hash of the site tables by which profiles name the program, and
// Tables are these tables, as package wire specifies, so that a trace can be
// read without the program. A stream is a sequence of events that belong together, such
// as those of one thread. The writer chooses the numbers of streams. The order of blocks
// in the file is the order in which they became complete. A file without end is truncated.
//
// A reader refuses versions it does not know. The version grows with every
// change of the format.
//
// # Tuples
//
// A block can be read without the blocks before it. Within a block, a tuple is written as
// the difference from earlier tuples. Writer and reader remember the same of these: 256
// slots, each for one PC, with the last W of this PC and the slot of the tuple that
// followed last time. Only slot
//
//	PC * 0x9e3779b97f4a7c15 >> 56
//
// can hold a PC. At the start of a block everything is 0: the PCs and the Ws of all slots,
// the slots that followed, and the slot of the tuple before.
//
//	tuple    head (1 byte): site<<4 | size
//	         site 0: nothing; the slot is the one that followed last time
//	         site 1: the number of the slot (1 byte)
//	         site 2: PC less the last PC written so, 0 at first (signed);
//	                 the slot is that of the PC, with W 0 from now on
//	         size bytes (0 … 8), little-endian: W less the slot's W (signed)
//
// If the PC of a slot changes, the slot still knows which slot followed. The first 16M
// loads of the test programs typecheck and lua take 2.1 bytes each.
//
// # Example
//
// The file of a program ./app without site tables, with a stream 7 of five
// tuples, is 102 bytes long:
//
//	70 65 70 54 52 41 43 45 01      "pepTRACE", version
//	48 10 00 00 00                  header, body of 16 bytes
//	01 02 03 04 05 06 07 08         Build
//	05 2e 2f 61 70 70 00 00         Exe "./app", no Comment, no Tables
//	21 2c f1 59                     checksum
//	53 08 00 00 00                  symbols, body of 8 bytes
//	01 06 a0 09 03 69 6e 74         1 symbol: tag 6 (Type), W 0x4a0, "int"
//	b5 81 eb ff                     checksum
//	42 1f 00 00 00                  block, body of 31 bytes
//	07 05                           stream 7, 5 tuples
//	22 80 80 80 80 c1 b8 c8 ea 07   fresh PC: tag 3 (Load), site 0 of main;
//	58 02                           2 bytes: W is 300 more than 0
//	22 82 80 80 80 80 80 80 80 06   fresh PC: 3<<56 + 1 more, tag 6, site 1;
//	40 09                           2 bytes: W is 0x4a0 more than 0
//	11 bb                           slot 0xbb, that of the first PC;
//	01                              1 byte: W is 1 less than last time
//	00                              the slot that followed last time, and the same W
//	00                              and again
//	d3 70 16 75                     checksum
//	45 02 00 00 00 05 00            end, body of 2 bytes: 5 tuples, 0 dropped
//	ee d0 e0 bb                     checksum
package trace

const (
	magic = "pepTRACE"

	// Version is the version of the format that this package writes and reads.
	Version = 1
)
