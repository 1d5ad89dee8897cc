package steptest

// This file makes random vector instructions.

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// A VectorForm is an encoding of vector instructions.
type VectorForm struct {
	Prefix byte // 0 without, 2 for VEX, 4 for EVEX
	Map    byte // 1: 0F, 2: 0F38, 3: 0F3A
	PP     byte // 0, 1, 2, 3 for no prefix, 66, F3, F2
	W      byte
	Length byte // 0, 1, 2 for 16, 32 and 64 bytes
	Opcode byte
}

// VectorForms lists all encodings in which vector instructions can be, also those that are none.
func VectorForms() (forms []VectorForm) {
	for _, prefix := range []byte{0, 2, 4} {
		for m := byte(1); m < 4; m++ {
			for opcode := range 256 {
				if c := byte(opcode); !vectorOpcode(prefix, m, c) {
					continue
				}
				for i := range byte(24) {
					f := VectorForm{prefix, m, i & 3, i >> 2 & 1, i >> 3, byte(opcode)}
					if f.Length <= prefix/2 {
						forms = append(forms, f)
					}
				}
			}
		}
	}
	return forms
}

func vectorOpcode(prefix, m, c byte) bool {
	switch {
	case m > 1:
		return c < 0xf0
	case prefix != 0:
		return true
	}
	return c >= 0x10 && c < 0x18 || c >= 0x28 && c < 0x30 || c >= 0x50 && c < 0x80 ||
		c == 0xc2 || c >= 0xc4 && c < 0xc7 || c >= 0xd0
}

// Features returns the prefix whose features of the processor the form needs: operations on mask registers, with a VEX
// prefix, are part of AVX-512.
func (f *VectorForm) Features() byte {
	if f.Prefix == 2 && f.Map == 1 && (f.Opcode&0xf0 == 0x40 || f.Opcode&0xf0 == 0x90) {
		return 4
	}
	return f.Prefix
}

// unaligned reports whether memory operands may be anywhere.
func (f *VectorForm) unaligned() bool {
	c := f.Opcode
	if f.Prefix != 0 {
		return f.Map == 1 && c&0xfe != 0x28 && c != 0x2b && c != 0xe7 && (c&0xef != 0x6f || f.PP != 1) ||
			f.Map == 2 && c != 0x2a || f.Map == 3
	}
	return f.Map == 1 && (c&0xfe == 0x10 || c&0xef == 0x6f && f.PP == 2 || c == 0xf0)
}

// middle is where RBX points, in the data.
const middle = 0x4000

// Fill makes a random state, and random data around the middle.
func (n *Native) Fill(r *rand.Rand) {
	in := n.In
	for i := range in.R {
		in.R[i] = Number(r)
	}
	for i := range in.V {
		vectorOf(r, in.V[i][:])
	}
	for i := range in.K {
		in.K[i] = Number(r)
	}
	if !n.avx512 {
		for i := range in.V[:16] {
			clear(in.V[i][4:])
		}
		clear(in.V[16:])
		clear(in.K[:])
	}
	in.R[4] = 0
	in.Flags = 0x202 | r.Uint64()&0x8c5
	const around = 0x300
	var page [around * 2 / 8]uint64
	vectorOf(r, page[:])
	for i, v := range page {
		binary.LittleEndian.PutUint64(n.Data[middle-around+8*i:], v)
	}
}

// Random makes an instruction of this encoding, and sets the registers that its address needs. RBX points to the middle
// of the data.
func (f *VectorForm) Random(r *rand.Rand, n *Native) (insn []byte) {
	in := n.In
	step := uint64(64)
	if f.unaligned() && r.IntN(2) == 0 {
		step = 1
	}
	in.R[3] = n.Address() + middle + uint64(r.IntN(64))*step&63
	in.R[6] = uint64(r.IntN(3)) * step & 127
	if f.Map == 3 && f.Opcode == 0x61 { // PCMPESTRI: short lengths, and strings that are alike
		in.R[0], in.R[2] = uint64(r.IntN(20)), uint64(r.IntN(20))
		for i := range in.V {
			in.V[i][0], in.V[i][1] = in.V[i][0]&0x0101010101010101, in.V[i][1]&0x0101010101010101
		}
	}

	operand := func() byte { // 4 is the stack pointer
		for {
			if x := byte(r.IntN(32)); x&15 != 4 { // nor as a general register
				return x
			}
		}
	}
	reg, rm, vvvv := operand(), operand(), byte(0)
	if r.IntN(2) == 0 {
		vvvv = operand()
	}
	if r.IntN(3) == 0 { // a mask register
		reg &= 7
	}
	if r.IntN(3) == 0 {
		rm &= 7
	}
	if f.Prefix != 4 {
		reg, rm, vvvv = reg&15, rm&15, vvvv&15
	}
	if reg == 4 || rm == 4 {
		reg, rm = reg&^4, rm&^4
	}
	if r.IntN(4) == 0 {
		reg = rm
	}
	memory := r.IntN(2) == 0
	x, b := rm>>4&1, rm>>3&1
	var tail []byte
	if memory {
		x, b = 0, 0
		disp := byte(r.IntN(256))
		if f.Prefix == 4 {
			disp = byte(r.IntN(8) - 4)
		} else if step > 1 {
			disp &= 0xf0 << (f.Prefix >> 1) // VEX: 32 bytes
		}
		switch r.IntN(5) {
		case 0:
			tail = []byte{reg&7<<3 | 3}
		case 1:
			tail = []byte{0x40 | reg&7<<3 | 3, disp}
		case 2:
			tail = binary.LittleEndian.AppendUint32([]byte{0x80 | reg&7<<3 | 3}, uint32(r.IntN(32)-16)*uint32(step&127))
			if step == 64 {
				tail = binary.LittleEndian.AppendUint32(tail[:1], uint32(int32(r.IntN(8)-4)*64))
			}
		case 3:
			tail = []byte{0x40 | reg&7<<3 | 4, byte(r.IntN(3))<<6 | 6<<3 | 3, disp}
		case 4: // relative to the next instruction, whose address is set below
			tail = []byte{reg&7<<3 | 5, 0, 0, 0, 0}
		}
	} else {
		tail = []byte{0xc0 | reg&7<<3 | rm&7}
	}
	prefixes := [...][]byte{nil, {0x66}, {0xf3}, {0xf2}}[f.PP]
	switch f.Prefix {
	case 0:
		insn = append(insn, prefixes...)
		if rex := f.W<<3 | reg>>3<<2 | b; rex != 0 {
			insn = append(insn, 0x40|rex)
		}
		insn = append(insn, [...][]byte{1: {0x0f}, 2: {0x0f, 0x38}, 3: {0x0f, 0x3a}}[f.Map]...)
	case 2:
		p := f.W<<7 | ^vvvv&15<<3 | f.Length<<2 | f.PP
		if f.Map == 1 && f.W == 0 && b == 0 && r.IntN(2) == 0 {
			insn = append(insn, 0xc5, p|^reg>>3&1<<7)
		} else {
			insn = append(insn, 0xc4, ^reg>>3&1<<7|1<<6|(1-b)<<5|f.Map, p)
		}
	case 4:
		var mask, z, bc byte
		if r.IntN(2) == 0 {
			mask, z = byte(r.IntN(8)), byte(r.IntN(2))
		}
		if memory && r.IntN(3) == 0 {
			bc = 1
		}
		insn = append(insn, 0x62, ^reg>>3&1<<7|(1-x)<<6|(1-b)<<5|^reg>>4&1<<4|f.Map, f.W<<7|^vvvv&15<<3|4|f.PP,
			z<<7|f.Length<<5|bc<<4|^vvvv>>4&1<<3|mask)
	}
	insn = append(insn, f.Opcode)
	if f.Prefix == 2 && f.Map == 1 && f.Opcode == 0x77 { // VZEROUPPER
		return insn
	}
	insn = append(insn, tail...)
	end := len(insn)
	if f.immediate() {
		imm := byte(r.IntN(256))
		if f.Map == 3 && f.Opcode == 0x61 {
			imm = 0x0c
		} else if r.IntN(2) == 0 {
			imm &= 31
		}
		insn = append(insn, imm)
	}
	if memory && tail[0]&0xc7 == 5 {
		binary.LittleEndian.PutUint32(insn[end-4:], uint32(in.R[3]-n.Entry)-uint32(len(insn)))
	}
	return insn
}

func (f *VectorForm) immediate() bool {
	c := f.Opcode
	return f.Map == 3 || f.Map == 1 && (c >= 0x70 && c < 0x74 || c == 0xc2 || c >= 0xc4 && c < 0xc7)
}

var floats = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3.4999, 1e-310, -5e-324, math.Pi,
	1 << 31, -1 << 31, 1<<31 - 0.5, -1<<31 - 0.5, 1 << 52, 1<<52 + 0.5, 1<<51 + 0.5, 1 << 63, -1 << 63, 1 << 62,
	1e300, 1e-300, math.MaxFloat64, math.Inf(1), math.Inf(-1), 1e-40, 1e-46, 3e38, 4e38}

// vectorOf fills words with numbers that are likely to be at a limit, of one kind.
func vectorOf(r *rand.Rand, words []uint64) {
	kind := r.IntN(7)
	for i := range words {
		if len(words) > 8 && i&7 == 0 {
			kind = r.IntN(7)
		}
		var v uint64
		switch kind {
		case 0, 1:
			v = math.Float64bits(floats[r.IntN(len(floats))])
			switch r.IntN(8) {
			case 0:
				v = 0x7ff0<<48 | r.Uint64()>>12 | r.Uint64()<<63
			case 1, 2:
				v = math.Float64bits(r.NormFloat64() * math.Pow(10, float64(r.IntN(20))))
			case 3:
				v += uint64(r.IntN(3)) - 1
			}
		case 2, 3:
			for range 2 {
				x := math.Float32bits(float32(floats[r.IntN(len(floats))]))
				switch r.IntN(8) {
				case 0:
					x = 0x7f8<<20 | r.Uint32()>>9 | r.Uint32()<<31
				case 1, 2:
					x = math.Float32bits(float32(r.NormFloat64() * math.Pow(10, float64(r.IntN(12)))))
				case 3:
					x += uint32(r.IntN(3)) - 1
				}
				v = v<<32 | uint64(x)
			}
		case 4: // bytes at limits
			for range 8 {
				v = v<<8 | uint64([...]byte{0, 1, 0x7f, 0x80, 0xff, 0x55, 2, 0xfe}[r.IntN(8)])
			}
		case 5:
			v = Number(r)
		default:
			v = r.Uint64()
		}
		words[i] = v
	}
}
