package steptest

import "math/rand/v2"

// This file makes random instructions.

// An Encoding is a family of instructions: the test adds random operands.
type Encoding struct {
	code  []byte // with mandatory prefixes; REX goes in front of the opcode
	modrm int    // -1: none; 0 to 7: /digit; reg: any
	imm   int    // bytes of immediate; immZ is 4, or 2 with a 66 prefix
	flags int
}

const (
	reg  = 8
	immZ = 9

	no66    = 1 << iota // no operand size prefix
	noREX               // no REX.W
	memOnly             // no register form
	regOnly             // no memory form
	mayStop             // it is right that it is not interpreted
)

func ops(modrm, imm, flags int, codes ...byte) (es []Encoding) {
	for _, c := range codes {
		es = append(es, Encoding{[]byte{c}, modrm, imm, flags})
	}
	return es
}

func ops0f(modrm, imm, flags int, codes ...byte) (es []Encoding) {
	for _, c := range codes {
		es = append(es, Encoding{[]byte{0x0f, c}, modrm, imm, flags})
	}
	return es
}

func span(from, to byte) (codes []byte) {
	for c := int(from); c <= int(to); c++ {
		codes = append(codes, byte(c))
	}
	return codes
}

// Encodings lists what an interpreter must interpret, unless MayStop.
func Encodings() (es []Encoding) {
	add := func(e []Encoding) { es = append(es, e...) }
	for op := byte(0); op < 0x40; op += 8 {
		add(ops(reg, 0, 0, op, op+1, op+2, op+3))
		add(ops(-1, 1, noREX|no66, op+4))
		add(ops(-1, immZ, 0, op+5))
		add(ops(int(op/8), 1, 0, 0x80, 0x83))
		add(ops(int(op/8), immZ, 0, 0x81))
	}
	add(ops(reg, 0, 0, 0x84, 0x85, 0x88, 0x89, 0x8a, 0x8b))
	add(ops(reg, 0, regOnly|mayStop, 0x86, 0x87)) // mayStop: AH and the like
	add(ops(-1, 0, 0, span(0x91, 0x93)...))
	add(ops(reg, 0, memOnly, 0x8d))
	add(ops(reg, 0, no66, 0x63))
	add(ops(-1, 0, 0, 0x90, 0x98, 0x99))
	add(ops(-1, 0, no66, 0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x5b, 0x5d, 0x5e, 0x5f))
	add(ops(-1, 4, no66, 0x68))
	add(ops(-1, 1, no66, 0x6a))
	add(ops(reg, immZ, 0, 0x69))
	add(ops(reg, 1, 0, 0x6b))
	add(ops(-1, 1, no66|noREX, span(0x70, 0x7f)...))
	add(ops(-1, 1, 0, 0xa8))
	add(ops(-1, immZ, 0, 0xa9))
	add(ops(-1, 1, no66|noREX, span(0xb0, 0xb7)...))
	add(ops(-1, 4, no66|noREX, span(0xb8, 0xbf)...))
	add(ops(-1, 0, no66, 0xc3, 0xc9))
	add(ops(-1, 2, no66, 0xc2))
	add(ops(0, 1, 0, 0xc6))
	add(ops(0, immZ, 0, 0xc7))
	add(ops(-1, 4, no66|noREX, 0xe8, 0xe9))
	add(ops(-1, 1, no66|noREX, 0xeb))
	for _, digit := range []int{0, 1, 4, 5, 7} {
		add(ops(digit, 1, 0, 0xc0, 0xc1))
		add(ops(digit, 0, 0, 0xd0, 0xd1, 0xd2, 0xd3))
	}
	add(ops(2, 1, 0, 0xc1)) // RCL and RCR: unknown, but the length counts
	add(ops(3, 0, 0, 0xd3))
	add(ops(0, 1, 0, 0xf6))
	add(ops(0, immZ, 0, 0xf7))
	add(ops(2, 0, 0, 0xf6, 0xf7))
	add(ops(3, 0, 0, 0xf6, 0xf7))
	for digit := 4; digit < 8; digit++ {
		add(ops(digit, 0, mayStop, 0xf6, 0xf7)) // 8-bit forms, and traps of divisions
	}
	add(ops(0, 0, 0, 0xfe, 0xff))
	add(ops(1, 0, 0, 0xfe, 0xff))
	add(ops(2, 0, no66, 0xff))
	add(ops(4, 0, no66, 0xff))
	add(ops(6, 0, no66, 0xff))
	add(ops0f(reg, 0, no66, span(0x10, 0x11)...))         // MOVUPS
	add(ops0f(0, 0, noREX, 0x1f))                         // NOP
	add(ops0f(reg, 0, no66|regOnly, span(0x28, 0x29)...)) // MOVAPS, which needs alignment in memory
	add(ops0f(reg, 0, no66, 0x2e))                        // UCOMISS
	add(ops0f(reg, 0, 0, span(0x40, 0x4f)...))
	add(ops0f(-1, 4, no66|noREX, span(0x80, 0x8f)...))
	add(ops0f(0, 0, no66, span(0x90, 0x9f)...))
	add(ops0f(reg, 0, regOnly, 0xa3, 0xab, 0xb3, 0xbb))
	for digit := 4; digit < 8; digit++ {
		add(ops0f(digit, 1, 0, 0xba))
	}
	add(ops0f(reg, 1, no66, 0xa4, 0xac))
	add(ops0f(reg, 0, no66, 0xa5, 0xad))
	add(ops0f(reg, 0, 0, 0xaf, 0xb6, 0xb7, 0xbe, 0xbf, 0xbc, 0xbd))
	add(ops0f(-1, 0, no66, span(0xc8, 0xcf)...))
	for _, code := range [][]byte{
		{0xf3, 0x0f, 0xb8}, {0xf3, 0x0f, 0xbc}, {0xf3, 0x0f, 0xbd}, // POPCNT, TZCNT, LZCNT
		{0xf2, 0x0f, 0x2a}, {0xf2, 0x0f, 0x2c}, {0xf3, 0x0f, 0x2d}, // conversions
		{0x66, 0x0f, 0x6e}, {0x66, 0x0f, 0x7e}, {0xf3, 0x0f, 0x7f}, {0x66, 0x0f, 0xd6}, {0xf3, 0x0f, 0x11},
	} {
		es = append(es, Encoding{code, reg, 0, no66})
	}
	es = append(es,
		Encoding{[]byte{0x0f, 0x38, 0xf0}, reg, 0, memOnly}, // MOVBE
		Encoding{[]byte{0x0f, 0x38, 0xf1}, reg, 0, memOnly},
		Encoding{[]byte{0xf3, 0x0f, 0x1e, 0xfa}, -1, 0, no66 | noREX}, // ENDBR64
	)
	// VEX prefixes are whole: REX bits are in them.
	for _, code := range [][]byte{
		{0xc4, 0xe2, 0xc0, 0xf2}, {0xc4, 0x42, 0x38, 0xf2}, // ANDN
		// SHLX, SHRX, SARX
		{0xc4, 0xe2, 0xc1, 0xf7}, {0xc4, 0xc2, 0xc3, 0xf7}, {0xc4, 0xe2, 0xf2, 0xf7}, {0xc4, 0x62, 0x71, 0xf7},
		// moves of 16, 32, 8 bytes
		{0xc5, 0xf8, 0x11}, {0xc5, 0xfc, 0x11}, {0xc5, 0xfe, 0x6f}, {0xc5, 0xfa, 0x7e}, {0xc5, 0xf9, 0xd6},
	} {
		es = append(es, Encoding{code, reg, 0, no66 | noREX | mayStop})
	}
	es = append(es,
		Encoding{[]byte{0xc5, 0xf8, 0x77}, -1, 0, no66 | noREX}, // VZEROUPPER
		Encoding{[]byte{0xc4, 0xe1, 0x78, 0x77}, -1, 0, no66 | noREX})
	es = append(es, Encoding{[]byte{0xc4, 0xe3, 0xfb, 0xf0}, reg, 1, no66 | noREX}) // RORX
	return es
}

// Random makes an instruction. Memory operands lie in the middle of the data page, to
// which RBX points; RSI is a small index.
func (e *Encoding) Random(r *rand.Rand) []byte {
	var code []byte
	vex := e.code[0] == 0xc4 || e.code[0] == 0xc5
	small := e.flags&no66 == 0 && r.IntN(4) == 0
	if small {
		code = append(code, 0x66)
	}
	prefix := 0
	for !vex && (e.code[prefix] == 0x66 || e.code[prefix] == 0xf2 || e.code[prefix] == 0xf3) && prefix < len(e.code)-1 {
		prefix++
	}
	code = append(code, e.code[:prefix]...)
	memory := e.flags&regOnly == 0 && (e.flags&memOnly != 0 || r.IntN(2) == 0)
	rex := byte(0)
	if e.flags&noREX == 0 && r.IntN(2) == 0 {
		rex = 0x40 | byte(r.IntN(2))<<3
		if e.modrm == reg {
			rex |= byte(r.IntN(2)) << 2
		}
		if e.modrm >= 0 && !memory {
			rex |= byte(r.IntN(2))
		}
		code = append(code, rex)
	}
	code = append(code, e.code[prefix:]...)
	if e.modrm >= 0 {
		digit := byte(e.modrm)
		if digit == reg {
			for digit = byte(r.IntN(8)); digit == 4; { // SP must go on pointing to a stack
				digit = byte(r.IntN(8))
			}
		}
		if !memory {
			rm := byte(r.IntN(8))
			if rm == 4 {
				rm = 0
			}
			code = append(code, 0xc0|digit<<3|rm)
		} else {
			switch r.IntN(4) {
			case 0: // [rbx]
				code = append(code, digit<<3|3)
			case 1: // [rbx+disp8]
				code = append(code, 0x40|digit<<3|3, byte(r.IntN(256)))
			case 2: // [rbx+disp32], often negative
				d := int32(r.IntN(1024) - 512)
				code = append(code, 0x80|digit<<3|3, byte(d), byte(d>>8), byte(d>>16), byte(d>>24))
			case 3: // [rbx+rsi*scale+disp8]
				code = append(code, 0x40|digit<<3|4, byte(r.IntN(4))<<6|6<<3|3, byte(r.IntN(256)))
			}
		}
	}
	n := e.imm
	if n == immZ {
		n = 4
		if small && rex&8 == 0 {
			n = 2
		}
	}
	for range n {
		code = append(code, byte(r.Uint32()))
	}
	return code
}

// Number makes a number that is likely to be at a limit.
func Number(r *rand.Rand) uint64 {
	switch r.IntN(6) {
	case 0:
		return uint64(r.IntN(4))
	case 1:
		return ^uint64(r.IntN(3))
	case 2:
		return 1<<r.IntN(64) - uint64(r.IntN(2))
	case 3:
		return uint64(r.IntN(256))
	}
	return r.Uint64()
}

// MayStop reports whether it is right if some of these instructions are not interpreted.
func (e *Encoding) MayStop() bool { return e.flags&mayStop != 0 }
