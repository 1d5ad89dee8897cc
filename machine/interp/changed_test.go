package interp

// This file tests code that changes.

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"
)

// writableCode maps memory that code can be executed and changed in. Two pages at least, which the code is in the
// middle of.
func writableCode(t *testing.T, code []byte) []byte {
	t.Helper()
	const page, prot = 4096, syscall.PROT_READ | syscall.PROT_WRITE | syscall.PROT_EXEC
	b, err := syscall.Mmap(-1, 0, (len(code)/page+3)*page, prot, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no memory for code that changes: ", err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	at := page + page/2 - len(code)%page/2
	return b[at : at+copy(b[at:], code)]
}

// A changing maze is one whose code is patched. It says what executing it does, without looking at what the machine
// decodes.
type changing struct {
	*maze
	memory, built []byte
	original      []mazeBlock
	trap          []bool // by instruction, three to a block: it has a breakpoint
}

func newChanging(t *testing.T, r *rand.Rand, n int) *changing {
	z := &changing{maze: newMaze(r, n)}
	z.memory, z.built = writableCode(t, z.code), z.code
	z.original, z.trap = slices.Clone(z.blocks), make([]bool, 3*n)
	return z
}

// Offsets of the instructions of a block.
var mazeInsns = [...]int{0, 6, 8}

// jumpOver is code that replaces the first instruction of a block, and jumps to the next block.
var jumpOver = []byte{0xeb, mazeBlockSize - 2}

// change changes a block in one of several ways: to other operands, to a jump, or back. It may put a breakpoint on one
// of the instructions as they were built, or on none.
func (z *changing) change(r *rand.Rand, i int) {
	at := z.memory[i*mazeBlockSize:][:mazeBlockSize]
	copy(at, z.built[i*mazeBlockSize:])
	b := z.original[i]
	switch r.IntN(5) {
	case 0:
		b.a = byte(r.Uint32())
	case 1:
		b.b = byte(r.Uint32())
	case 2:
		b.skip = r.IntN(8)
	case 3:
		b = mazeBlock{}
		copy(at, jumpOver)
	}
	if at[0] != jumpOver[0] {
		at[2], at[7], at[9] = b.a, b.b, byte(mazeBlockSize*b.skip)
	}
	z.blocks[i] = b
	for k := range mazeInsns {
		z.trap[3*i+k] = false
	}
	if k := r.IntN(6); k < len(mazeInsns) && !z.changed(i, k) {
		z.trap[3*i+k] = true
		at[mazeInsns[k]] = 0xcc
	}
}

// changed reports whether instruction k of block i is not the one that was built.
func (z *changing) changed(i, k int) bool {
	from, to := i*mazeBlockSize+mazeInsns[k], (i+1)*mazeBlockSize
	if k+1 < len(mazeInsns) {
		to = i*mazeBlockSize + mazeInsns[k+1]
	}
	return !z.trap[3*i+k] && !slices.Equal(z.memory[from:to], z.built[from:to])
}

// Events of instructions that are not those that were built.
const changedEvent = 1 << 60

// events is what code at pc has: some, unless it has changed.
func events(pc uint64, a *Actions) bool {
	if a.Changed {
		a.At = changedEvent + pc
		return true
	}
	return some(pc, a)
}

// follow executes the maze from block i on. It returns AX and the events.
func (z *changing) follow(i int, ax uint64) (uint64, []uint64) {
	var list []uint64
	for i < len(z.blocks) {
		b, jumps := z.blocks[i], z.memory[i*mazeBlockSize] == jumpOver[0]
		taken := byte(ax+uint64(b.a))&b.b != 0
		for k, off := range mazeInsns {
			pc := address(&z.memory[i*mazeBlockSize+off])
			var a Actions
			a.Changed = z.changed(i, k)
			events(pc, &a)
			if a.At != 0 {
				list = append(list, a.At)
			}
			if e := a.Taken; k == 2 && taken && e != 0 {
				list = append(list, e)
			}
			if e := a.NotTaken; k == 2 && !taken && e != 0 {
				list = append(list, e)
			}
			if jumps {
				break
			}
		}
		ax += uint64(b.a)
		if i++; taken {
			i += b.skip
		}
	}
	return ax, list
}

// text is the maze as a text.
func (z *changing) text() Text {
	low := address(&z.memory[0])
	return Text{low, low + uint64(len(z.memory)), address(&z.built[0])}
}

// TestChangedCode changes code at random between windows, and in their middle: behind the instructions that a window
// has executed it finds the new code. Registers and events are those of the blocks as they are then. Code is changed
// back, too, to what was decoded before.
func TestChangedCode(t *testing.T) {
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	for _, exact := range []bool{false, true} {
		r := rand.New(rand.NewPCG(7, 8))
		z := newChanging(t, r, 300)
		c, m := newMachine()
		c.Exact, c.Actions, c.Texts[0] = exact, events, z.text()
		var got []uint64
		m.Act = func(m *Machine, e uint64) { got = append(got, e) }
		seen := 0
		for round := range rounds {
			if round%10 == 0 { // all as it was built
				copy(z.memory, z.built)
				copy(z.blocks, z.original)
				clear(z.trap)
			}
			for range r.IntN(8) {
				z.change(r, r.IntN(len(z.blocks)))
			}
			from, ax, why := r.IntN(len(z.blocks)), r.Uint64(), CodeFull
			for tries := 0; why == CodeFull && tries < 2; tries++ { // the second window empties the cache
				got = got[:0]
				m.R[rAX] = ax
				m.Reset(address(&z.memory[from*mazeBlockSize]), 0)
				for why = Done; why == Done; {
					why = m.Run(r.IntN(400))
					if next := int(m.PC-address(&z.memory[0]))/mazeBlockSize + 1; next < len(z.blocks) {
						z.change(r, next+r.IntN(len(z.blocks)-next))
					}
				}
			}
			want, list := z.follow(from, ax)
			met := slices.ContainsFunc(list, func(e uint64) bool { return e >= changedEvent })
			if why != Unknown || m.R[rAX] != want || !slices.Equal(got, list) || m.Changed() != met {
				t.Fatalf("exact %v: %v, AX %#x, changed %v, events %#x; want %#x, %v, %#x", exact, why, m.R[rAX], m.Changed(), got,
					want, met, list)
			}
			if met {
				seen++
			}
		}
		t.Logf("the cache was emptied %d times", c.Emptied())
		if seen < rounds/4 || seen > rounds*9/10 {
			t.Errorf("%d of %d windows met changed code", seen, rounds)
		}
	}
}

// TestManyCodes changes one byte again and again, so that there are many pieces of the same place. The cache is emptied
// before the list of these is long.
func TestManyCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	z := newChanging(t, r, 20)
	c, m := newMachine()
	c.Texts[0] = z.text()
	for i := range 256 {
		z.blocks[9].a = byte(i)
		z.memory[9*mazeBlockSize+2] = byte(i)
		want, _ := z.follow(9, 5)
		why := CodeFull
		for tries := 0; why == CodeFull && tries < 2; tries++ {
			m.R[rAX] = 5
			m.Reset(address(&z.memory[9*mazeBlockSize]), 0)
			why = m.Run(1000)
		}
		if why != Unknown || m.R[rAX] != want {
			t.Fatalf("code %d: %v, AX %#x, want %#x", i, why, m.R[rAX], want)
		}
	}
	if n := c.Emptied(); n != 256/maxCodes-1 {
		t.Errorf("the cache was emptied %d times, want %d", n, 256/maxCodes-1)
	}
}

// TestChangeDuringDecoding changes code back while it is decoded. The window ends, and nothing is kept.
func TestChangeDuringDecoding(t *testing.T) {
	code := writableCode(t, []byte{0x90, 0x31, 0xc0, 0xf4}) // NOP; XORL AX, AX; HLT
	c, m := newMachine()
	built := slices.Clone(code)
	c.Texts[0] = Text{address(&code[0]), address(&code[0]) + uint64(len(code)), address(&built[0])}
	var got []uint64
	m.Act = func(m *Machine, e uint64) { got = append(got, e) }
	back := true
	c.Actions = func(pc uint64, a *Actions) bool {
		if a.At = 1; a.Changed {
			if a.At = 2; back {
				copy(code, built)
			}
		}
		return true
	}
	for _, test := range []struct {
		back   bool
		code   byte
		why    Stop
		events []uint64
	}{
		{true, 0xf9, Breakpoint, nil}, // STC
		{true, 0x90, Unknown, []uint64{1, 1}},
		{false, 0xf9, Unknown, []uint64{2, 1}},
	} {
		back, code[0], got = test.back, test.code, nil
		m.Reset(address(&code[0]), 0)
		if why := m.Run(10); why != test.why || !slices.Equal(got, test.events) {
			t.Errorf("%+v: %v, events %v", test, why, got)
		}
	}
}

// TestEndThatChanges changes the second byte of an instruction that ends windows.
func TestEndThatChanges(t *testing.T) {
	code := writableCode(t, []byte{0x90, 0x0f, 0x0b, 0xc0, 0xf4}) // NOP; UD2
	c, m := newMachine()
	c.Texts[0] = Text{address(&code[0]), address(&code[0]) + uint64(len(code)), 0}
	for range 2 {
		for b, want := range map[byte]Stop{0x0b: Undefined, 0x1f: Unknown} { // NOP with an operand, HLT
			code[2] = b
			m.Reset(address(&code[0]), 0)
			if why := m.Run(10); why != want {
				t.Errorf("%#x: %v, want %v", b, why, want)
			}
		}
	}
}

// TestUnreadableCode takes the right to read code that was decoded. To compare it is a fault, which ends the window as
// all faults do, and later windows are as before.
func TestUnreadableCode(t *testing.T) {
	code := writableCode(t, []byte{0x90, 0x31, 0xc0, 0xf4}) // NOP; XORL AX, AX; HLT
	c, m := newMachine()
	c.Texts[0] = Text{address(&code[0]), address(&code[0]) + uint64(len(code)), 0}
	page := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&code[0]), -int(address(&code[0])%4096))), 4096)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	run := func() (fault any) {
		defer func() { fault = recover() }()
		m.Reset(address(&code[0]), 0)
		if why := m.Run(10); why != Unknown || m.Steps != 2 {
			t.Errorf("%v after %d steps, want %v after 2", why, m.Steps, Unknown)
		}
		return nil
	}
	for _, prot := range []int{syscall.PROT_READ, syscall.PROT_NONE, syscall.PROT_READ} {
		if err := syscall.Mprotect(page, prot); err != nil {
			t.Fatal(err)
		}
		if fault := run(); (fault != nil) != (prot == syscall.PROT_NONE) {
			t.Errorf("with rights %d: %v", prot, fault)
		}
	}
	if m.Leave(); c.users != 0 {
		t.Errorf("%d machines have not left", c.users)
	}
}

// TestCodeThatOthersChange has threads take windows while another one changes one byte of a block, again and again.
// Each window goes through a block once at most, so it sees one of two values. Afterwards windows see the last one.
func TestCodeThatOthersChange(t *testing.T) {
	times := 40
	if testing.Short() {
		times = 4
	}
	r := rand.New(rand.NewPCG(1, 9))
	z := newChanging(t, r, 200)
	c, _ := newMachine()
	c.Actions, c.Texts[0] = events, z.text()
	var machines [4]*Machine
	for i := range machines {
		machines[i] = new(Machine)
		machines[i].Init(c)
		machines[i].Act = func(*Machine, uint64) {}
	}
	run := func(m *Machine, from int, ax uint64) uint64 {
		m.R[rAX] = ax
		m.Reset(address(&z.memory[from*mazeBlockSize]), 0)
		if why := m.Run(1 << 20); why != Unknown {
			t.Errorf("the window ends by %v", why)
		}
		return m.R[rAX]
	}
	for range times {
		i, values := r.IntN(len(z.blocks)), [2]byte{byte(r.Uint32()), byte(r.Uint32())}
		from, ax := r.IntN(i+1), r.Uint64()
		var want [2]uint64
		for k, v := range values {
			z.blocks[i].a = v
			want[k], _ = z.follow(from, ax)
		}
		z.memory[i*mazeBlockSize+2] = values[0]
		var end atomic.Bool
		var wg, patching sync.WaitGroup
		patching.Go(func() {
			for !end.Load() {
				for _, v := range values {
					z.memory[i*mazeBlockSize+2] = v
				}
				runtime.Gosched()
			}
		})
		for _, m := range machines {
			wg.Go(func() {
				for range 200 {
					if got := run(m, from, ax); got != want[0] && got != want[1] {
						t.Errorf("AX is %#x, want one of %#x", got, want)
					}
				}
			})
		}
		wg.Wait()
		end.Store(true)
		patching.Wait()
		for _, m := range machines {
			if got := run(m, from, ax); got != want[1] {
				t.Errorf("afterwards AX is %#x, want %#x", got, want[1])
			}
		}
	}
}

// selfChanging adds 3 to AX, stores CX over that 3, decrements CX, and so on: 3, 4, 3 and 2. It leaves the sum behind
// its last instruction.
var selfChanging = []byte{
	0x31, 0xc0, // XORL AX, AX
	0xb9, 4, 0, 0, 0, // MOVL $4, CX
	0x48, 0x83, 0xc0, 3, // 7: ADDQ $3, AX
	0x88, 0x0d, 0xf9, 0xff, 0xff, 0xff, // 11: MOVB CL, the 3
	0xff, 0xc9, // 17: DECL CX
	0x75, 0xf2, // 19: JNE 7
	0x48, 0x89, 0x05, 1, 0, 0, 0, // 21: MOVQ AX, 29
	0xc3, // 28: RET
	0, 0, 0, 0, 0, 0, 0, 0,
}

// TestSelfChangingCode interprets code that changes itself, and has the processor execute it. A window ends at the
// store if that is to a text; otherwise the new code is interpreted.
func TestSelfChangingCode(t *testing.T) {
	z := writableCode(t, selfChanging)
	pc, result := address(&z[0]), (*uint64)(unsafe.Pointer(&z[29]))
	run := func(text Text) (Stop, *Machine) {
		c, m := newMachine()
		c.Texts[0] = text
		stack, end := make([]uint64, 8), []byte{0xcc}
		stack[4] = address(&end[0])
		m.R[rSP] = uint64(uintptr(unsafe.Pointer(&stack[4])))
		m.Reset(pc, 0)
		why := m.Run(1000)
		runtime.KeepAlive(stack)
		return why, m
	}
	if why, m := run(Text{pc, pc + uint64(len(z)), 0}); why != Patch || m.PC-pc > 11 {
		t.Errorf("in a text: %v at %d, want %v at 11 at most", why, m.PC-pc, Patch)
	}
	_, m := run(Text{})
	got, _ := m.Load(pc+29, 8)
	if !slices.Equal(z, selfChanging) {
		t.Fatal("the window has changed the code")
	}
	entry := &z[0]
	f := &entry
	(*(*func())(unsafe.Pointer(&f)))()
	if got != *result || got != 12 || m.R[rAX] != got {
		t.Errorf("the sum is %d, the processor has %d", got, *result)
	}
}
