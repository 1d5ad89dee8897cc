// Package insn finds the lengths of x86-64 instructions, where they jump, and which
// registers they write.
//
//	in, err := insn.Decode([]byte{0x76, 0x10}, 0x4a1c0e) // jbe
//	in.Len      // 2
//	in.Flow     // Cond
//	in.Target   // 0x4a1c20
//
// It does not say what an instruction computes: package interp does. The lengths are
// right for all instructions with VEX and EVEX prefixes too, which golang.org/x/arch
// does not decode. So functions in assembly that use AVX do not become unreadable.
// Whether the kernel can probe an instruction depends on prefixes and opcode bytes alone,
// which the Inst has.
package insn

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Flow says what may be executed after an instruction.
type Flow uint8

// Kinds of flow.
const (
	Next         Flow = iota // the next instruction
	Jump                     // Target
	Cond                     // Target, or the next instruction
	Call                     // Target, and after its return the next instruction
	IndirectJump             // unknown
	IndirectCall             // unknown, and after its return the next instruction
	Return
	Stop // nothing: ud2, int3, hlt
)

// A Map is a table of opcodes.
type Map uint8

// The maps of opcodes with one byte, and with the prefixes 0F, 0F 38 and 0F 3A. VEX and
// EVEX have the same maps and further ones.
const (
	OneByte Map = iota
	Map0F
	Map0F38
	Map0F3A
)

// An Inst is an instruction.
type Inst struct {
	PC     uint64
	Len    int
	Map    Map
	Opcode byte
	REX    byte // the REX prefix, or 0
	VEX    bool // has a VEX or EVEX prefix
	// Legacy prefixes.
	Lock, Rep, Repne, OpSize, AddrSize bool
	Segment                            byte // the last segment prefix, or 0
	HasModRM                           bool
	ModRM                              byte
	SIB                                byte
	Disp                               int32 // displacement of the memory operand
	Imm                                int64 // immediate operand, sign-extended; for jumps the distance
	Flow                               Flow
	Target                             uint64 // of Jump, Cond and Call
}

// ErrTruncated means that the instruction continues behind the end of the code.
var ErrTruncated = errors.New("instruction is cut off")

// ErrInvalid means that the bytes are no instruction of 64-bit mode, or none that this
// package knows.
var ErrInvalid = errors.New("unknown instruction")

// maxLen is the length of the longest instruction that processors accept.
const maxLen = 15

// Decode decodes the instruction at the beginning of code, whose address is pc. The
// error wraps [ErrTruncated] or [ErrInvalid].
func Decode(code []byte, pc uint64) (Inst, error) {
	d := decoder{code: code[:min(len(code), maxLen)], in: Inst{PC: pc}}
	d.decode()
	if d.err == nil && d.short {
		d.err = ErrTruncated
		if len(code) >= maxLen {
			d.err = ErrInvalid
		}
	}
	if d.err != nil {
		return Inst{PC: pc}, fmt.Errorf("%#x: % x: %w", pc, d.code, d.err)
	}
	d.in.Len = d.at
	d.flow()
	return d.in, nil
}

type decoder struct {
	code  []byte
	at    int
	short bool // bytes are missing
	err   error
	in    Inst
}

func (d *decoder) byte() byte {
	if d.at >= len(d.code) {
		d.short = true
		return 0
	}
	d.at++
	return d.code[d.at-1]
}

// signed reads a signed number of n bytes.
func (d *decoder) signed(n int) int64 {
	if d.at+n > len(d.code) {
		d.at, d.short = len(d.code), true
		return 0
	}
	b := d.code[d.at:]
	d.at += n
	switch n {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case 8:
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (d *decoder) decode() {
	in := &d.in
	d.prefixes()
	if d.err != nil || d.short {
		return
	}
	form := d.form()
	if form == bad {
		d.err = ErrInvalid
		return
	}
	if form&modrm != 0 {
		d.modrm()
	}
	switch form &^ modrm {
	case imm8:
		in.Imm = d.signed(1)
	case imm16:
		in.Imm = d.signed(2)
	case immz:
		if in.OpSize && !in.Wide() {
			in.Imm = d.signed(2)
		} else {
			in.Imm = d.signed(4)
		}
	case immv:
		switch {
		case in.Wide():
			in.Imm = d.signed(8)
		case in.OpSize:
			in.Imm = d.signed(2)
		default:
			in.Imm = d.signed(4)
		}
	case rel32:
		if in.OpSize { // Intel's processors ignore the prefix, AMD's do not
			d.err = ErrInvalid
		}
		in.Imm = d.signed(4)
	case moffs:
		if in.AddrSize {
			in.Imm = d.signed(4)
		} else {
			in.Imm = d.signed(8)
		}
	case enter:
		in.Imm = d.signed(2)
		d.byte()
	}
	if form&modrm != 0 && in.Map == OneByte && !in.VEX {
		switch reg := in.ModRM >> 3 & 7; {
		case in.Opcode == 0xf6 && reg < 2:
			in.Imm = d.signed(1)
		case in.Opcode == 0xf7 && reg < 2:
			if in.OpSize && !in.Wide() {
				in.Imm = d.signed(2)
			} else {
				in.Imm = d.signed(4)
			}
		case in.Opcode == 0x8f && reg != 0, in.Opcode == 0xfe && reg > 1, in.Opcode == 0xff && reg == 7:
			d.err = ErrInvalid
		}
	}
}

// Wide reports whether the operands of the instruction have 64 bits because of REX.W.
func (in *Inst) Wide() bool { return in.REX&8 != 0 }

// prefixes reads everything in front of the opcode, and the opcode.
func (d *decoder) prefixes() {
	in := &d.in
	for {
		b := d.byte()
		if d.short {
			return
		}
		switch b {
		case 0xf0:
			in.Lock = true
		case 0xf2:
			in.Repne, in.Rep = true, false
		case 0xf3:
			in.Rep, in.Repne = true, false
		case 0x66:
			in.OpSize = true
		case 0x67:
			in.AddrSize = true
		case 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65:
			in.Segment = b
		default:
			if b>>4 == 4 {
				in.REX = b
				b = d.byte()
			}
			d.opcode(b)
			return
		}
	}
}

func (d *decoder) opcode(b byte) {
	in := &d.in
	switch b {
	case 0x0f:
		in.Map, in.Opcode = Map0F, d.byte()
		switch in.Opcode {
		case 0x38:
			in.Map, in.Opcode = Map0F38, d.byte()
		case 0x3a:
			in.Map, in.Opcode = Map0F3A, d.byte()
		}
	case 0xc5, 0xc4, 0x62:
		if in.REX != 0 || in.OpSize || in.Rep || in.Repne || in.Lock {
			d.err = ErrInvalid
			return
		}
		in.VEX = true
		p0 := d.byte()
		rex := ^p0 >> 5 & 4 // R
		in.Map = Map0F
		if b != 0xc5 {
			rex = ^p0 >> 5 & 7 // R, X, B
			in.Map = Map(p0 & 0x1f)
			if b == 0x62 {
				in.Map = Map(p0 & 7)
			}
			p1 := d.byte()
			rex |= p1 >> 4 & 8 // W
			if b == 0x62 {
				d.byte()
			}
		}
		in.REX = 0x40 | rex
		in.Opcode = d.byte()
	default:
		in.Opcode = b
	}
}

// modrm reads the ModRM byte, the SIB byte and the displacement.
func (d *decoder) modrm() {
	in := &d.in
	in.HasModRM = true
	in.ModRM = d.byte()
	mod, rm := in.ModRM>>6, in.ModRM&7
	if mod == 3 {
		return
	}
	base := rm
	if rm == 4 {
		in.SIB = d.byte()
		base = in.SIB & 7
	}
	switch {
	case mod == 1:
		in.Disp = int32(d.signed(1))
	case mod == 2 || base == 5: // without a base register, or relative to the next instruction
		in.Disp = int32(d.signed(4))
	}
}

// Memory reports whether the ModRM byte names memory, and not a register.
func (in *Inst) Memory() bool { return in.HasModRM && in.ModRM>>6 != 3 }

// Conditional reports whether the instruction jumps, moves or sets something on a condition.
func (in *Inst) Conditional() bool {
	return in.Flow == Cond || in.Map == Map0F && !in.VEX && (in.Opcode>>4 == 4 || in.Opcode>>4 == 9)
}

// Address returns the address of the memory operand if it is relative to the next
// instruction.
func (in *Inst) Address() (uint64, bool) {
	if in.HasModRM && in.ModRM&0xc7 == 5 {
		return in.PC + uint64(in.Len) + uint64(int64(in.Disp)), true
	}
	return 0, false
}

// flow fills in where execution goes on.
func (d *decoder) flow() {
	in := &d.in
	target := in.PC + uint64(in.Len) + uint64(in.Imm)
	if in.VEX {
		return
	}
	switch op := in.Opcode; in.Map {
	case OneByte:
		switch {
		case op>>4 == 7, op >= 0xe0 && op <= 0xe3:
			in.Flow, in.Target = Cond, target
		case op == 0xe8:
			in.Flow, in.Target = Call, target
		case op == 0xe9, op == 0xeb:
			in.Flow, in.Target = Jump, target
		case op == 0xc2, op == 0xc3, op == 0xca, op == 0xcb, op == 0xcf:
			in.Flow = Return
		case op == 0xcc, op == 0xf1, op == 0xf4:
			in.Flow = Stop
		case op == 0xff:
			switch in.ModRM >> 3 & 7 {
			case 2, 3:
				in.Flow = IndirectCall
			case 4, 5:
				in.Flow = IndirectJump
			}
		}
	case Map0F:
		switch {
		case op>>4 == 8:
			in.Flow, in.Target = Cond, target
		case op == 0x0b, op == 0xb9, op == 0xff:
			in.Flow = Stop
		}
	}
}
