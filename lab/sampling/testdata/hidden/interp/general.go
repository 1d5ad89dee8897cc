//go:build !special && !count

package main

func (m *machine) run() {
	for pc := 0; ; pc++ {
		for _, b := range m.breaks {
			if b == pc {
				m.at = pc
				return
			}
		}
		switch in := m.code[pc]; in.op {
		case set:
			m.reg[in.a&7] = m.reg[in.b&7]
		case add:
			m.reg[in.a&7] = m.reg[in.b&7] + m.reg[in.c&7]
		case xor:
			m.reg[in.a&7] = m.reg[in.b&7] ^ m.reg[in.c&7]
		case mul:
			m.reg[in.a&7] = m.reg[in.b&7] * m.reg[in.c&7]
		case less:
			if m.reg[in.a&7] >= m.reg[in.b&7] {
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
