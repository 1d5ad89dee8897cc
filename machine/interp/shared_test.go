package interp

// This file tests code that many machines share.

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"
)

// A maze is code of many blocks, each of them
//
//	ADDQ $a, AX
//	TESTB $b, AX
//	JNE to one of the next blocks
//
// (The compiler's code of this test would call the race detector.)
type maze struct {
	code   []byte
	blocks []mazeBlock
}

type mazeBlock struct {
	a, b byte
	skip int // blocks, if AX and b have a bit in common
}

const mazeBlockSize = 10

func newMaze(r *rand.Rand, n int) *maze {
	z := &maze{blocks: make([]mazeBlock, n)}
	for i := range z.blocks {
		b := mazeBlock{byte(r.Uint32()), byte(r.Uint32()), r.IntN(8)}
		z.blocks[i] = b
		z.code = append(z.code, 0x48, 0x05, b.a, 0, 0, 0, 0xa8, b.b, 0x75, byte(mazeBlockSize*b.skip))
	}
	for range 8 * mazeBlockSize {
		z.code = append(z.code, 0xf4)
	}
	return z
}

// run returns what AX is in the end.
func (z *maze) run(i int, ax uint64) uint64 {
	for i < len(z.blocks) {
		b := z.blocks[i]
		ax += uint64(b.a)
		if i++; byte(ax)&b.b != 0 {
			i += b.skip
		}
	}
	return ax
}

// hammer has 64 machines go through the maze in windows, and compares what comes out.
func (z *maze) hammer(t *testing.T, c *Code, rounds int) {
	t.Helper()
	var wg sync.WaitGroup
	begin := make(chan bool)
	for i := range uint64(64) {
		m, r := new(Machine), rand.New(rand.NewPCG(i, 3))
		m.Init(c)
		m.Act = func(m *Machine, e uint64) {}
		wg.Go(func() {
			<-begin
			for round := range rounds {
				from, ax := 0, uint64(0) // all of them begin in the same code
				if round > 0 {
					from, ax = r.IntN(len(z.blocks)), r.Uint64()
				}
				m.R[rAX] = ax
				m.Reset(address(&z.code[from*mazeBlockSize]), 0)
				why := Done
				for full := 0; why == Done || why == CodeFull && full < 1<<16; {
					if why = m.Run(r.IntN(6000)); why == CodeFull {
						full++
						runtime.Gosched() // to who is in Run
					}
				}
				if want := z.run(from, ax); why != Unknown || m.R[rAX] != want {
					t.Errorf("%v after %d steps, AX %#x, want %#x", why, m.Steps, m.R[rAX], want)
				}
			}
		})
	}
	close(begin)
	wg.Wait()
	runtime.KeepAlive(z)
	if n := load32(&c.users); n != 0 {
		t.Errorf("%d machines have not left", n)
	}
}

// some gives some addresses an event, and some branches.
func some(pc uint64, a *Actions) bool {
	h := pc * 0x9e3779b97f4a7c15 >> 58
	if h&7 == 0 {
		a.At = pc
	}
	if h>>3&3 == 0 {
		a.Taken = pc + 1
	}
	if h>>4&3 == 0 {
		a.NotTaken = pc + 2
	}
	return true
}

// TestManyThreads compares each piece that threads have decoded and linked together with the same piece decoded by a
// machine of its own.
func TestManyThreads(t *testing.T) {
	times := 20
	if testing.Short() {
		times = 3
	}
	for i := range times {
		z := newMaze(rand.New(rand.NewPCG(uint64(i), 2)), 2000)
		c, _ := newMachine()
		c.Actions = some
		z.hammer(t, c, 3)
		z.compare(t, c)
	}
}

// compare decodes all pieces of the cache once more.
func (z *maze) compare(t *testing.T, c *Code) {
	t.Helper()
	fresh, m := newMachine()
	fresh.Actions = some
	m.Reset(0, 0)
	pieces, links, n := 0, 0, 0
	for i := range c.buckets {
		seen := map[uint64]bool{}
		for l := *c.bucketAt(i); l != 0; l = c.pieceAt(l).next {
			pc := c.pieceAt(l).pc
			if seen[pc] {
				t.Errorf("%#x is there twice", pc)
			}
			seen[pc] = true
			own := m.piece(pc)
			if own == 0 {
				t.Fatalf("%#x: %v", pc, m.stop)
			}
			pieces++
			n += int(c.pieceAt(l).n)
			got, want := contents(t, c, l, &links), contents(t, fresh, own, new(int))
			if !slices.Equal(got, want) {
				t.Fatalf("%#x: %v, want %v", pc, got, want)
			}
		}
	}
	runtime.KeepAlive(z)
	if pieces < 1000 || links < pieces/2 || n != c.Decoded() || c.Emptied() != 0 {
		t.Errorf("%d pieces, %d links, %d instructions, of %d, emptied %d times", pieces, links, n, c.Decoded(), c.Emptied())
	}
	t.Logf("%d pieces, %d instructions, %d links, %d bytes", pieces, n, links, c.Used())
}

// contents returns the header and the operations of a piece. Of links it has the events on the way, and no more. It
// adds up the links, and checks where they lead to.
func contents(t *testing.T, c *Code, l uint32, links *int) (list []string) {
	p := c.pieceAt(l)
	list = append(list, fmt.Sprint(p.pc, p.size, p.n, p.event))
	at := unsafe.Add(unsafe.Pointer(p), opSize)
	for {
		o := *(*op)(at)
		if at = unsafe.Add(at, opSize); o.k < kJcc && o.k != kStop || o.k >= kVector {
			list = append(list, fmt.Sprint(o))
			continue
		}
		l0, l1 := o.l0, o.l1
		o.l0, o.l1 = 0, 0
		list = append(list, fmt.Sprint(o))
		for i, l := range []uint32{l0, l1} {
			to := p.pc + uint64(o.disp)
			if i == 0 {
				to = p.pc + uint64(p.size)
			}
			if l != 0 && c.pieceAt(l).event {
				list = append(list, contents(t, c, l, links)...)
			} else if l != 0 {
				if *links++; c.pieceAt(l).pc != to {
					t.Errorf("the piece at %#x is linked with that at %#x, want %#x", p.pc, c.pieceAt(l).pc, to)
				}
			}
		}
		return list
	}
}

// TestEmptying has the threads share a cache that is too small, so that they empty it again and again.
func TestEmptying(t *testing.T) {
	z := newMaze(rand.New(rand.NewPCG(1, 2)), 2000)
	c := new(Code)
	c.Init(unsafe.Pointer(&make([]uint64, 1<<13)[0]), 1<<16)
	c.Actions = some
	z.hammer(t, c, 10)
	if c.Emptied() < 2 {
		t.Errorf("the cache was emptied %d times", c.Emptied())
	}
	t.Logf("emptied %d times", c.Emptied())
}

// A cache is emptied when no machine is in Run. A machine whose Run was left by a handler is, until it says so.
func TestLeave(t *testing.T) {
	c, m := newMachine()
	o := new(Machine)
	o.Init(c)
	c.enter()
	o.inside = true // as if a handler had left Run
	store32(&c.full, 1)
	code := []byte{0xf4}
	m.Reset(address(&code[0]), 0)
	if m.Run(1); c.Emptied() != 0 {
		t.Error("the cache was emptied under a machine that runs")
	}
	o.Leave()
	o.Leave()
	if m.Run(1); c.Emptied() != 1 || c.users != 0 {
		t.Errorf("emptied %d times, %d machines left, want 1, 0", c.Emptied(), c.users)
	}
	c.users = emptying
	if why := m.Run(1); why != CodeFull || c.users != emptying {
		t.Errorf("got %v, %#x, while the cache is emptied, want %v", why, c.users, CodeFull)
	}
}

// A window ends when it has met too much new code, and the next one gets further.
func TestFresh(t *testing.T) {
	noCollection(t)
	c, m := newMachine()
	c.Fresh = 100
	n := newNative(m, wSlices)
	before := 0
	for i := 0; ; i++ {
		n.begin()
		why := m.Run(6000)
		if d := c.Decoded() - before; d > c.Fresh+pieceInsns || why == NewCode && d < c.Fresh {
			t.Fatalf("%d new instructions in a window that ends by %v, want %d", d, why, c.Fresh)
		}
		if before = c.Decoded(); why == Done {
			if i < 3 {
				t.Errorf("%d windows ended at new code", i)
			}
			return
		}
		if why != NewCode || i > 1000 {
			t.Fatalf("after %d windows got %v", i, why)
		}
	}
}

// A text in which somebody puts breakpoints, and one that is replaced.
func TestRewrittenCode(t *testing.T) {
	c, m := newMachine()
	code := make([]byte, 2*LineSize)
	at := LineSize - 3    // so that the second instruction is on two lines
	put := func(n byte) { // XORL AX, AX; ADDL $n, AX; HLT
		copy(code[at:], []byte{0x31, 0xc0, 0x05, n, 0, 0, 0, 0xf4})
	}
	base := uint64(0x40000)
	var lines [2][LineSize]byte
	m.Fetch = func(a uint64) uint64 {
		i := (a - base) / LineSize & 1
		copy(lines[i][:], code[i*LineSize:])
		return address(&lines[i][0])
	}
	run := func(what string, want Stop, ax uint64, behind int) {
		t.Helper()
		m.Reset(base+uint64(at), 0)
		m.R[rAX] = 99
		if why := m.Run(10); why != want || m.R[rAX] != ax || m.PC != base+uint64(at+behind) {
			t.Errorf("%s: got %v, AX %d, %d bytes on, want %v, %d, %d", what, why, m.R[rAX], m.PC-base-uint64(at), want, ax,
				behind)
		}
	}
	built := make([]byte, 2*LineSize)
	put(5)
	copy(built, code)
	for _, known := range []bool{false, true} {
		c.Clear()
		c.Texts[0] = Text{}
		if known {
			c.Texts[0] = Text{base, base + uint64(len(code)), address(&built[0])}
		}
		for _, decoded := range []bool{false, true} {
			put(5)
			if decoded {
				run("without a breakpoint", Unknown, 5, 7)
			}
			code[at+2] = 0xcc
			if known {
				run("a breakpoint on the second instruction, with what was built", Unknown, 5, 7)
				if run("the same breakpoint", Unknown, 5, 7); m.fresh != 0 {
					t.Errorf("%d instructions were decoded once more", m.fresh)
				}
			} else {
				run("a breakpoint on the second instruction", Breakpoint, 0, 2)
			}
			code[at+3] = 6
			run("half a change of the second instruction", Breakpoint, 0, 2)
			code[at+2] = 0x2d // SUBL
			run("another second instruction", Unknown, 1<<32-6, 7)
			put(5)
			run("without the breakpoint", Unknown, 5, 7)
		}
	}
	c.Texts[0] = Text{}

	// While the second instruction is decoded, it is replaced: first comes a breakpoint, then the end.
	c.Clear()
	put(5)
	fetch := m.Fetch
	m.Fetch = func(a uint64) uint64 {
		if a == base+LineSize {
			lines[0][at+2], code[at+2], code[at+3] = 0xcc, 0xcc, 6
		}
		return fetch(a)
	}
	run("half replaced", Breakpoint, 0, 2)
	m.Fetch = fetch
	put(6)
	run("replaced", Unknown, 6, 7)

	// Code that is no text is not decoded, so it cannot be old.
	for _, text := range []Text{{base - 100, base + uint64(at), 0}, {base + uint64(at) + 8, base + 4096, 0}} {
		c.Clear()
		c.Texts = [4]Text{{1, 2, 0}, text}
		for n := range byte(2) {
			put(n)
			run(fmt.Sprintf("another text, from %#x to %#x", text.Low, text.High), Refused, 99, 0)
		}
	}
	c.Texts[1] = Text{base, base + uint64(at) + 2, 0}
	run("the end of the text", Refused, 0, 2)
	c.Texts[1].High += 5
	run("after the end of the text moved", Refused, 1, 7)
}

// Code is read in the same way from a text and from elsewhere, and it is noticed if its first byte changes meanwhile.
func TestReadCode(t *testing.T) {
	code := make([]byte, 1<<17) // too large for the stack, which may move
	for i := range code {
		code[i] = byte(i*7 + i>>8)
	}
	base := address(&code[0])
	for _, text := range []Text{{}, {base, base + LineSize, 0}, {base + LineSize, base + 2*LineSize, 0}} {
		c, m := newMachine()
		c.Texts[0] = text
		d := &m.d
		for _, at := range []int{0, 1, LineSize - 17, LineSize - 16, LineSize - 15, LineSize - 1, LineSize, LineSize + 100} {
			d.pc, d.have, d.pos, d.bad = base+uint64(at), 0, 0, false
			for i := range maxInsnSize {
				if b := d.byte(); b != code[at+i] || d.bad {
					t.Fatalf("text %v: byte %d of the instruction at %d is %#x, want %#x", text, i, at, b, code[at+i])
				}
			}
			if !d.unchanged() {
				t.Errorf("text %v: the instruction at %d has changed", text, at)
			}
			code[at] ^= 1
			if d.unchanged() {
				t.Errorf("text %v: the instruction at %d has not changed", text, at)
			}
			code[at] ^= 1
		}
	}
}
