//go:build linux && amd64

package probe_test

// This file does the work of testdata/lines again. It shares no code with the tracer.

import "math"

// A histogram has the hits of each value.
type histogram map[uint64]uint64

// seen has histograms by the comment at a line and the name of a word: "LOOP len(text)".
type seen map[string]histogram

func (s seen) add(key string, value uint64) {
	if s[key] == nil {
		s[key] = histogram{}
	}
	s[key][value]++
}

// int adds a number with so many bytes.
func (s seen) int(key string, value, bytes int) { s.add(key, uint64(value)&(1<<(8*bytes-1)<<1-1)) }

func (s seen) bool(key string, value bool) {
	if value {
		s.add(key, 1)
	} else {
		s.add(key, 0)
	}
}

// work does what testdata/lines does, and notes the values.
func work(rounds int) seen {
	s, sink, words := seen{}, 0, []string{"", "a", "bb", "ccc"}
	use := func(n int) int {
		sink += n
		return sink & 3
	}
	var total, x, y int
	list := make([]int, 0, 64)
	x = -5
	for i := range rounds {
		text := words[i%4]
		y = (y + 1) & 255
		if i%8 == 0 {
			list = append(list, i)
		}
		small := int(int8(i))
		state := func(line string) {
			s.int(line+"rounds", rounds, 8)
			s.int(line+"i", i, 8)
			s.int(line+"total", total, 8)
			s.int(line+"p.x", x, 8)
			s.int(line+"p.y", y, 1)
			s.int(line+"small", small, 1)
			s.bool(line+"odd", i%2 == 1)
			s.int(line+"len(text)", len(text), 8)
			s.int(line+"len(list)", len(list), 8)
			s.int(line+"cap(list)", cap(list), 8)
		}
		state("LOOP ")
		use(i)
		if i%2 == 1 {
			total += len(text)
		}
		state("TOTAL ")
		use(total)
		x += small + len(list)
		state("POINT ")
		use(x + y)
	}
	for i := range rounds {
		a, b := i, i+1
		gone := use(a * 3)
		n := use(b)
		s.int("DEAD n before", n, 8)
		n = n*2 + b
		s.int("DEAD a", a, 8)
		s.int("DEAD b", b, 8)
		s.int("DEAD gone", gone, 8)
		s.int("DEAD n", n, 8)
		sink++
		for _, n := range []int{i, i%10 + 1} {
			s.int("HALF n", n, 8)
			s.int("HALF h", n/2, 8)
			sink += n / 2
		}
		s.int("HEAP n", i, 8)
		s.int("HEAP count", i+2, 8)
		s.int("HEAP len(label)", len(words[i%4])+1, 8)
		s.add("HEAP next", 1)
		use(i)

		b, text := use(i), words[i%4]
		c := use(b + 1)
		s.int("WAIT a", i, 8)
		s.int("WAIT b", b, 8)
		s.int("WAIT c", c, 8)
		s.add("WAIT f", math.Float64bits(float64(i)))
		s.int("WAIT len(text)", len(text), 8)
		use(len(text))
		use(i)
		s.int("RESULT n", i, 8)
		s.int("RESULT result", i+1, 8)
		s.add("RESULT err", 0)
		use(i)
		m := i
		if i%2 == 0 {
			m = use(i) + 10
		}
		s.int("BRANCH n", i, 8)
		s.int("BRANCH m", m, 8)
		use(m)
		m = i
		if i%4 == 0 {
			m = use(i) * 3
		}
		s.int("either", m+1, 8)
		s.int("LOAD n", i, 8)
		s.add("LOAD f", 1)
		s.int("LOAD left", i, 8)
		s.int("LOAD right", i+1, 8)
		more := use(i + i + 1)
		// The program saves f at its entry for this line. No statement begins there, and more
		// has no value yet.
		s.int("SAVED n", i, 8)
		s.add("SAVED f", 1)
		s.int("SAVED left", i, 8)
		s.int("SAVED right", i+1, 8)
		s.int("SAVED more", more, 8)
		use(i + i + 1 + i + 2)
		px, x, py := i*7, i, i*5
		py += use(px)
		x += use(py)
		px += use(x)
		py += px
		s.int("TWINS n", i, 8)
		s.int("TWINS px", px, 8)
		s.int("TWINS p.x", x, 8)
		s.int("TWINS p.y", i&255, 1)
		s.int("TWINS py", py, 8)
		use(px + i&255)
		for n := range len(text) + 1 {
			s.int("COUNT len(s)", len("é")+len(text), 8)
			s.int("COUNT n", n, 8)
			s.int("COUNT n after", n+1, 8)
			use(n + 1)
		}
		for _, g := range []struct {
			v, bytes int
			list     []int
		}{{i, 4, []int{1, 2, 3}}, {-i, 8, []int{4}}} {
			for j, x := range g.list {
				s.int("GENERIC v", g.v, g.bytes)
				s.int("GENERIC x", x, g.bytes)
				s.int("GENERIC i", j, 8)
				s.int("GENERIC len(list)", len(g.list), 8)
				s.int("GENERIC cap(list)", len(g.list), 8)
				g.v += x * j
			}
		}
	}
	return s
}
