package machine_test

// This file has the oracle of the machine: an interpreter that takes words apart by the table
// of bits in the comment of cop.Instr, keeps everything in maps and plain slices, and looks
// through all slots. It knows the package's numbers of operations from that table too, and
// calls nothing of the package.

type oracle struct {
	code   map[int]uint64
	codeN  int
	v      [8]uint64
	k      [16]uint64
	i      [8]uint64
	width  [8]int
	b      [4]uint64
	t      [4]int
	entry  [32]int
	m      uint64
	flag   map[string]bool
	data   []uint64
	keys   []uint64
	valid  map[int]bool
	bitsN  int // of a key
	lfsr   uint32
	events []oracleEvent // the first is the current one
	width_ int           // of values
	pen    int
	dog    int
	dyn    map[int]bool // what a branch did last, with a dynamic predictor
	isDyn  bool

	pc, left             int
	cycle                int
	waiting, interrupted bool
	done, killed         int
}

type oracleEvent struct {
	pc, value, addr, insn, target uint64
	class, event                  int
}

func (o *oracle) cut(x uint64) uint64 { return lowBits(x, o.width_) }

func lowBits(x uint64, n int) uint64 {
	if n == 64 {
		return x
	}
	return x % (1 << n)
}

// field returns n bits of a word from bit at.
func field(w uint64, at, n int) int { return int(lowBits(w>>at, n)) }

func (o *oracle) source(n int) uint64 {
	e := o.events[0]
	switch {
	case n < 8:
		return o.v[n]
	case n >= 16 && n < 32:
		return o.k[n-16]
	case n >= 32 && n < 40:
		return o.i[n-32]
	case n == 40:
		return o.cut(e.pc)
	case n == 41:
		return o.cut(e.value)
	case n == 42:
		return o.cut(e.addr)
	case n == 43:
		return o.cut(e.insn)
	case n == 44:
		return o.cut(e.target)
	case n == 45:
		return uint64(e.class)
	case n == 46:
		return uint64(e.event)
	case n == 47:
		return e.insn / (1 << 26) % 64
	case n == 48:
		return e.insn / (1 << 21) % 32
	case n == 49:
		return e.insn / (1 << 16) % 32
	case n == 56:
		return o.m
	}
	panic("no such source")
}

// start begins the routine of the first event.
func (o *oracle) start() {
	if len(o.events) == 0 {
		o.waiting = true
		return
	}
	o.waiting = false
	o.pc, o.left = o.entry[o.events[0].class], o.dog
}

// arrive adds an event in a cycle.
func (o *oracle) arrive(cycle int, e oracleEvent) {
	o.events = append(o.events, e)
	if o.waiting && !o.interrupted {
		o.cycle = max(o.cycle, cycle) + o.pen
		o.start()
	}
}

func (o *oracle) resume(cycle int) {
	o.interrupted = false
	o.cycle = max(o.cycle, cycle) + o.pen
	o.pop()
	o.done++
}

func (o *oracle) pop() {
	o.events = o.events[1:]
	o.start()
}

func pow(n int) uint64 { return lowBits(^uint64(0), n) }

// step executes one microinstruction.
func (o *oracle) step() {
	w := o.code[o.pc]
	o.flag["empty"] = len(o.events) == 1
	cond := o.flag[[]string{"never", "eq", "lt", "gt", "hit", "isat", "msat", "dsat", "empty"}[field(w, 47, 4)]]
	taken := cond != (field(w, 51, 1) == 1)

	// What everything reads.
	a, bb := o.source(field(w, 5, 6)), o.source(field(w, 11, 6))
	isrc, idst := field(w, 24, 3), field(w, 27, 3)
	x := lowBits(o.i[isrc], o.width[idst])
	address := int(o.b[field(w, 33, 2)]|o.i[field(w, 35, 3)]) % len(o.data)
	camReg := field(w, 43, 3)
	slot := int(o.i[camReg]) % len(o.keys)

	result := a
	switch field(w, 0, 5) {
	case 2:
		result = a + bb
	case 3:
		result = a - bb
	case 4:
		result = a + bb
		if result < a || result > pow(o.width_) {
			result = pow(o.width_)
		}
		o.flag["msat"] = result == pow(o.width_)
	case 5:
		result = a & bb
	case 6:
		result = a | bb
	case 7:
		result = a ^ bb
	case 8:
		result = ^a
	case 9:
		result = a * 2
	case 10:
		result = a / 2
	case 11:
		result = a / 256
	case 12:
		o.flag["eq"], o.flag["lt"], o.flag["gt"] = a == bb, a < bb, a > bb
	case 13:
		for range 32 {
			low := o.lfsr % 2
			o.lfsr /= 2
			if low == 1 {
				o.lfsr ^= 1<<31 | 1<<21 | 1<<1 | 1<<0
			}
		}
		result = uint64(o.lfsr) & a
	}
	result = o.cut(result)
	if d := field(w, 17, 4); d != 0 {
		o.v[d-8] = result
	}
	pc := o.cut(o.events[0].pc)

	switch op := field(w, 21, 3); op {
	case 1:
		x = lowBits(x+1, o.width[idst])
		o.flag["isat"] = x == 0
		o.i[idst] = x
	case 2:
		o.flag["isat"] = x == 0
		o.i[idst] = lowBits(x-1, o.width[idst])
	case 3:
		o.i[idst] = min(x+1, pow(o.width[idst]))
		o.flag["isat"] = o.i[idst] == pow(o.width[idst])
	case 4:
		o.i[idst] = max(x, 1) - 1
		o.flag["isat"] = o.i[idst] == 0
	case 5, 6, 7:
		o.i[idst] = []uint64{x, 0, lowBits(result, o.width[idst])}[op-5]
		o.flag["isat"] = false
	}

	part := [][2]int{{0, 64}, {0, 32}, {32, 8}, {40, 8}, {48, 16}, {32, 32}}[field(w, 38, 3)]
	old := lowBits(o.data[address]>>part[0], part[1])
	put := func(x uint64) {
		o.data[address] += (lowBits(x, part[1]) - old) << part[0]
	}
	switch field(w, 30, 3) {
	case 1:
		o.m = o.cut(old)
	case 2:
		put(result)
	case 3:
		put(old + 1)
		o.m = o.cut(lowBits(old+1, part[1]))
		o.flag["dsat"] = lowBits(old+1, part[1]) == 0
	case 4:
		x := old
		if x != pow(part[1]) {
			x++
		}
		put(x)
		o.m = o.cut(x)
		o.flag["dsat"] = x == pow(part[1])
	case 5:
		put(0)
	}

	key := lowBits(pc, o.bitsN)
	if field(w, 46, 1) == 1 {
		key = lowBits(result, o.bitsN)
	}
	switch field(w, 41, 2) {
	case 1:
		o.flag["hit"] = false
		for s := len(o.keys) - 1; s >= 0; s-- {
			if o.valid[s] && o.keys[s] == key {
				o.flag["hit"] = true
				o.i[camReg] = lowBits(uint64(s), o.width[camReg])
			}
		}
	case 2:
		o.keys[slot], o.valid[slot] = key, true
	case 3:
		o.valid[slot] = false
	}

	o.cycle++
	o.left--
	guess := field(w, 59, 1) == 1
	if last, ok := o.dyn[o.pc]; ok && o.isDyn {
		guess = last
	}
	if taken != guess {
		o.cycle += o.pen
		o.dyn[o.pc] = taken
	}
	next := (o.pc + 1) % o.codeN
	if taken {
		off := field(w, 54, 5)
		switch field(w, 52, 2) {
		case 0:
			if off >= 16 {
				off -= 32
			}
			next = (o.pc + off + o.codeN) % o.codeN
		case 1:
			next = o.t[off]
		case 2:
			o.done++
			o.pop()
			return
		case 3:
			o.interrupted = true
			return
		}
	}
	o.pc = next
	if o.left == 0 {
		o.killed++
		o.cycle += o.pen
		o.pop()
	}
}

// run executes everything before a cycle.
func (o *oracle) run(until int) {
	for !o.waiting && !o.interrupted && o.cycle < until {
		o.step()
	}
}
