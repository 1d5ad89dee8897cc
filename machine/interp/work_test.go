package interp

// This file has functions that tests interpret: a sort, a lexer, an interpreter, a tree.

import "slices"

type ctx struct {
	ints  []int
	text  []byte
	table []uint64
	code  []byte
	stack []int64
	nodes []node
	n     int
}

type node struct {
	left, right *node
	key, val    int
}

//go:noinline
func wSlices(c *ctx) uint64 {
	slices.Sort(c.ints)
	var h uint64
	for i, v := range c.ints {
		h = h*31 + uint64(v)*uint64(i)
	}
	return h
}

//go:noinline
func wLexer(c *ctx) uint64 {
	src := c.text
	var n, lines, depth uint64
	for i := 0; i < len(src); {
		b := src[i]
		switch {
		case b == ' ' || b == '\t' || b == '\r':
			i++
		case b == '\n':
			lines++
			i++
		case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '_':
			h := uint64(14695981039346656037)
			for i < len(src) && ('a' <= src[i] && src[i] <= 'z' || 'A' <= src[i] && src[i] <= 'Z' || src[i] == '_' ||
				'0' <= src[i] && src[i] <= '9') {
				h = (h ^ uint64(src[i])) * 1099511628211
				i++
			}
			c.table[h%uint64(len(c.table))]++
			n++
		case '0' <= b && b <= '9':
			v := uint64(0)
			for i < len(src) && '0' <= src[i] && src[i] <= '9' {
				v = v*10 + uint64(src[i]-'0')
				i++
			}
			n += v & 1
		case b == '"':
			i++
			for i < len(src) && src[i] != '"' {
				if src[i] == '\\' {
					i++
				}
				i++
			}
			i++
		case b == '/' && i+1 < len(src) && src[i+1] == '/':
			for i < len(src) && src[i] != '\n' {
				i++
			}
		default:
			switch b {
			case '(', '{', '[':
				depth++
			case ')', '}', ']':
				depth--
			}
			n += 3
			i++
		}
	}
	return n ^ lines<<20 ^ depth<<40
}

//go:noinline
func wVM(c *ctx) uint64 {
	code, st := c.code, c.stack
	sp, acc, count := 0, int64(0), 0
	for pc := 0; ; {
		op := code[pc]
		pc++
		switch op {
		case 0:
			st[sp] = acc
			sp++
		case 1:
			sp--
			acc += st[sp]
		case 2:
			acc = int64(code[pc]) + acc*3
			pc++
		case 3:
			sp--
			acc -= st[sp]
		case 4:
			acc ^= acc >> 7
		case 5:
			if acc&1 == 0 {
				pc += int(code[pc])
			}
			pc++
		case 6:
			st[sp&63] = acc
		case 7:
			acc += st[(sp+1)&63]
		case 8:
			count++
			if count == c.n {
				return uint64(acc)
			}
			pc = 0
			sp = 0
		case 9:
			acc = acc<<1 | 1
		}
	}
}

func insert(c *ctx, root **node, key int) {
	for *root != nil {
		if key < (*root).key {
			root = &(*root).left
		} else {
			root = &(*root).right
		}
	}
	n := &c.nodes[c.n]
	c.n++
	n.key, n.val, n.left, n.right = key, key*3, nil, nil
	*root = n
}

//go:noinline
func sum(n *node, d int) int {
	if n == nil {
		return d
	}
	return sum(n.left, d+1) ^ n.val + sum(n.right, d+1)*3
}

//go:noinline
func wTree(c *ctx) uint64 {
	var root *node
	x := uint32(12345)
	for range len(c.nodes) {
		x = x*1664525 + 1013904223
		insert(c, &root, int(x>>8))
	}
	return uint64(sum(root, 0))
}
