package core

// This file prepares windows: see handler_window_linux_amd64.go.

import (
	"unsafe"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/runtime/follow"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/interp"
	"github.com/pepgo/pep/runtime/libc"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/sitetables"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/window"
)

const (
	codeMemory = 16 << 20  // bytes for decoded code
	codeMapped = 512 << 10 // of these, mapped at once: to map them page by page took 6 % of the time of windows
	longWindow = 1 << 20   // cycles: some 300 µs
)

// readyWindows makes all that windows need, which note some values beside calls and types.
func readyWindows(noted uint32) (problem string) {
	m, problem := windowMemory()
	if problem != "" {
		return problem
	}
	memory := &m.code
	if problem := readProgram(m); problem != "" {
		return problem
	}
	if problem := readValues(noted, &m.takers[0].noted.rows); problem != "" {
		return problem
	}
	const populateWrite = 23 // since Linux 5.14
	sys.Call(sys.NrMadvise, uintptr(unsafe.Pointer(&memory[0])), codeMapped, populateWrite, 0, 0, 0)
	decodedCode.Init(unsafe.Pointer(&memory[0]), codeMemory)
	decodedCode.Actions, decodedCode.OnEmpty = onDecode, program.Clear
	decodedCode.Fresh, decodedCode.Calls = freshSteps, true
	built, e := builtText()
	if e != 0 {
		return "room for the code as it was built: mmap: " + e.Error()
	}
	decodedCode.Texts[0] = interp.Text{Low: uint64(textBase), High: uint64(textBase + textSize), Built: uint64(built)}
	decodedCode.Texts[1] = vdso()
	vectors = window.NewLayout(sys.CPUID)
	findFS()
	thread, _ := libc.Calls()
	hasC = thread != 0
	fatalPCs = golink.FatalPCs()
	longest = longWindow
	timed, quick := loadTimer()
	counts.Windows.Near, counts.Windows.Memory = measureLoads(timed)
	theTakers = &m.takers
	for i := range theTakers {
		t := &theTakers[i]
		t.machine.Init(&decodedCode)
		t.machine.Act = onEvent
		t.machine.Notes = t.noted.memory[:]
		t.machine.Time, t.machine.Quick = timed, quick
		t.machine.Seed(counts.Start + uint64(i))
		for k := range t.followed {
			m := &t.followed[k]
			t.stacks.Init(k, follow.New(program.Ops(), program.Registers(), follow.Memory{Frames: m.frames[:], Regs: m.registers[:], Ends: m.ends[:]}))
		}
		takerAt[i] = uintptr(unsafe.Pointer(t))
		actsOffset = uintptr(unsafe.Pointer(t.machine.Actions())) - takerAt[i]
	}
	beginWindowCode, runWindowCode, endWindowCode = golink.CodeOf(beginWindow), golink.CodeOf(runWindow), golink.CodeOf(endWindow)
	return ""
}

// builtText returns the address of the text as it was built, which the program may change. That is the text in the
// executable, mapped so that uprobes put no breakpoints there: they do so in private mappings only. If the executable cannot
// be read, as in a root without /proc, or has other code, as one that unpacks itself, it is a copy of what is there now.
func builtText() (at uintptr, e sys.Errno) {
	const page = 4096
	if offset, ok := sys.TextOffset(textBase); ok {
		if fd, e := sys.Open("/proc/self/exe", sys.ORdonly); e == 0 {
			info, _ := sys.Fstat(fd)
			before := uintptr(offset % page)
			p, e := sys.Mmap(0, before+textSize, sys.ProtRead, sys.MapShared, fd, uintptr(offset)-before)
			sys.Close(fd)
			if e == 0 && offset+uint64(textSize) <= uint64(info.Size) && isText(uintptr(p)+before) {
				return uintptr(p) + before, 0
			}
		}
	}
	const more = 16 // that the interpreter may read
	p, e := sys.Mmap(0, textSize+more, sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous, ^uintptr(0), 0)
	if e == 0 {
		copy(unsafe.Slice((*byte)(p), textSize), unsafe.Slice((*byte)(golink.At(textBase)), textSize))
	}
	return uintptr(p), e
}

// isText reports whether most words at an address are those at the beginning of the text, where there may be breakpoints.
func isText(at uintptr) bool {
	n, same := min(textSize, 4096)/8, uintptr(0)
	for i := range n {
		if *(*uint64)(golink.At(at + 8*i)) == *(*uint64)(golink.At(textBase + 8*i)) {
			same++
		}
	}
	return 2*same > n
}

// timeLoadCode is where timeLoad is. A variable of a function type that points to it calls it without what the Go compiler
// adds around assembly, which signal handlers may not execute.
var timeLoadCode uintptr

// loadTimer returns timeLoad, and what it returns for a byte in the nearest cache.
func loadTimer() (timed func(addr uint64) uint64, quick uint64) {
	timeLoadCode = timeLoadPC()
	closure := &timeLoadCode
	timed, quick = *(*func(uint64) uint64)(unsafe.Pointer(&closure)), 1<<64-1
	for range 64 {
		quick = min(quick, timed(uint64(uintptr(unsafe.Pointer(closure)))))
	}
	return timed, quick
}

// measureLoads returns how many cycles a load from the nearest cache takes, by a timer of loads, and one from memory, of a
// line that was taken out of all caches before. The second is the median of 63. The first is more than all but three of 63
// take: where the clock goes in steps, loads from the nearest cache take one of two times, often each of them half of the
// loads, so that chance would choose the median.
func measureLoads(timed func(addr uint64) uint64) (near, memory uint64) {
	const n = 63
	var lines [128]byte // one of them has nothing else
	line := uintptr(unsafe.Pointer(&lines[63])) &^ 63
	for _, flush := range [...]bool{false, true} {
		var list [n]uint64 // sorted
		for k := range n {
			if flush {
				flushLine(line)
			}
			took, i := timed(uint64(line)), k
			for ; i > 0 && list[i-1] > took; i-- {
				list[i] = list[i-1]
			}
			list[i] = took
		}
		if flush {
			memory = list[n/2]
		} else {
			near = list[n-4]
		}
	}
	return near, memory
}

// vdso returns where the code is that the kernel gives to each process.
func vdso() (t interp.Text) {
	const sysinfoEhdr = 33
	base := auxv(sysinfoEhdr)
	if base == 0 {
		return t
	}
	type header struct {
		kind, flags                            uint32
		offset, vaddr, paddr, filesz, memsz, _ uint64
	}
	const phoff, phnum, load, executable = 32, 56, 1, 1
	p := golink.At(base + *(*uintptr)(golink.At(base + phoff)))
	for i := range uintptr(*(*uint16)(golink.At(base + phnum))) {
		if h := (*header)(unsafe.Add(p, i*unsafe.Sizeof(header{}))); h.kind == load && h.flags&executable != 0 {
			return interp.Text{Low: uint64(base) + h.vaddr, High: uint64(base) + h.vaddr + h.memsz}
		}
	}
	return t
}

// auxv returns a fact that the kernel gave the process.
func auxv(tag uintptr) uintptr {
	v := golink.Auxv()
	for i := 0; i+1 < len(v); i += 2 {
		if v[i] == tag {
			return v[i+1]
		}
	}
	return 0
}

// findFS finds out how to get at the base of segment FS without a system call, by that of this thread.
func findFS() {
	const hwcap2, fsgsbase, getFS = 26, 2, 0x1003
	readsFS = auxv(hwcap2)&fsgsbase != 0
	g := golink.CurrentG()
	base := segmentOf(g)
	if !readsFS {
		sys.Call(sys.NrArchPrctl, getFS, uintptr(unsafe.Pointer(&base)), 0, 0, 0, 0)
	}
	// In programs with C code, the first word is its own address, by the rules for such code on amd64. In others package runtime has set the
	// base to a field of the thread's m.
	selfFS = *(*uintptr)(golink.At(base)) == base
	const ofM = 48
	fsOfM = base - *(*uintptr)(golink.At(g + ofM))
}

// readProgram reads the table of actions.
func readProgram(m *memoryOfWindows) (problem string) {
	r, err := window.New(sitetables.Actions(), uint64(textBase), m.rows[:], m.ops[:])
	if err != nil {
		return err.Error()
	}
	program = r
	return ""
}

// readValues reads the table of values, if there is one.
func readValues(noted uint32, memory *window.ValueRows) (problem string) {
	if !sitetables.HasValues() {
		if noted != 0 {
			return "PEPOPTS: values= is about what is in the table of values, and this program has none: leave out the setting"
		}
		return ""
	}
	named := [...]struct {
		value uint32
		kind  valuetable.Kind
	}{{options.ValueLoads, valuetable.Load}, {options.ValueArgs, valuetable.Arg}, {options.ValueResults, valuetable.Result}}
	kinds := uint32(1<<valuetable.Call | 1<<valuetable.Type | 1<<valuetable.Itab)
	for _, x := range named {
		if noted&x.value != 0 {
			kinds |= 1 << x.kind
		}
	}
	v, err := window.NewValues(sitetables.Values(), uint64(textBase), kinds)
	if err != nil {
		return err.Error()
	}
	for _, x := range named {
		if noted&x.value != 0 && !v.Has(x.kind, memory) {
			return "PEPOPTS: values= asks for each " + x.kind.String() + ", and the table of values of this program has none: leave out the word"
		}
	}
	values = v
	return ""
}

// memoryOfWindows is neither on the heap nor a variable: the collector would look through all of it, and begin its cycles later, or
// earlier.
type memoryOfWindows struct {
	code   [codeMemory]byte // begins on a page
	rows   [1 << 17]actiontable.Row
	ops    [1 << 18]register.Op
	takers [takers]taker
}

// windowMemory returns all memory that windows need.
func windowMemory() (m *memoryOfWindows, problem string) {
	p, e := sys.Mmap(0, unsafe.Sizeof(*m), sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous|sys.MapNoreserve, ^uintptr(0), 0)
	if e != 0 {
		return nil, "room for windows: mmap: " + e.Error()
	}
	return (*memoryOfWindows)(p), ""
}
