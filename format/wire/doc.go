// Package wire is the format of site tables: what the path numbers of a program
// mean, in terms of its source. pepbuild writes one table per package and links
// them all into the program as constant data; the program's own report writer
// and the pep command read them.
//
// This comment is the specification. The package is linked into instrumented programs, so
// what they need of it must not use anything that is instrumented itself.
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
//	ref      0: the empty string; 1 to 18: a text that tables have in common, known in number.go;
//	         n > 18: string n - 18 of the table, counted from 1
//	line     signed, the difference from the line before it in the table
//
// Names start from the empty string. Lines start from 0, in a function's body from the line of the function.
//
// The code of a function is bits, those of a byte from the lowest on, with zeros up to the end of the last byte. There
// each kind of number has a Huffman code, so that most take one to five bits. These codes are constants of the format,
// in number.go, which says how numbers are made symbols. The names of kinds stand before the numbers below.
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
//	code     nodes: number of nodes, nodes
//	         starts: number of starts, per start: startNode: node<<1 | Cut, startVal: Val less the
//	         Val of the start before it
//	         untolds: number of nodes in Untold, per node: untold: it less the one before
//	         calls: number of calls, per call: callNode: node less that of the call before it,
//	         callee: index of a function<<1 | 1, or ref<<1
//	         of a function that has a Source, per node: spans: spans<<1 | branch, spans, branch; lines
//	         start from that of the Source, and all are in its file
//	node     shape: spans<<3 | branch<<2 | outs: number of spans, whether there is a
//	         branch, number of out-edges; outs = 3 for 3 or more, and then
//	         moreOuts: the number of those above 3 follows
//	         spans
//	         branch, if any: branchKind: Kind: ref, file, branchLine: line, branchCol: column
//	         per out-edge: edge, out
//	span     spanLine: signed<<1 | several: line, whether EndLine differs from it
//	         file, spanCol: column
//	         spanLen: EndCol less Col, or if several: endLine: line, endCol: EndCol
//	edge     edgeTo: 0 for Exit, 1 for the node behind those that were met in the graph so far, as target or by
//	         itself, or 2 + target less the node (signed)
//	         edgeFlags: val<<2 | Dead<<1 | Ends
//	         edgeVal: Val if val is set; otherwise it is 0
//	tap      Tag: 1 byte; Func: ref; index of the file; line, column
//	         Expr: ref; Type: ref; Bits: 1 byte; Kind: 1 byte
//	         number of further words, per word: Expr: ref; Type: ref; Bits: 1 byte;
//	         Kind: 1 byte
//	out      outcome: Outcome: ref<<1 | explicit
//	         if explicit: file, outLine: line, outCol: column; otherwise the edge leads to the first
//	         span of the target node, or to its branch if it has no span (line
//	         0, column 0 of the function's file if it has neither), or, leaving the function, to the
//	         last span of its own node (likewise)
//
//	file     fileOf: index of the file if the function has Elsewhere; otherwise no bits, and the
//	         file is that of the function
//
// An only out-edge, the first of several, the second and further ones have kinds of numbers of their own for edgeTo,
// edgeFlags and outcome.
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
// The tables of a program are a header of 60 bytes and the tables of its
// packages, one after the other. Numbers in the header are little-endian.
//
//	0xff, "pep site tables"  16 bytes
//	version                  4 bytes
//	number of packages       4 bytes
//	length of the tables     8 bytes, without the header
//	stored bytes             8 bytes: the length of what follows the header
//	number of paths          8 bytes, of all packages together
//	hash of the tables       8 bytes, FNV-1a (64 bits, big-endian)
//	checksum of the above    4 bytes
//
// A profile names the program by the hash of the tables, because path numbers of
// one build mean nothing in another. The tables are data of the executable, and
// no symbol names them in a program that was stripped: they are found by looking
// for the first 16 bytes, and the hashes tell them from a chance likeness.
//
// If the stored bytes are not as many as the tables have, the tables are packed. Package bitcode says what numbers,
// alphabets and values are. Names and other text are matched with what comes before them, and the code of functions is
// kept as it is:
//
//	packed   number of kept bytes, alphabets of tokens, of far and of near distances, tokens, kept bytes
//	token    0: as many of the kept bytes as the number that follows says; 1 to 256: the byte that is 1 less; n > 256: n - 254
//	         bytes like those from a distance on, which follows: 256 far + near + 1
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
// with x tapped at the entry of f, is 65 bytes long:
//
//	0e 3b                           version, 59 bytes of body
//	04 6d 61 69 6e                  path "main"
//	02 01                           2 paths, 1 function
//	01 00 07 6d 61 69 6e 2e 67 6f   1 file: nothing shared, "main.go"
//	03                              3 strings
//	06 6d 61 69 6e 2e 66            19 is "main.f"
//	01 78 03 69 6e 74               20 is "x", 21 is "int"
//	05 01 66                        the function shares "main." with the file's name, then "f"
//	00 06 00 02 08                  file 0, line 3, Base 0, N 2, 8 bytes of code
//	00                              no skipped function
//	01 01                           1 tap, of the kind Arg
//	13 00 00 08                     "main.f", file 0, no line further on, column 8
//	14 15 40 01                     "x", "int", 64 bits, Signed
//	00                              no further words
//	89 fb 20 00 04 b8 00 00         the code, below
//	7a 7e 16 72                     checksum
//
// The bits of the code, in their order:
//
//	100 10                          3 nodes; node 0: 1 span, a branch, 2 out-edges
//	00 1110 111110                  a line further on, column 5, 5 bytes long
//	0 0 00                          "if", no line further on, column 5
//	10 0 0 0                        edge: the next node, Val 1; out: "true", position implied
//	00 0 0                          edge: the next node; out: "false", position implied
//	0 00 0 1000 0 0 0               node 1: 1 span, 1 out-edge; span; Exit, out
//	0 011 10 1000 0 0 0             node 2 likewise, 2 lines further on
//	0 0 0                           1 start: node 0, Val 0
//	0 00                            no branch that is not told, no calls
package wire

// Version is the version of the format that this package writes and reads.
const Version = 14

const (
	manyOuts    = 3   // number of out-edges that is followed by the rest of it
	maxShared   = 127 // bytes a name shares at most; more would let a small corrupt table fill the memory
	checksumLen = 4
)
