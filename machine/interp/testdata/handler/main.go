// Command handler interprets a window at each tick of CPU time, in the signal handler, while it works. It prints what its
// work computed, which must not depend on windows, and how the windows ended.
//
//	handler on 600      // 600 rounds with windows, or
//	handler off 600     // without, or
//	handler clock 600   // with windows, of a program that looks at the clock all the time, or
//	handler small 600   // with little memory for decoded code, and ticks of all threads at once
//	handler vdso        // to look at the clock where a system call for that would kill
package main

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/pepgo/pep/machine/interp"
	"github.com/pepgo/pep/runtime/sys"
	"github.com/pepgo/pep/runtime/window"
)

func addresses() (entry, restore, fault, stub, now uintptr)

var (
	zeroG      [64]uint64
	tickCode   uintptr
	giveUpCode uintptr
	former     uintptr // the runtime's handler of SIGSEGV
	stubPC     uint64
	nowCode    uintptr
	rdtsc      func() uint64 // a call of the assembly function by its name would load the thread's g
	vectors    window.Layout

	code    interp.Code // of all slots but the last
	newCode interp.Code // of the last slot, whose windows see all code for the first time
	slots   [newcomer + 1]slot
	sps     [newcomer + 1]uintptr // the stack pointers of handlers that have slots

	windows int64
	busy    int64
	cycles  [1<<16 + 1]uint64 // that windows took, with entry and exit; the last entry is no window's
	timed   [1 << 16]timing
)

// A slot is what a window needs.
type slot struct {
	lock    uint32
	faults  int
	steps   int
	reasons [interp.NStops]int
	pcs     [interp.NStops]uint64
	machine *interp.Machine
}

const newcomer = 4 // the last slot

// A timing says how long a window took, with the copies of registers.
type timing struct {
	kind   kind
	steps  uint32
	cycles uint64
}

// A kind is what the processor's caches and the decoded code are like when a window begins.
type kind uint8

const (
	native kind = iota // the program has run for a while
	first              // so it has, and all code is new
	warm               // the same window was interpreted just now
	fault              // not of the program: it ends at once
)

// Of eight windows that follow each other.
var kinds = [8]kind{native, first, native, warm, native, native, native, fault}

func at(p uintptr) uint64 { return *(*uint64)(unsafe.Add(unsafe.Pointer(nil), p)) }

// take returns a slot that nobody has from here to there, or -1.
func take(from, to int, sp uintptr) int {
	for i := from; i < to; i++ {
		if atomic.CompareAndSwapUint32(&slots[i].lock, 0, 1) {
			sps[i] = sp
			return i
		}
	}
	return -1
}

func give(i int) {
	sps[i] = 0
	atomic.StoreUint32(&slots[i].lock, 0)
}

// tick runs on the signal stack.
func tick(context, fs, tsc, sp uintptr) {
	index := (*int64)(unsafe.Add(unsafe.Pointer(nil), sp+48))
	*index = int64(len(cycles) - 1)
	i := take(0, newcomer, sp)
	if i < 0 {
		atomic.AddInt64(&busy, 1)
		return
	}
	n := atomic.AddInt64(&windows, 1) - 1
	k := kinds[n%8]
	if k == first {
		give(i)
		if i = take(newcomer, newcomer+1, sp); i < 0 {
			atomic.AddInt64(&busy, 1)
			return
		}
		newCode.Clear()
	}
	n %= int64(len(timed))
	*index = n
	s := &slots[i]
	m := s.machine
	begin := rdtsc()
	set(m, context, fs, tsc)
	if k == fault {
		m.PC = stubPC
	}
	why := m.Run(6000)
	if k == warm {
		begin = rdtsc()
		set(m, context, fs, tsc)
		why = m.Run(6000)
	}
	timed[n] = timing{k, uint32(m.Steps), rdtsc() - begin}
	s.reasons[why]++
	s.pcs[why] = m.PC
	s.steps += m.Steps
	give(i)
}

// giveUp ends the window of the handler with this stack pointer, after a fault.
func giveUp(sp uintptr) {
	for i := range sps {
		if sps[i] == sp {
			slots[i].machine.Leave()
			slots[i].faults++
			give(i)
			return
		}
	}
}

// set begins a window of the thread that was interrupted.
func set(m *interp.Machine, context, fs, tsc uintptr) {
	vectors.Load(m, context, uint64(fs))
	m.TSC = uint64(tsc)
	if g := at(fs - 8); g > 4096 { // no preemption
		m.Store(g+16, at(uintptr(g))+928, 8)
	}
}

// fsgsbase reports whether the kernel lets programs read the base of FS.
func fsgsbase() bool {
	const hwcap2, bit = 26, 2
	data, _ := os.ReadFile("/proc/self/auxv")
	for ; len(data) >= 16; data = data[16:] {
		if binary.LittleEndian.Uint64(data) == hwcap2 {
			return binary.LittleEndian.Uint64(data[8:])&bit != 0
		}
	}
	return false
}

type sigaction struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

func start(size uintptr) {
	vectors = window.NewLayout(sys.CPUID)
	begin(&code, size)
	begin(&newCode, 1<<20)
	for i := range slots {
		slots[i].machine = new(interp.Machine)
		slots[i].machine.Init(&code)
	}
	slots[newcomer].machine.Init(&newCode)
	f, g := tick, giveUp
	tickCode, giveUpCode = **(**uintptr)(unsafe.Pointer(&f)), **(**uintptr)(unsafe.Pointer(&g))
	entry, restore, fault, stub, _ := addresses()
	stubPC = uint64(stub)
	const onStack, info, restorer, restart = 0x08000000, 4, 0x04000000, 0x10000000
	sa := sigaction{entry, onStack | info | restorer | restart, restore, ^uint64(1<<(syscall.SIGSEGV-1) | 1<<(syscall.SIGBUS-1))}
	install := func(sig syscall.Signal, sa, old *sigaction) {
		if _, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(sa)), uintptr(unsafe.Pointer(old)), 8, 0, 0); e != 0 {
			panic(e)
		}
	}
	install(syscall.SIGPROF, &sa, nil)
	var old sigaction
	install(syscall.SIGSEGV, nil, &old)
	former = old.handler
	sa = old
	sa.handler = fault
	install(syscall.SIGSEGV, &sa, nil)
	tv := [4]int64{0, 10000, 0, 10000}
	if _, _, e := syscall.RawSyscall(syscall.SYS_SETITIMER, 2, uintptr(unsafe.Pointer(&tv)), 0); e != 0 {
		panic(e)
	}
}

// begin gives code so much memory.
func begin(c *interp.Code, size uintptr) {
	memory, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	c.Init(unsafe.Pointer(&memory[0]), size)
	c.Texts[0], c.Texts[1] = text(os.Args[0]), text("[vdso]")
}

// pester sends a tick to each thread, again and again.
func pester() {
	for {
		tasks, _ := os.ReadDir("/proc/self/task")
		for _, task := range tasks {
			if tid, err := strconv.Atoi(task.Name()); err == nil {
				syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(os.Getpid()), uintptr(tid), uintptr(syscall.SIGPROF))
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// text returns where the code of a mapped file is.
func text(name string) (t interp.Text) {
	maps, _ := os.ReadFile("/proc/self/maps")
	for line := range strings.Lines(string(maps)) {
		var low, high uint64
		var rights string
		_, err := fmt.Sscanf(line, "%x-%x %s", &low, &high, &rights)
		if err == nil && rights == "r-xp" && strings.HasSuffix(line, name+"\n") {
			return interp.Text{Low: low, High: high}
		}
	}
	panic("no code of " + name)
}

// look looks at the clock after each hundred instructions or so.
func look(rounds int) (sum int) {
	before := time.Now()
	for i := range rounds * 20000 {
		for j := range 20 {
			sum = sum*31 + i ^ j
		}
		now := time.Now()
		if now.Before(before) {
			panic("time goes back")
		}
		before = now
	}
	return sum
}

type record struct {
	Name  string
	Tags  []string
	Score float64
	Sub   map[string]int
}

// work computes a number.
func work(round int) (sum int) {
	var list []record
	for i := range 300 {
		list = append(list, record{fmt.Sprint("name ", i*round), strings.Fields("some tags of it"), float64(i) / 7, map[string]int{"a": i, "b": round}})
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	var back []record
	if err := json.Unmarshal(text, &back); err != nil {
		panic(err)
	}
	sort.Slice(back, func(i, j int) bool { return back[i].Name < back[j].Name })
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 6)
	w.Write(text)
	w.Close()
	data, _ := io.ReadAll(flate.NewReader(&b))
	for i, c := range data {
		sum += int(c) * i
	}
	for _, r := range back {
		sum += len(r.Name) + int(r.Score*100)
	}
	if time.Now().IsZero() {
		sum++
	}
	return sum
}

// vdso looks at the clock, and dies if that takes a system call.
func vdso() {
	const noNewPrivs, setSeccomp, filter, clockGettime, kill, allow = 38, 22, 2, 228, 0x80000000, 0x7fff0000
	program := []syscall.SockFilter{{Code: 0x20}, {Code: 0x15, Jf: 1, K: clockGettime}, {Code: 6, K: kill}, {Code: 6, K: allow}}
	f := syscall.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	runtime.LockOSThread()
	syscall.RawSyscall(syscall.SYS_PRCTL, noNewPrivs, 1, 0)
	if _, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, setSeccomp, filter, uintptr(unsafe.Pointer(&f))); e != 0 {
		panic(e)
	}
	time.Now()
}

func main() {
	if os.Args[1] == "vdso" {
		vdso()
		return
	}
	on, clock := os.Args[1] != "off", os.Args[1] == "clock"
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	_, _, _, _, nowCode = addresses()
	p := &nowCode
	rdtsc = *(*func() uint64)(unsafe.Pointer(&p))
	if on {
		if !fsgsbase() {
			fmt.Println("no RDFSBASE")
			return
		}
		runtime.GOMAXPROCS(4) // so that there are windows at once, also on few processors
		size := uintptr(16 << 20)
		if os.Args[1] == "small" {
			size = 1 << 18
		}
		start(size)
		if os.Args[1] == "small" {
			go pester()
		}
	}
	t0, c0 := time.Now(), rdtsc()
	var wg sync.WaitGroup
	var total atomic.Int64
	for i := range 4 {
		wg.Go(func() {
			if clock {
				total.Add(int64(look(rounds)))
				return
			}
			for round := range rounds {
				total.Add(int64(work(round%60*4 + i)))
			}
		})
	}
	wg.Wait()
	func() {
		defer func() { fmt.Println(recover()) }()
		var p *record
		fmt.Println(p.Name) // the runtime's handler still works
	}()
	ns, elapsed := float64(time.Since(t0)), float64(rdtsc()-c0)
	fmt.Println("sum", total.Load())
	if on {
		var all []float64
		per := map[kind][]float64{}
		for i := range min(int(windows), len(timed)) {
			x := timed[i]
			if x.steps > 0 && x.kind == native {
				all = append(all, float64(cycles[i])*ns/elapsed/1000)
			}
			if x.steps > 3000 {
				per[x.kind] = append(per[x.kind], float64(x.cycles)*ns/elapsed/float64(x.steps))
			}
		}
		quantiles := func(x []float64) string {
			if len(x) == 0 {
				return "none"
			}
			sort.Float64s(x)
			q := func(p int) float64 { return x[len(x)*p/100] }
			return fmt.Sprintf("%.2f (10%% %.2f, 90%% %.2f, of %d)", q(50), q(10), q(90), len(x))
		}
		var sum slot
		used := 0
		for i := range slots {
			s := &slots[i]
			sum.faults += s.faults
			sum.steps += s.steps
			for why, n := range s.reasons {
				if n > 0 {
					sum.reasons[why], sum.pcs[why] = sum.reasons[why]+n, s.pcs[why]
				}
			}
			if s.steps > 0 {
				used++
			}
		}
		fmt.Println("faults", sum.faults)
		fmt.Printf("windows %d, %d slots, busy %d, instructions %d, decoded %d, %d bytes, emptied %d\n",
			windows, used, busy, sum.steps/max(int(windows), 1), code.Decoded(), code.Used(), code.Emptied())
		fmt.Printf("us in the handler: %s\nns an instruction of long windows: warm %s, after native work %s, first sight %s\n",
			quantiles(all), quantiles(per[warm]), quantiles(per[native]), quantiles(per[first]))
		for why, n := range sum.reasons {
			if n > 0 {
				fmt.Printf("%v: %d", interp.Stop(why), n)
				if f := runtime.FuncForPC(uintptr(sum.pcs[why])); f != nil {
					fmt.Printf(" (%s %#x)", f.Name(), sum.pcs[why])
				}
				fmt.Println()
			}
		}
	}
}
