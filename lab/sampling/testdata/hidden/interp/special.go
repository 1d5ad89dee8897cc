//go:build special

package main

func (m *machine) run() {
	if len(m.breaks) > 0 {
		panic("the loop that knows breakpoints is left out here")
	}
	code, reg := m.code, &m.reg
	for pc := 0; ; pc++ {
		switch in := code[pc]; in.op {
		case set:
			reg[in.a&7] = reg[in.b&7]
		case add:
			reg[in.a&7] = reg[in.b&7] + reg[in.c&7]
		case xor:
			reg[in.a&7] = reg[in.b&7] ^ reg[in.c&7]
		case mul:
			reg[in.a&7] = reg[in.b&7] * reg[in.c&7]
		case less:
			if reg[in.a&7] >= reg[in.b&7] {
				pc++
			}
		case jump:
			pc -= int(in.a) + 1
		case halt:
			m.at = pc
			return
		}
	}
}
