package image

// This file reads where variables are: location lists and the expressions in them.

import (
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
)

// A Location is where a variable, or a part of it, is at an instruction: in a register, or
// on the stack.
type Location struct {
	Size   int64 // of the part in bytes; 0 if DWARF does not divide the variable
	Absent bool  // the part is nowhere
	InReg  bool
	Reg    int   // 0 to 15: general register in the processor's order; 16 to 31: X0 to X15
	Stack  int64 // if it is not in a register: bytes above SP at the entry of the function
}

// Reasons why the location of a variable is not known.
var (
	// ErrNowhere means that neither a register nor memory holds the variable at the
	// instruction: the compiler has removed it, or no longer needs its value, or has not
	// computed it yet.
	ErrNowhere = errors.New("optimised out here: no register and no memory holds it")
	// ErrPart means that DWARF has locations of some parts of the variable, and does not say
	// of which. The Go compiler leaves parts out that the function does not use: of a string
	// that is in memory and whose length alone is used, DWARF has one location.
	ErrPart = errors.New("DWARF does not say which of its parts it has locations of")
	// ErrExpression means that DWARF describes the location by an expression that the Go
	// compiler does not write.
	ErrExpression = errors.New("DWARF describes its location in a way that is not known")
)

// errLocations means that a location list is damaged.
var errLocations = errors.New("DWARF: a location list is damaged")

// Kinds of entries of location lists (DWARF 5, section 7.7.3).
const (
	lleEndOfList    = 0
	lleBaseAddressx = 1
	lleStartxEndx   = 2
	lleStartxLength = 3
	lleOffsetPair   = 4
	lleBaseAddress  = 6
	lleStartEnd     = 7
	lleStartLength  = 8
)

// Operations of expressions (section 7.7.1).
const (
	opConsts       = 0x11
	opPlus         = 0x22
	opPlusUconst   = 0x23
	opReg0         = 0x50
	opReg31        = 0x6f
	opRegx         = 0x90
	opFbreg        = 0x91
	opPiece        = 0x93
	opCallFrameCFA = 0x9c
)

// cfa is how many bytes the canonical frame address, to which locations on the stack are
// relative, is above SP at the entry of the function: the return address is between them.
const cfa = 8

// list returns the locations that the list at an offset has for pc, none if it has none, and
// whether the variable is there undivided.
//
// Of a variable with several parts the compiler writes as many locations for each range of
// addresses. An undivided variable has one location, as has one of which only one part is
// used. But if ranges of the same list have several, the variable is undivided: without
// optimisation, a parameter is in registers first and then in memory.
func (im *Image) list(u *unit, offset int64, pc uint64) (here []Location, whole bool, err error) {
	entries := im.list4
	if u.version5 {
		entries = im.list5
	}
	divided := false
	err = entries(u, offset, func(start, end uint64, expr []byte) error {
		list, err := locations(expr)
		if err != nil && !errors.Is(err, ErrNowhere) {
			return err
		}
		divided = divided || len(list) > 1
		if start <= pc && pc < end {
			here = list
		}
		return nil
	})
	if err == nil && len(here) == 0 {
		err = ErrNowhere
	}
	return here, divided && len(here) == 1 && here[0].Size == 0 && !here[0].InReg, err
}

// list4 reads the list of a unit of DWARF 2 to 4: pairs of addresses relative to a base,
// with expressions.
func (im *Image) list4(u *unit, offset int64, do func(start, end uint64, expr []byte) error) error {
	b, err := im.debugSection(".debug_loc", offset)
	if err != nil {
		return err
	}
	base := u.base
	for {
		start, end := b.fixed(8), b.fixed(8)
		switch {
		case b.damaged:
			return errLocations
		case start == 0 && end == 0:
			return nil
		case start == ^uint64(0):
			base = end
			continue
		}
		expr := b.bytes(b.fixed(2))
		if b.damaged {
			return errLocations
		}
		if err := do(base+start, base+end, expr); err != nil {
			return err
		}
	}
}

// list5 reads the list of a unit of DWARF 5.
func (im *Image) list5(u *unit, offset int64, do func(start, end uint64, expr []byte) error) error {
	b, err := im.debugSection(".debug_loclists", offset)
	if err != nil {
		return err
	}
	base := u.base
	for {
		var start, end uint64
		kind := b.fixed(1)
		switch kind {
		case lleEndOfList:
			if b.damaged {
				return errLocations
			}
			return nil
		case lleBaseAddressx:
			base, err = im.address(u, b.uleb())
		case lleBaseAddress:
			base = b.fixed(8)
		case lleStartxEndx:
			start, err = im.address(u, b.uleb())
			if err == nil {
				end, err = im.address(u, b.uleb())
			}
		case lleStartxLength:
			start, err = im.address(u, b.uleb())
			end = start + b.uleb()
		case lleOffsetPair:
			start, end = base+b.uleb(), base+b.uleb()
		case lleStartEnd:
			start, end = b.fixed(8), b.fixed(8)
		case lleStartLength:
			start = b.fixed(8)
			end = start + b.uleb()
		default: // the compiler of Go writes no default locations
			return fmt.Errorf("%w: entry of kind %d", errLocations, kind)
		}
		if err != nil {
			return err
		}
		if kind == lleBaseAddressx || kind == lleBaseAddress {
			continue
		}
		expr := b.bytes(b.uleb())
		if b.damaged {
			return errLocations
		}
		if err := do(start, end, expr); err != nil {
			return err
		}
	}
}

// address returns an address that a unit refers to by its index.
func (im *Image) address(u *unit, index uint64) (uint64, error) {
	const maxIndex = 1 << 40
	b, err := im.debugSection(".debug_addr", u.addrBase+8*int64(index&(maxIndex-1)))
	if err != nil {
		return 0, err
	}
	addr := b.fixed(8)
	if b.damaged || index >= maxIndex {
		return 0, errLocations
	}
	return addr, nil
}

// debugSection returns a section from an offset on.
func (im *Image) debugSection(name string, offset int64) (*cursor, error) {
	im.units.Lock()
	defer im.units.Unlock()
	data, ok := im.units.sections[name]
	if !ok {
		s := im.elf.Section(name)
		if s == nil {
			return nil, fmt.Errorf("DWARF: the executable has no section %s", name)
		}
		if s.Size >= maxDWARF {
			return nil, fmt.Errorf("DWARF: section %s has %d bytes", name, s.Size)
		}
		var err error
		if data, err = s.Data(); err != nil {
			return nil, fmt.Errorf("DWARF: section %s: %w", name, err)
		}
		if im.units.sections == nil {
			im.units.sections = map[string][]byte{}
		}
		im.units.sections[name] = data
	}
	if offset < 0 || offset >= int64(len(data)) {
		return nil, errLocations
	}
	return &cursor{b: data[offset:]}, nil
}

// locations evaluates an expression. The compiler writes a location for each part of a
// variable, in the order of the parts, and behind each the size of the part if there are
// several. Padding between the parts is not counted.
func locations(expr []byte) ([]Location, error) {
	if len(expr) == 0 {
		return nil, ErrNowhere
	}
	var list []Location
	var constant int64 // DW_OP_consts, before DW_OP_plus
	last := Location{Absent: true}
	b := &cursor{b: expr}
	for len(b.b) > 0 {
		switch op := b.fixed(1); {
		case op >= opReg0 && op <= opReg31:
			last = Location{InReg: true, Reg: int(op - opReg0)}
		case op == opRegx:
			last = Location{InReg: true, Reg: int(b.uleb() & 0xffff)}
		case op == opFbreg: // the frame base of Go functions is the CFA
			last = Location{Stack: cfa + b.sleb()}
		case op == opCallFrameCFA:
			last = Location{Stack: cfa}
		case op == opConsts:
			constant = b.sleb()
		case op == opPlus && !last.Absent && !last.InReg:
			last.Stack += constant
		case op == opPlusUconst && !last.Absent && !last.InReg:
			last.Stack += int64(b.uleb())
		case op == opPiece:
			last.Size = int64(b.uleb() & (1<<32 - 1))
			list = append(list, last)
			last = Location{Absent: true}
		default:
			return nil, fmt.Errorf("%w (operation %#x)", ErrExpression, op)
		}
	}
	if !last.Absent {
		list = append(list, last)
	}
	if b.damaged {
		return nil, errLocations
	}
	nowhere := true
	for i := range list {
		l := &list[i]
		nowhere = nowhere && l.Absent
		if l.InReg {
			reg, ok := register(l.Reg)
			if !ok {
				return nil, fmt.Errorf("%w (register %d)", ErrExpression, l.Reg)
			}
			l.Reg = reg
		}
	}
	if nowhere {
		return nil, ErrNowhere
	}
	return list, nil
}

// register converts DWARF's number of a register to that of [Location].
func register(n int) (int, bool) {
	switch {
	case n < 8:
		return [...]int{0, 2, 1, 3, 6, 7, 5, 4}[n], true // AX DX CX BX SI DI BP SP
	case n < 16:
		return n, true
	case n >= 17 && n < 33: // 16 is the return address
		return n - 1, true
	}
	return 0, false
}

// locationOf returns where a variable is, given its entry, and whether it is there in the
// whole function, undivided.
func (im *Image) locationOf(u *unit, e *dwarf.Entry, pc uint64) (list []Location, whole bool, err error) {
	f := e.AttrField(dwarf.AttrLocation)
	if f == nil {
		return nil, false, ErrNowhere
	}
	switch v := f.Val.(type) {
	case []byte:
		list, err = locations(v)
		return list, len(list) == 1 && list[0].Size == 0, err
	case int64:
		if f.Class != dwarf.ClassLocListPtr {
			break
		}
		return im.list(u, v, pc)
	}
	return nil, false, fmt.Errorf("%w (attribute of class %v)", ErrExpression, f.Class)
}

// A cursor reads numbers. Behind the end it reads 0 and is damaged.
type cursor struct {
	b       []byte
	damaged bool
}

func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.b, c.damaged = nil, true
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

// fixed reads a number of n bytes.
func (c *cursor) fixed(n uint64) uint64 {
	var b [8]byte
	copy(b[:], c.bytes(n))
	return binary.LittleEndian.Uint64(b[:])
}

func (c *cursor) uleb() uint64 {
	v, _ := c.leb()
	return v
}

func (c *cursor) sleb() int64 {
	v, bits := c.leb()
	return int64(v) << (64 - bits) >> (64 - bits)
}

// leb reads a LEB128 number, and returns how many bits it has.
func (c *cursor) leb() (v uint64, bits uint) {
	for {
		x := c.fixed(1)
		if bits < 64 {
			v |= x & 0x7f << bits
		}
		bits += 7
		if x&0x80 == 0 || c.damaged {
			return v, min(bits, 64)
		}
	}
}
