package steptest

// Integers lists what an interpreter of all integer instructions must interpret in addition to Encodings.
func Integers() (es []Encoding) {
	add := func(e []Encoding) { es = append(es, e...) }
	add(ops(reg, 0, 0, 0x86, 0x87))      // XCHG
	add(ops(-1, 0, 0, 0x94, 0x96, 0x97)) // with AX; BX, SP and BP must stay
	for digit := 2; digit < 4; digit++ { // RCL, RCR
		add(ops(digit, 1, 0, 0xc0, 0xc1))
		add(ops(digit, 0, 0, 0xd0, 0xd1, 0xd2, 0xd3))
	}
	add(ops(6, 1, 0, 0xc0, 0xc1))
	add(ops(-1, 0, no66|noREX, 0xf5, 0xf8, 0xf9, 0xfc))
	add(ops(-1, 4, no66, 0x68))
	add(ops(-1, 4, no66|noREX, span(0xb8, 0xbf)...))
	add(ops0f(reg, 0, 0, 0xb0, 0xb1, 0xc0, 0xc1)) // CMPXCHG, XADD
	add(ops0f(reg, 0, no66|memOnly, 0xc3))        // MOVNTI
	add(ops0f(2, 0, no66|memOnly|mayStop, 0xae))  // LDMXCSR; mayStop: bits that not all processors have
	add(ops0f(3, 0, no66|memOnly|mayStop, 0xae))  // STMXCSR
	add(ops0f(1, 0, no66|memOnly, 0xc7))          // CMPXCHG8B; CMPXCHG16B needs alignment
	add(ops0f(reg, 1, no66, 0xa4, 0xac))
	add(ops0f(1, 0, memOnly, 0x18))
	for _, code := range [][]byte{
		{0x66, 0x0f, 0x38, 0xf6}, {0xf3, 0x0f, 0x38, 0xf6}, // ADCX, ADOX
		{0xf2, 0x0f, 0x38, 0xf0}, {0xf2, 0x0f, 0x38, 0xf1}, // CRC32
	} {
		es = append(es, Encoding{code, reg, 0, no66})
	}
	for _, code := range [][]byte{{0x01}, {0x29}, {0x31}, {0x0f, 0xb1}, {0x0f, 0xc1}, {0x87}} {
		es = append(es, Encoding{append([]byte{0xf0}, code...), reg, 0, no66 | noREX | memOnly})
	}
	// Whole VEX prefixes, with vvvv a register that is not a pointer.
	for _, code := range [][]byte{
		{0xc4, 0xe2, 0x78, 0xf5}, {0xc4, 0xe2, 0xf8, 0xf5}, {0xc4, 0xe2, 0xf0, 0xf5}, // BZHI
		{0xc4, 0xe2, 0x7a, 0xf5}, {0xc4, 0x62, 0xfa, 0xf5}, {0xc4, 0xe2, 0x7b, 0xf5}, {0xc4, 0x62, 0xfb, 0xf5}, // PEXT, PDEP
		{0xc4, 0xe2, 0x7b, 0xf6}, {0xc4, 0x62, 0xfb, 0xf6}, // MULX
		{0xc4, 0xe2, 0x78, 0xf7}, {0xc4, 0x62, 0xf0, 0xf7}, // BEXTR
		{0xc4, 0xe2, 0x79, 0xf7}, {0xc4, 0xe2, 0x7a, 0xf7}, {0xc4, 0xe2, 0x7b, 0xf7}, // SHLX, SARX, SHRX
		{0xc4, 0xe2, 0x70, 0xf2}, {0xc4, 0xe2, 0xf0, 0xf2}, // ANDN
	} {
		es = append(es, Encoding{code, reg, 0, no66 | noREX})
	}
	for digit := 1; digit < 4; digit++ { // BLSR, BLSMSK, BLSI
		for _, code := range [][]byte{{0xc4, 0xe2, 0x78, 0xf3}, {0xc4, 0xe2, 0xf8, 0xf3}} {
			es = append(es, Encoding{code, digit, 0, no66 | noREX})
		}
	}
	for _, code := range [][]byte{{0xc4, 0xe3, 0x7b, 0xf0}, {0xc4, 0x63, 0xfb, 0xf0}} {
		es = append(es, Encoding{code, reg, 1, no66 | noREX}) // RORX
	}
	for _, code := range [][]byte{{0x0f, 0xae, 0xe8}, {0x0f, 0xae, 0xf0}, {0x0f, 0xae, 0xf8}, {0xf3, 0x90}} {
		es = append(es, Encoding{code, -1, 0, no66 | noREX})
	}
	return es
}

// Undefined returns the arithmetic flags whose values after an integer instruction the manuals leave open. cx is CX
// before.
func Undefined(code []byte, cx uint64) uint64 {
	const (
		c, p, z, s, o = 1, 4, 0x40, 0x80, 0x800
		all           = c | p | z | s | o
	)
	width, vex, rep := 32, false, false
	i := 0
	for ; ; i++ {
		switch b := code[i]; {
		case b == 0x66:
			width = 16
			continue
		case b == 0xf3:
			rep = true
			continue
		case b == 0xf0 || b == 0xf2:
			continue
		case b&0xf0 == 0x40:
			if b&8 != 0 {
				width = 64
			}
			continue
		case b == 0xc4:
			vex = true
			if code[i+1]&0x1f != 2 {
				return 0
			}
			switch code[i+3] {
			case 0xf2, 0xf3, 0xf5:
				return p
			case 0xf7:
				return s | p
			}
			return 0
		}
		break
	}
	op := code[i]
	digit := func(at int) byte { return code[at] >> 3 & 7 }
	switch {
	case vex:
	case op == 0xc0 || op == 0xc1 || op >= 0xd0 && op <= 0xd3:
		n := 1
		if op < 0xc2 {
			n = int(code[len(code)-1])
		} else if op >= 0xd2 {
			n = int(cx & 0xff)
		}
		if n &= 31 | width&64>>1; n == 0 {
			return 0
		}
		if op&1 == 0 {
			width = 8
		}
		u := uint64(0)
		if n != 1 {
			u = o
		}
		if d := digit(i + 1); d >= 4 && d < 7 && n >= width {
			u |= c
		}
		return u
	case op == 0x69 || op == 0x6b:
		return p | z | s
	case op == 0xf6 || op == 0xf7:
		switch d := digit(i + 1); {
		case d >= 6:
			return all
		case d >= 4:
			return p | z | s
		}
	case op == 0x0f:
		switch op := code[i+1]; op {
		case 0xa4, 0xac, 0xa5, 0xad:
			return o
		case 0xa3, 0xab, 0xb3, 0xbb, 0xba:
			return p | s | o
		case 0xaf:
			return p | z | s
		case 0xbc, 0xbd:
			if rep {
				return p | s | o
			}
			return all &^ z
		}
	}
	return 0
}

// Vector reports whether an instruction of Encodings reads or writes vector registers.
func Vector(code []byte) bool {
	i := 0
	for code[i] == 0x66 || code[i]&0xfe == 0xf2 || code[i]&0xf0 == 0x40 {
		i++
	}
	switch {
	case code[i] == 0xc5:
		return true
	case code[i] == 0xc4:
		return code[i+1]&31 == 1
	case code[i] != 0x0f:
		return false
	}
	switch op := code[i+1]; {
	case op < 0x18 && op != 0x0d, op >= 0x28 && op < 0x30, op >= 0x50 && op < 0x80, op == 0xd6:
		return true
	}
	return false
}

// LooksAtFlags reports whether an integer instruction reads flags, or writes only some of them.
func LooksAtFlags(code []byte) bool {
	op, second, digit := opcode(code)
	switch {
	case op == 0x0f && (second>>4 == 4 || second>>4 == 8 || second>>4 == 9 || second == 0x38 || second == 0xba ||
		second == 0xc7 ||
		second >= 0xa3 && second <= 0xbd && second != 0xaf && second != 0xb0 && second != 0xb1):
		return true
	case op < 0x40 && op&7 < 6: // ADC, SBB
		return op>>3 == 2 || op>>3 == 3
	case op >= 0x80 && op < 0x84:
		return digit == 2 || digit == 3
	case op&0xf0 == 0x70, op == 0xc0, op == 0xc1, op >= 0xd0 && op <= 0xd3, op == 0xf5, op == 0xf8, op == 0xf9, op == 0xfe,
		op == 0xff:
		return true
	}
	return false
}

// Transfers reports whether an integer instruction is a call or a return, after which nobody looks at flags.
func Transfers(code []byte) bool {
	op, _, digit := opcode(code)
	return op == 0xe8 || op == 0xc2 || op == 0xc3 || op == 0xff && digit == 2
}

// opcode returns the first two bytes of the opcode, and the digit if the second is ModRM.
func opcode(code []byte) (op, second, digit byte) {
	i := 0
	for code[i] == 0x66 || code[i] == 0xf0 || code[i]&0xfe == 0xf2 || code[i]&0xf0 == 0x40 {
		i++
	}
	if i+1 < len(code) {
		second = code[i+1]
	}
	return code[i], second, second >> 3 & 7
}
