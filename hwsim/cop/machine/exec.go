package machine

// This file executes microinstructions.

// Run executes the microinstructions of all cycles before until, and returns the state
// of m. It ends earlier if m halts or waits for an event.
func (m *Machine) Run(until uint64) State {
	if m.watch != nil {
		return m.watch(until)
	}
	for m.state == Running && m.cycle < until {
		m.step()
	}
	return m.state
}

// Step executes one microinstruction if m is running. The cycles that its branch loses
// are part of the step.
func (m *Machine) Step() State {
	if m.state == Running {
		m.step()
	}
	return m.state
}

// MainRand advances the shift register by leap steps. All 32 bits are new then, so
// consecutive numbers share no bits. The period and 32 have no common divisor, so the
// period remains the same.
const leap = 32

// taps are the taps of a linear feedback shift register of 32 bits with the longest
// period, 2^32-1: the polynomial x^32 + x^22 + x^2 + x + 1.
const taps = 0x80200003

// shift returns the state of the shift register after n steps.
func shift(lfsr uint32, n int) uint32 {
	for range n {
		lfsr = lfsr>>1 ^ -(lfsr&1)&taps
	}
	return lfsr
}

// setFlag sets or clears a predicate.
func (m *Machine) setFlag(p Pred, on bool) {
	m.flags &^= 1 << p
	if on {
		m.flags |= 1 << p
	}
}

func (m *Machine) step() {
	in := &m.code[m.pc&m.pcMask]
	taken := (uint8(m.flags>>(in.pred&31)) ^ in.not) & 1
	address := m.base[in.base&3] | m.reg[SourceI+Source(in.dsrc&7)] // before the index ALU
	slot := m.reg[SourceI+Source(in.csrc&7)]

	result := m.reg[in.a&63]
	if in.main != uint8(MainNop) {
		result = m.compute(in, result)
	}
	if in.index != uint8(IndexNop) {
		m.stepIndex(in, result)
	}
	if in.data != uint8(DataNop) {
		m.stepData(in, address, result)
	}
	if in.cam != uint8(CamNop) {
		m.stepCam(in, slot, result)
	}

	m.cycle++
	m.stats.Instrs++
	m.routine--
	if in.branches == 0 {
		m.pc = (m.pc + 1) & m.pcMask
		if m.routine == 0 {
			m.kill()
		}
		return
	}
	m.branch(in, taken)
}

// compute is the main ALU.
func (m *Machine) compute(in *code, a uint64) (r uint64) {
	b := m.reg[in.b&63]
	switch MainOp(in.main) {
	case MainMov:
		r = a
	case MainAdd:
		r = a + b
	case MainSub:
		r = a - b
	case MainAdds:
		if r = a + b; r < a || r > m.mask {
			r = m.mask
		}
		m.setFlag(PredMSat, r == m.mask)
	case MainAnd:
		r = a & b
	case MainOr:
		r = a | b
	case MainXor:
		r = a ^ b
	case MainNot:
		r = ^a
	case MainShl1:
		r = a << 1
	case MainShr1:
		r = a >> 1
	case MainShr8:
		r = a >> 8
	case MainCmp:
		m.flags &^= 1<<PredEQ | 1<<PredLT | 1<<PredGT
		switch {
		case a < b:
			m.flags |= 1 << PredLT
		case a > b:
			m.flags |= 1 << PredGT
		default:
			m.flags |= 1 << PredEQ
		}
		return a
	case MainRand:
		m.lfsr = shift(m.lfsr, leap)
		r = uint64(m.lfsr) & a
	}
	r &= m.mask
	m.reg[in.dst&63] = r
	return r
}

func (m *Machine) stepIndex(in *code, result uint64) {
	mask := m.indexMask[in.idst&7]
	x := m.reg[SourceI+Source(in.isrc&7)] & mask
	flag := false
	switch IndexOp(in.index) {
	case IndexInc:
		x = (x + 1) & mask
		flag = x == 0
	case IndexDec:
		x = (x - 1) & mask
		flag = x == mask
	case IndexSinc:
		if x < mask {
			x++
		}
		flag = x == mask
	case IndexSdec:
		if x > 0 {
			x--
		}
		flag = x == 0
	case IndexClr:
		x = 0
	case IndexSet:
		x = result & mask
	}
	m.setFlag(PredISat, flag)
	m.reg[SourceI+Source(in.idst&7)] = x
}

// stepData executes a data operation on a field of a word. The array decodes as many
// bits of the address as it needs.
func (m *Machine) stepData(in *code, address, result uint64) {
	p := &m.data[int(address)&(len(m.data)-1)]
	f := fieldBits[in.field]
	mask, x := f.mask(), f.of(*p)
	switch DataOp(in.data) {
	case DataRead:
		m.reg[SourceM] = x & m.mask
		return
	case DataWrite:
		x = result & mask
	case DataInc:
		x = (x + 1) & mask
		m.setFlag(PredDSat, x == 0)
		m.reg[SourceM] = x & m.mask
	case DataSinc:
		if x < mask {
			x++
		}
		m.setFlag(PredDSat, x == mask)
		m.reg[SourceM] = x & m.mask
	case DataClr:
		x = 0
	}
	*p = *p&^(mask<<(f.shift&63)) | x<<(f.shift&63)
}

func (m *Machine) stepCam(in *code, slot, result uint64) {
	key := result
	if !in.camResult {
		key = m.reg[SourcePC]
		if m.keyHash != 0 {
			key = uint64(m.config.Hashes[m.keyHash](key))
		}
	}
	i := int(slot) & (len(m.cam.keys) - 1)
	switch CamOp(in.cam) {
	case CamMatch:
		found := m.cam.match(key)
		if found >= 0 {
			m.reg[SourceI+Source(in.csrc&7)] = uint64(found) & m.indexMask[in.csrc&7]
		}
		m.setFlag(PredHit, found >= 0)
	case CamWrite:
		m.cam.write(i, key)
		m.cam.origin[i] = m.queue.ring[m.queue.head].PC
	case CamInval:
		m.cam.invalidate(i)
	}
}

// branch is the branch unit. After a wrong prediction the microinstructions in the
// stages before execution are lost.
func (m *Machine) branch(in *code, taken uint8) {
	m.stats.Branches++
	if taken != in.guess {
		m.stats.Mispredicted++
		m.stats.Lost += m.config.Penalty
		m.cycle += m.config.Penalty
		if m.config.Dynamic {
			in.guess = taken
		}
	}
	if taken == 0 {
		m.pc = (m.pc + 1) & m.pcMask
		if m.routine == 0 {
			m.kill()
		}
		return
	}
	m.stats.Taken++
	switch BranchKind(in.kind) {
	case BranchOffset:
		m.pc = in.to
	case BranchTarget:
		m.pc = m.target[in.to&3]
	case BranchDone:
		m.stats.Done++
		m.queue.pop()
		m.dispatch()
		return
	case BranchInterrupt:
		m.stats.Interrupts++
		m.state = Interrupted
		return
	}
	if m.routine == 0 {
		m.kill()
	}
}

// kill ends a routine that has run too long, as if the routine had branched to done.
// The pipeline starts anew.
func (m *Machine) kill() {
	m.stats.Killed++
	m.stats.KilledWords += uint64(m.queue.ring[m.queue.head].Words)
	m.stats.Lost += m.config.Penalty
	m.cycle += m.config.Penalty
	m.queue.pop()
	m.dispatch()
}
