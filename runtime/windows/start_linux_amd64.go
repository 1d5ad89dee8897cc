package windows

// This file prepares windows.

import (
	"unsafe"

	"github.com/pepgo/pep/format/actiontable"
	"github.com/pepgo/pep/format/register"
	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/runtime/callers"
	"github.com/pepgo/pep/runtime/follow"
	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/sitetables"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/window"
)

const (
	codeMemory = 16 << 20  // bytes for decoded code
	codeMapped = 512 << 10 // of these, mapped at once: to map them page by page took 6 % of the time of windows
	Longest    = 1 << 20   // cycles that a window takes, some 300 µs
)

// A Program is what windows know of the program.
type Program struct {
	Counts   pepfile.Table
	LabelsAt uintptr // offset of the labels in a g; 0 if not known
}

// Ready makes all that windows need, which note some values beside calls and types.
func Ready(p Program, noted uint32) (problem string) {
	counts, labelsAt = p.Counts, p.LabelsAt
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
		return "space for the code as it was built: mmap: " + e.Error()
	}
	decodedCode.Texts[0] = interp.Text{Low: uint64(callers.Text.Base), High: uint64(callers.Text.Base + callers.Text.Size),
		Built: uint64(built)}
	decodedCode.Texts[1] = vdso()
	vectors = window.NewLayout(sys.CPUID)
	fatalPCs = golink.FatalPCs()
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
			t.stacks.Init(k, follow.New(program.Ops(), program.Registers(),
				follow.Memory{Frames: m.frames[:], Regs: m.registers[:], Ends: m.ends[:]}))
		}
		actsOffset = uintptr(unsafe.Pointer(t.machine.Actions())) - uintptr(unsafe.Pointer(t))
	}
	return ""
}

// Addresses returns where the takers are, once windows are ready. Assembly of core sets their first word, sp.
func Addresses() (list [Takers]uintptr) {
	for i := range theTakers {
		list[i] = uintptr(unsafe.Pointer(&theTakers[i].sp))
	}
	return list
}

// builtText returns the address of the text as it was built, which the program may change. That is the text in the
// executable, mapped so that uprobes put no breakpoints there: they do so in private mappings only. If the executable
// cannot be read, as in a root without /proc, or has other code, as one that unpacks itself, it is a copy of what is
// there now.
func builtText() (at uintptr, e sys.Errno) {
	const page = 4096
	if offset, ok := sys.TextOffset(callers.Text.Base); ok {
		if fd, e := sys.Open("/proc/self/exe", sys.ORdonly); e == 0 {
			info, _ := sys.Fstat(fd)
			before := uintptr(offset % page)
			p, e := sys.Mmap(0, before+callers.Text.Size, sys.ProtRead, sys.MapShared, fd, uintptr(offset)-before)
			sys.Close(fd)
			if e == 0 && offset+uint64(callers.Text.Size) <= uint64(info.Size) && isText(uintptr(p)+before) {
				return uintptr(p) + before, 0
			}
		}
	}
	const more = 16 // that the interpreter may read
	p, e := sys.Mmap(0, callers.Text.Size+more, sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous, ^uintptr(0),
		0)
	if e == 0 {
		copy(unsafe.Slice((*byte)(p), callers.Text.Size),
			unsafe.Slice((*byte)(golink.At(callers.Text.Base)), callers.Text.Size))
	}
	return uintptr(p), e
}

// isText reports whether most words at an address are those at the beginning of the text, where there may be
// breakpoints.
func isText(at uintptr) bool {
	n, same := min(callers.Text.Size, 4096)/8, uintptr(0)
	for i := range n {
		if *(*uint64)(golink.At(at + 8*i)) == *(*uint64)(golink.At(callers.Text.Base + 8*i)) {
			same++
		}
	}
	return 2*same > n
}

// timeLoadCode is where timeLoad is. A variable of a function type that points to it calls it without what the Go
// compiler adds around assembly, which signal handlers may not execute.
var timeLoadCode uintptr

// timeLoadPC returns the address of timeLoad.
func timeLoadPC() (p uintptr)

// flushLine takes the line of an address out of all caches.
func flushLine(addr uintptr)

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

// measureLoads returns how many cycles a load from the nearest cache takes, by a timer of loads, and one from memory,
// of a line that was taken out of all caches before. The second is the median of 63. The first is more than all but
// three of 63 take: where the clock goes in steps, loads from the nearest cache take one of two times, often each of
// them half of the loads, so that chance would choose the median.
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
	base := sys.AuxValue(sysinfoEhdr)
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

// readProgram reads the table of actions.
func readProgram(m *memoryOfWindows) (problem string) {
	r, err := window.New(sitetables.Actions(), uint64(callers.Text.Base), m.rows[:], m.ops[:])
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
			return "PEPOPTS: values= is about what is in the table of values, and this program has none: build it with pepbuild build -pepvalues=all, or leave out the setting"
		}
		return ""
	}
	named := [...]struct {
		value uint32
		kind  valuetable.Kind
	}{{options.ValueLoads, valuetable.Load}, {options.ValueArgs, valuetable.Arg},
		{options.ValueResults, valuetable.Result}, {options.ValueAddresses, valuetable.Load}}
	kinds := uint32(1<<valuetable.Call | 1<<valuetable.Type | 1<<valuetable.Itab)
	for _, x := range named {
		if noted&x.value != 0 && x.value != options.ValueAddresses {
			kinds |= 1 << x.kind
		}
	}
	v, err := window.NewValues(sitetables.Values(), uint64(callers.Text.Base), kinds)
	if err != nil {
		return err.Error()
	}
	v.Addresses = noted&options.ValueAddresses != 0
	for _, x := range named {
		if noted&x.value != 0 && !v.Has(x.kind, memory) {
			return "PEPOPTS: values= asks for each " + x.kind.String() +
				", and the table of values of this program has none: build it with pepbuild build -pepvalues=all, or leave out the word"
		}
	}
	values = v
	return ""
}

// memoryOfWindows is neither on the heap nor a variable: the collector would look through all of it, and begin its
// cycles later, or earlier.
type memoryOfWindows struct {
	code   [codeMemory]byte // begins on a page
	rows   [1 << 17]actiontable.Row
	ops    [1 << 18]register.Op
	takers [Takers]Taker
}

// windowMemory returns all memory that windows need.
func windowMemory() (m *memoryOfWindows, problem string) {
	p, e := sys.Mmap(0, unsafe.Sizeof(*m), sys.ProtRead|sys.ProtWrite, sys.MapPrivate|sys.MapAnonymous|sys.MapNoreserve,
		^uintptr(0), 0)
	if e != 0 {
		return nil, "space for windows: mmap: " + e.Error()
	}
	return (*memoryOfWindows)(p), ""
}
