// Package wire is the format of site tables: what the path numbers of a program
// mean, in terms of its source. pepbuild writes one table per package and links
// them all into the program as constant data; the program's own report writer
// and the pep command read them.
//
// This comment is the specification. The package imports nothing but pdag and
// digits, because it is linked into instrumented programs and must not use
// anything that is instrumented itself.
//
// # Numbers and strings
//
// A number is an unsigned varint: seven bits a byte, lowest first, the top bit
// set in all but the last byte, ten bytes at most. A signed number is zigzag
// coded (0, -1, 1, -2 … as 0, 1, 2, 3 …). "a<<3 | b<<2 | c" is one number that
// holds several.
//
//	string   length, bytes
//	name     shared, string: the first shared bytes of the name before it in the
//	         table (127 at most), then the string
//	ref      0: the empty string; n > 0: string n of the table, counted from 1
//	line     signed, the difference from the line before it in the table
//
// Names start from the empty string. Lines start from 0, in a function's body from the line of the function.
//
// # Tables
//
//	table    version (1 byte), length of the body, body,
//	         checksum of the body (32 bits, little-endian)
//	body     path of the package: string
//	         number of its paths: Base+N of the last function, 0 if there is none
//	         number of functions
//	         number of files, their names: name
//	         number of strings, strings
//	         per function head, Base less Base+N of the function before it (less 0 for
//	         the first), N, length of its code
//	         number of skipped functions, per function: head, reason: ref
//	         number of taps, taps
//	         per function its code
//	head     name, index of the file, line
//	         to the index of a function that has Elsewhere the number of files is added, and twice that
//	         number to the index of one that has a Source, whose file and line follow then
//	code     number of nodes, nodes
//	         number of starts, per start: node<<1 | Cut, then Val less the
//	         Val of the start before it
//	         number of nodes in Untold, per node: it less the one before
//	         number of calls, per call: node less that of the call before it,
//	         callee: index of a function<<1 | 1, or ref<<1
//	         of a function that has a Source, per node: spans<<1 | branch, spans, branch; lines
//	         start from that of the Source, and all are in its file
//	node     spans<<3 | branch<<2 | outs: number of spans, whether there is a
//	         branch, number of out-edges; outs = 3 for 3 or more, and then
//	         the number of those above 3 follows
//	         spans
//	         branch, if any: Kind: ref, file, line, column
//	         per out-edge: edge, out
//	span     signed<<1 | several: line, whether EndLine differs from it
//	         file, column
//	         EndCol less Col, or if several: EndLine: line, EndCol
//	edge     to<<3 | val<<2 | Dead<<1 | Ends, where to is 0 for Exit and
//	         otherwise 1 + target less the node (signed)
//	         Val if val is set; otherwise it is 0
//	tap      Tag: 1 byte; Func: ref; index of the file; line, column
//	         Expr: ref; Type: ref; Bits: 1 byte; Kind: 1 byte
//	         number of further words, per word: Expr: ref; Type: ref; Bits: 1 byte;
//	         Kind: 1 byte
//	out      Outcome: ref<<1 | explicit
//	         if explicit: file, line, column; otherwise the edge leads to the first
//	         span of the target node, or to its branch if it has no span (line
//	         0, column 0 of the function's file if it has neither), or, leaving the function, to the
//	         last span of its own node (likewise)
//
//	file     index of the file if the function has Elsewhere; otherwise no bytes, and the
//	         file is that of the function
//
// The strings are in front, and heads have the lengths of codes, so that a program that ends reads
// the code of only those functions whose paths it has counted.
//
// The checksum is FNV-1a of 64 bits with numbers of 8 bytes, little-endian, in place of bytes. The
// offset basis is combined with the length first by exclusive or; the bytes after the last whole
// number, none to seven, are the last number. The two halves of the result are combined likewise.
//
// A reader refuses other versions. The version grows with every change of the format.
//
// # Programs
//
// The tables of a program are a header of 52 bytes and the tables of its
// packages, one after the other. Numbers in the header are little-endian.
//
//	0xff, "pep site tables"  16 bytes
//	version                  4 bytes
//	number of packages       4 bytes
//	length of the tables     8 bytes, without the header
//	number of paths          8 bytes, of all packages together
//	hash of the tables       8 bytes, FNV-1a (64 bits, big-endian)
//	checksum of the above    4 bytes
//
// A profile names the program by the hash of the tables, because path numbers of
// one build mean nothing in another. The tables are data of the executable, and
// no symbol names them in a program that was stripped: they are found by looking
// for the first 16 bytes, and the hashes tell them from a chance likeness.
//
// # Example
//
// The table of
//
//	package main           // main.go
//
//	func f(x int) int {
//		if x > 0 {
//			return 1
//		}
//		return 0
//	}
//
// with x tapped at the entry of f, is 101 bytes long:
//
//	0c 5f                           version, 95 bytes of body
//	04 6d 61 69 6e                  path "main"
//	02 01                           2 paths, 1 function
//	01 00 07 6d 61 69 6e 2e 67 6f   1 file: nothing shared, "main.go"
//	06                              6 strings
//	02 69 66                        1 is "if"
//	04 74 72 75 65                  2 is "true"
//	05 66 61 6c 73 65               3 is "false"
//	06 6d 61 69 6e 2e 66            4 is "main.f"
//	01 78 03 69 6e 74               5 is "x", 6 is "int"
//	05 01 66                        the function shares "main." with the file's name, then "f"
//	00 06 00 02 1e                  file 0, line 3, Base 0, N 2, 30 bytes of code
//	00                              no skipped function
//	01 01                           1 tap, of the kind Arg
//	04 00 00 08                     "main.f", file 0, no line further on, column 8
//	05 06 40 01                     "x", "int", 64 bits, Signed
//	00                              no further words
//	03 0e                           3 nodes; node 0: 1 span, a branch, 2 out-edges
//	04 05 05                        a line further on, column 5, 5 bytes long
//	01 00 05                        "if", no line further on, column 5
//	1c 01                           edge: 1 node further on, Val 1
//	04                              out: "true", position implied
//	28                              edge: 2 nodes further on
//	06                              out: "false", position implied
//	09 04 03 08 00 00               node 1: 1 span, 1 out-edge; span, Exit, out
//	09 08 02 08 00 00               node 2 likewise, 2 lines further on
//	01 00 00                        1 start: node 0, Val 0
//	00                              no branch that is not told
//	00                              no calls
//	9e 13 02 7d                     checksum
package wire

// Version is the version of the format that this package writes and reads.
const Version = 12

const (
	manyOuts    = 3   // number of out-edges that is followed by the rest of it
	maxShared   = 127 // bytes a name shares at most; more would let a small corrupt table fill the memory
	checksumLen = 4
)
