package wire

// This file has the codes of numbers in the code of functions: canonical Huffman codes (Huffman, "A Method for the
// Construction of Minimum-Redundancy Codes", Proceedings of the IRE, 1952). They were made for four programs, of which
// most is std, as of any program. All tables have the same codes, so those of a program are the tables of its packages
// as they are.
//
// A number below direct is a symbol of a code. Another number n has the symbol of its two highest bits, of which there
// are two for each length, and the rest of its bits follow, lowest first: 26 is 11010 in binary, which has the symbol
// 17 and 010 as the rest. The last symbol stands for numbers from 1<<16 on, of which all 64 bits follow.

import "math/bits"

// A field is a kind of number in the code of a function. Numbers of a kind have a code.
type field int

const (
	nodes field = iota
	shape
	moreOuts
	spans
	spanLine
	spanCol
	spanLen
	endLine
	endCol
	branchKind
	branchLine
	branchCol
	edgeVal
	outLine
	outCol
	starts
	startNode
	startVal
	untolds
	untold
	calls
	callNode
	callee
	fileOf
	edgeTo                 // of the only out-edge of a node, of its first, second and further ones
	edgeFlags = edgeTo + 4 // likewise
	outcome   = edgeTo + 8 // likewise
	fields    = edgeTo + 12
)

const (
	direct   = 16 // numbers below it are symbols
	symbols  = 41
	anything = symbols - 1
)

// symbolOf returns the symbol of a number, and the bits that follow it.
func symbolOf(u uint64) (symbol int, rest uint64, n int) {
	if u < direct {
		return int(u), 0, 0
	}
	n = bits.Len64(u) - 2
	symbol = direct + 2*(n-3) + int(u>>n&1)
	if symbol >= anything {
		return anything, u, 64
	}
	return symbol, u & (1<<n - 1), n
}

// joined is the inverse of symbolOf: it returns the highest bits of a number, and how many follow.
func joined(symbol int) (high uint64, n int) {
	switch {
	case symbol < direct:
		return uint64(symbol), 0
	case symbol == anything:
		return 0, 64
	}
	n = (symbol-direct)/2 + 3
	return uint64(2+symbol&1) << n, n
}

// among returns how far fields of out-edge i of n are behind those of the only one of a node.
func among(i, n int) field {
	if n == 1 {
		return 0
	}
	return min(field(i)+1, 3)
}

// known are texts that tables have in common.
var known = [...]string{OutTrue, OutFalse, "if", "&&", "||", "for", "range", OutBody, OutDone, "switch", OutDefault,
	OutNoCase, OutElse, ByInterface, ByValue,
	"type switch", "if(&&)", "if(||)"}

// A code says how many symbols have codes of 1 bit, 2 bits and so on, and which these are, those with short codes
// first. Numbers are characters: 0 is '0', 10 is ':', 40 is 'X'.
type code struct{ lengths, symbols string }

// word returns the code of a symbol, and its length.
func (c *code) word(symbol int) (word uint64, length int) {
	index := 0
	for i := range len(c.lengths) {
		word <<= 1
		for range c.lengths[i] - '0' {
			if int(c.symbols[index]-'0') == symbol {
				return word, i + 1
			}
			word++
			index++
		}
	}
	panic("wire: a symbol without a code")
}

var codes = [fields]code{
	nodes:         {"10116631030113>", "13@456789:;<=AB>?CD2EFGHVWX0IJKLMNOPQRSTU"},
	shape:         {"11111110100?B", "9>61?@7AJKLMNOPQRSTUVWX023458:;<=BCDEFGHI"},
	moreOuts:      {"1102133341400>4", "0123456@789=?A:;<B>CDEFKLMNOPQRSTUVWXGHIJ"},
	spans:         {"0000GB", "BCDEFGHIJKLMNOPQRSTUVWX0123456789:;<=>?@A"},
	spanLine:      {"013245342300392", "458@9<6=AB0CDEF2:;>?GHIJ7KLMNOPQRSTUVWX13"},
	spanCol:       {"1111111013212G2", "32456B7A18C9@:;D=>?EFGHIJKLMNOPQRSTUVWX0<"},
	spanLen:       {"0123910310104@", "@AB8<C069:;=>?D537EF4GVWX12HIJKLMNOPQRSTU"},
	endLine:       {"11022311101127B", "2468:@<>ABCDEFHKGITUVWX013579;=?JLMNOPQRS"},
	endCol:        {"01238231110106<", "@AB2?C39:;<=>D4856E7FGHSTUVWX01IJKLMNOPQR"},
	branchKind:    {"1031110134100G2", "34567:@DAFHBEGIC289;<=>?JKLMNOPQRSTUVWX01"},
	branchLine:    {"100366222301168", "0125379@AB;=?CDE4F6G:H8<I>MSTUVWXJKLNOPQR"},
	branchCol:     {"02134151102104@", "567@AB238C>49<?D=:;EFGVWX01HIJKLMNOPQRSTU"},
	edgeVal:       {"1012346:3111008", "123456@78AB9:<CDE;=>?FGHJLNIKMOPR0QSTUVWX"},
	outLine:       {"02213423013321>", "02468:@B<>ACDEFGHJ13I59K7=X;?LMNOPQRSTUVW"},
	outCol:        {"1111101332430D", "123456@BC7AD;<8:>E9=?0FGHIJKLMNOPQRSTUVWX"},
	starts:        {"1111111014020E6", "123456789:;<=?DEFGHIJKLMNOPQRSTUVWX0>@ABC"},
	startNode:     {"1013262126201>", "026@B:A48<>CDEFH5G379=?J;IX1KLMNOPQRSTUVW"},
	startVal:      {"102114685511024", "0123456@P789:AB;<=?CDFQ>GHKNEIJLOMSWXRTUV"},
	untolds:       {"111110100=F", "012538LMNOPQRSTUVWX4679:;<=>?@ABCDEFGHIJK"},
	untold:        {"0133247000;:", "013425@7A:?CD89;<=>ENOPQRSTUVWX6BFGHIJKLM"},
	calls:         {"0212462302106<", "01234567@89:;<A=B>?CDEFGTUVWXHIJKLMNOPQRS"},
	callNode:      {"11111022133216@", "0123456789:;@<=>?ABDEUVWXCFGHIJKLMNOPQRST"},
	callee:        {"1022231030100F4", "0ADFHBJCEIGKMNL56789:;<=>?@OPQRSTUVWX1234"},
	fileOf:        {"110000I>", "?@>ABCDEFGHIJKLMNOPQRSTUVWX0123456789:;<="},
	edgeTo:        {"1101255021153>", "0413759@AB;=?CDEFGH68:<I2>JKLMNOPQRSTUVWX"},
	edgeTo + 1:    {"110125421224@", "413579@ABC;=?DEFG8H:JUVWX026<>IKLMNOPQRST"},
	edgeTo + 2:    {"0212533502121>", "168:@4<>AB3CD57E9;=?FGHJ0IX2KLMNOPQRSTUVW"},
	edgeTo + 3:    {"1005511022015B", "1:@ABD8<>CFEG6HIJ4TUVWX023579;=?KLMNOPQRS"},
	edgeFlags:     {"110000I>", "01@ABCDEFGHIJKLMNOPQRSTUVWX23456789:;<=>?"},
	edgeFlags + 1: {"11110000K:", "4051>?@ABCDEFGHIJKLMNOPQRSTUVWX236789:;<="},
	edgeFlags + 2: {"11110000K:", "0415>?@ABCDEFGHIJKLMNOPQRSTUVWX236789:;<="},
	edgeFlags + 3: {"1110000J<", "405?@ABCDEFGHIJKLMNOPQRSTUVWX1236789:;<=>"},
	outcome:       {"110000I>", "01@ABCDEFGHIJKLMNOPQRSTUVWX23456789:;<=>?"},
	outcome + 1:   {"110063110004H", "2@3BCDEFHIJGKUVWX01456789:;<=>?ALMNOPQRST"},
	outcome + 2:   {"1110063110005F", "4@5ABCDEFGIJHKTUVWX01236789:;<=>?LMNOPQRS"},
	outcome + 3:   {"0055110003J", "@ACDFEGHIJBKVWX0123456789:;<=>?LMNOPQRSTU"},
}
