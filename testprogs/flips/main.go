// Flips answers the requests of clients to a store of keys. Halfway, the clients change their
// behaviour.
//
// It exercises branches whose bias changes for good: first nearly all requests read keys that
// are there, and values are short numbers; then nearly all write or remove, texts replace
// the numbers, and what is read is mostly gone. The store's code stays the same. A profile of
// the first half is wrong about the second. Hot: the parser of requests, and the chains of
// the store.
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
)

const (
	keys     = 6000
	buckets  = 4096
	requests = 5000 // of a batch
	batches  = 5600 // at 100 percent
)

var errUsage = errors.New("usage: flips [percent]")

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	n := max(2, batches*scale/100)
	rng := rand.New(rand.NewPCG(18, 19))
	s := newStore(keys)
	reading, writing := newBatch(rng, readers), newBatch(rng, writers)
	var answers answers
	for i := range n {
		batch := reading
		if i >= n/2 {
			batch = writing
		}
		if err := s.serve(batch, &answers); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, "flips: %d batches, %d found, %d missing, checksum %08x\n", n, answers.found, answers.missing, answers.sum)
	return err
}

// percent returns the scale that the command line asks for.
func percent(args []string) (int, error) {
	if len(args) == 0 {
		return 100, nil
	}
	p, err := strconv.ParseUint(args[0], 10, 16) // 16 bits: the product with any workload fits
	if err != nil || p == 0 || len(args) > 1 {
		return 0, fmt.Errorf("%w: bad arguments %q", errUsage, args)
	}
	return int(p), nil
}

// A crowd of clients says how often, of 100 requests, they do what.
type crowd struct {
	get, put int // the rest are removals
	texts    int // values that are texts
}

var (
	readers = crowd{get: 92, put: 6, texts: 4}
	writers = crowd{get: 12, put: 36, texts: 90}
)

// newBatch returns a batch of requests, a line each: "get k17", "put k17 253",
// "put k17 'it”s a text'", "del k17".
func newBatch(rng *rand.Rand, c crowd) []byte {
	var b []byte
	for range requests {
		op := rng.IntN(100)
		key := strconv.Itoa(rng.IntN(keys))
		switch {
		case op < c.get:
			b = append(b, "get k"+key...)
		case op < c.get+c.put:
			b = append(b, "put k"+key+" "...)
			b = appendValue(b, rng, rng.IntN(100) < c.texts)
		default:
			b = append(b, "del k"+key...)
		}
		b = append(b, '\n')
	}
	return b
}

func appendValue(b []byte, rng *rand.Rand, text bool) []byte {
	if !text {
		return strconv.AppendInt(b, int64(rng.IntN(100_000)), 10)
	}
	b = append(b, '\'')
	for range 12 + rng.IntN(20) {
		c := byte('a' + rng.IntN(26))
		switch rng.IntN(8) {
		case 0:
			b = append(b, '\'') // doubled within a text
			c = '\''
		case 1:
			c = ' '
		case 2:
			c -= 'a' - 'A'
		}
		b = append(b, c)
	}
	return append(b, '\'')
}

// A store has its entries in chains.
type store struct{ chains [buckets]*entry }

type entry struct {
	next *entry
	key  string
	value
}

// A value is a number or a text.
type value struct {
	number int
	text   []byte // nil for a number
}

func newStore(n int) *store {
	s := new(store)
	for i := range n {
		s.put([]byte("k"+strconv.Itoa(i)), value{number: i})
	}
	return s
}

func hash(key []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range key {
		h = (h ^ uint32(c)) * 16777619
	}
	return h % buckets
}

// find returns where the pointer to an entry is, or to nil at the end of its chain.
func (s *store) find(key []byte) **entry {
	at := &s.chains[hash(key)]
	for *at != nil && (*at).key != string(key) {
		at = &(*at).next
	}
	return at
}

func (s *store) put(key []byte, v value) {
	at := s.find(key)
	if *at == nil {
		*at = &entry{key: string(key)}
	}
	(*at).value = v
}

func (s *store) remove(key []byte) bool {
	at := s.find(key)
	if *at == nil {
		return false
	}
	*at = (*at).next
	return true
}

// answers is what the clients get.
type answers struct {
	found, missing int
	sum            uint32
}

func (a *answers) value(v value) {
	a.found++
	if v.text != nil {
		a.sum = crc32.Update(a.sum, crc32.IEEETable, v.text)
		return
	}
	var buf [4]byte
	binary.LittleEndian.PutUint32(buf[:], uint32(v.number))
	a.sum = crc32.Update(a.sum, crc32.IEEETable, buf[:])
}

// serve answers a batch.
func (s *store) serve(batch []byte, a *answers) error {
	p := parser{text: batch}
	for p.at < len(p.text) {
		op, key := p.word(), p.word()
		switch op[0] {
		case 'g':
			if e := *s.find(key); e != nil {
				a.value(e.value)
			} else {
				a.missing++
			}
		case 'p':
			v, err := p.value()
			if err != nil {
				return err
			}
			s.put(key, v)
		default:
			if !s.remove(key) {
				a.missing++
			}
		}
	}
	return nil
}

// A parser reads the requests of a batch.
type parser struct {
	text []byte
	at   int
}

// word returns the text up to a space or the end of the line, and goes on behind that.
func (p *parser) word() []byte {
	begin := p.at
	for p.text[p.at] != ' ' && p.text[p.at] != '\n' {
		p.at++
	}
	p.at++
	return p.text[begin : p.at-1]
}

func (p *parser) value() (v value, err error) {
	if p.text[p.at] != '\'' {
		for _, c := range p.word() {
			if c < '0' || c > '9' {
				return v, fmt.Errorf("byte %d: a digit was expected", p.at)
			}
			v.number = 10*v.number + int(c-'0')
		}
		return v, nil
	}
	v.text = make([]byte, 0, 40)
	for p.at++; ; p.at++ {
		c := p.text[p.at]
		switch {
		case c == '\'' && p.text[p.at+1] == '\'':
			p.at++
		case c == '\'':
			p.at += 2 // the line ends behind it
			return v, nil
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		v.text = append(v.text, c)
	}
}
