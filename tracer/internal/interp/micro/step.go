package micro

// step executes one op and returns the index of the next one, 0 if it is not decoded. If
// the op cannot be executed, m.stop says why, and the machine is as before.
func (m *Machine) step(t *Table, op *Op, s *Step) uint32 {
	m.stop = Done
	s.Op, s.PC = op, op.PC
	if op.Third != NoReg && m.known(op.Third) {
		s.Named, s.Have = m.Reg[op.Third], HaveNamed
	}
	addr, addrKnown := uint64(0), false
	if op.Kind == KindLea || op.DstKind == InMemory || op.SrcKind == InMemory {
		addr, addrKnown = m.address(op)
		if op.Kind != KindLea && addrKnown {
			s.Addr, s.Have = addr, s.Have|HaveAddr
		}
	}
	var v value
	v.width = op.DstWidth
	m.second(op, &v, addr, addrKnown)
	m.first(op, &v, addr, addrKnown)
	if m.stop != Done {
		return 0
	}
	if v.firstKnown && (op.DstKind != None && op.Flags&FlagWriteOnly == 0 || op.Flags&FlagThird != 0) {
		s.First, s.Have = v.first, s.Have|HaveFirst
	}
	if v.secondKnown && op.SrcKind != None {
		s.Second, s.Have = v.second, s.Have|HaveSecond
	}
	switch op.Kind {
	case KindJcc, KindJmp, KindJmpTo, KindCall, KindCallTo, KindRet:
		return m.jump(t, op, &v, s)
	case KindPush, KindPop, KindLeave:
		m.stack(op, &v, s)
	default:
		m.compute(op, &v, addr)
		if m.stop == Done {
			m.write(op, &v, addr, addrKnown)
		}
	}
	if m.stop != Done {
		return 0
	}
	if v.known && v.has {
		s.Result, s.Have = v.result, s.Have|HaveResult
	}
	m.PC = op.PC + uint64(op.Len)
	return m.index(t, op.Next)
}

// index returns the index of the op at PC, which is i unless i is 0.
func (m *Machine) index(t *Table, i uint32) uint32 {
	if i == 0 {
		i = t.at[m.PC]
	}
	return i
}

// A value holds the operands and the result of an op.
type value struct {
	first, second, result          uint64
	firstKnown, secondKnown, known bool
	has                            bool   // there is a result
	flagsOnly                      bool   // the flags are known even if the result is not
	writes                         bool   // it goes to the destination
	width                          uint8  // of the result, in bytes
	high                           uint64 // of wide results: the new DX
	changed, defined, flags        uint64 // flags that the op changes; those whose new value is defined; their values
}

// second reads the source.
func (m *Machine) second(op *Op, v *value, addr uint64, addrKnown bool) {
	switch {
	case op.Kind == KindLea:
		v.second, v.secondKnown = addr, addrKnown
		return
	case op.SrcKind == Register:
		v.second, v.secondKnown = m.register(op.Src, op.SrcWidth, op.Flags&FlagSrcHigh != 0), m.known(op.Src)
	case op.SrcKind == Immediate:
		v.second, v.secondKnown = op.Imm, true
	case op.SrcKind == InMemory && addrKnown:
		v.second, v.secondKnown = m.load(addr, op.SrcWidth)
	case op.SrcKind == None:
		v.secondKnown = true
	}
	if op.Flags&FlagSigned != 0 {
		v.second = extend(v.second, op.SrcWidth)
	}
}

// first reads the first operand.
func (m *Machine) first(op *Op, v *value, addr uint64, addrKnown bool) {
	switch {
	case op.Flags&FlagThird != 0:
		v.first, v.firstKnown = m.register(op.Third, op.DstWidth, false), m.known(op.Third)
	case op.Flags&FlagWriteOnly != 0:
		v.firstKnown = true
	case op.DstKind == Register:
		v.first, v.firstKnown = m.register(op.Dst, op.DstWidth, op.Flags&FlagDstHigh != 0), m.known(op.Dst)
	case op.DstKind == InMemory && addrKnown && m.stop == Done:
		v.first, v.firstKnown = m.load(addr, op.DstWidth)
	case op.DstKind == None:
		v.firstKnown = true
	}
}

// write writes result and flags.
func (m *Machine) write(op *Op, v *value, addr uint64, addrKnown bool) {
	if v.writes && op.DstKind == InMemory {
		if !addrKnown {
			m.stop = UnknownAddress
			return
		}
		if !m.stores.put(addr, v.result, op.DstWidth, v.known) {
			m.stop = StoresFull
			return
		}
	}
	if v.writes && op.DstKind == Register {
		m.set(op.Dst, op.DstWidth, op.Flags&FlagDstHigh != 0, v.result, v.known)
	}
	switch op.Kind {
	case KindXchg:
		m.set(op.Src, op.SrcWidth, false, v.first, v.firstKnown)
	case KindMulWide, KindImulWide, KindDiv, KindIdiv:
		m.set(DX, op.DstWidth, false, v.high, v.known)
	}
	m.Flags = m.Flags&^v.changed | v.flags&v.changed
	m.FlagsKnown &^= v.changed
	if v.known || v.flagsOnly {
		m.FlagsKnown |= v.changed & v.defined
	}
}

// stack executes pushes and pops.
func (m *Machine) stack(op *Op, v *value, s *Step) {
	sp := m.Reg[SP]
	if op.Kind == KindLeave {
		sp = m.Reg[BP]
		if !m.known(BP) {
			m.stop = UnknownAddress
			return
		}
	} else if !m.known(SP) {
		m.stop = UnknownAddress
		return
	}
	if op.Kind == KindPush {
		m.push(sp-8, v.second, v.secondKnown)
		sp -= 8
		v.result, v.known = v.second, v.secondKnown
		s.Addr = sp
	} else {
		v.result, v.known = m.load(sp, 8)
		s.Addr = sp
		sp += 8
	}
	if m.stop != Done {
		return
	}
	v.has = true
	s.Have |= HaveAddr
	m.set(SP, 8, false, sp, true)
	if op.Kind != KindPush {
		m.set(op.Dst, 8, false, v.result, v.known)
	}
}

// push stores a word on the stack. SP stays as it is.
func (m *Machine) push(addr, v uint64, known bool) {
	if !m.stores.put(addr, v, 8, known) {
		m.stop = StoresFull
	}
}

// jump executes what changes the PC, and returns the index of the next op.
func (m *Machine) jump(t *Table, op *Op, v *value, s *Step) uint32 {
	pc, next := op.Imm, op.Target
	sp := m.Reg[SP]
	switch op.Kind {
	case KindJcc:
		holds, known := m.condition(op.Cond)
		if !known {
			m.stop = UnknownFlags
			return 0
		}
		v.has = true
		if v.result = 1; !holds {
			v.result = 0
			pc, next = op.PC+uint64(op.Len), op.Next
		}
	case KindJmpTo, KindCallTo:
		if !v.secondKnown {
			m.stop = UnknownTarget
			return 0
		}
		pc, next = v.second, 0
		v.has, v.result = true, pc
	case KindRet:
		if !m.known(SP) {
			m.stop = UnknownAddress
			return 0
		}
		to, known := m.load(sp, 8)
		if m.stop != Done {
			return 0
		}
		if !known {
			m.stop = UnknownTarget
			return 0
		}
		s.Addr, s.Have = sp, s.Have|HaveAddr
		pc, next = to, 0
		v.has, v.result = true, pc
		m.set(SP, 8, false, sp+8+op.Imm, true)
	}
	if op.Kind == KindCall || op.Kind == KindCallTo {
		if !m.known(SP) {
			m.stop = UnknownAddress
			return 0
		}
		m.push(sp-8, op.PC+uint64(op.Len), true)
		if m.stop != Done {
			return 0
		}
		s.Addr, s.Have = sp-8, s.Have|HaveAddr
		m.set(SP, 8, false, sp-8, true)
	}
	if v.has {
		s.Result, s.Have = v.result, s.Have|HaveResult
	}
	m.PC = pc
	return m.index(t, next)
}

// condition evaluates a condition by its encoding.
func (m *Machine) condition(cond uint8) (holds, known bool) {
	f := m.Flags
	less := f&Sign != 0 != (f&Overflow != 0)
	var need uint64
	switch cond >> 1 {
	case 0:
		holds, need = f&Overflow != 0, Overflow
	case 1:
		holds, need = f&Carry != 0, Carry
	case 2:
		holds, need = f&Zero != 0, Zero
	case 3:
		holds, need = f&(Carry|Zero) != 0, Carry|Zero
	case 4:
		holds, need = f&Sign != 0, Sign
	case 5:
		holds, need = f&Parity != 0, Parity
	case 6:
		holds, need = less, Sign|Overflow
	case 7:
		holds, need = less || f&Zero != 0, Sign|Overflow|Zero
	}
	return holds != (cond&1 != 0), m.FlagsKnown&need == need
}
