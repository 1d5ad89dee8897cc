// Command handler interprets a window at each tick of CPU time, in the signal handler, while it works. It prints what its
// work computed, which must not depend on windows, and how the windows ended.
//
//	handler on 600      // 600 rounds with windows, or
//	handler off 600     // without
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

	"github.com/pepgo/pep/runtime/interp"
)

func addresses() (entry, restore, fault, stub uintptr)
func cpuid(leaf, sub uint32) (a, b, c, d uint32)
func rdtsc() uint64

var (
	zeroG    [64]uint64
	tickCode uintptr
	tickSP   uintptr // of the handler that has the machine
	former   uintptr // the runtime's handler of SIGSEGV
	faults   int
	stubPC   uint64

	index  uint64          // of the window
	cycles [1 << 16]uint64 // that windows took, with entry and exit
	length [1 << 16]uint32 // instructions

	lock    uint32
	code    interp.Code
	machine *interp.Machine
	offsets [8]uintptr // of components of the signal frame's vector registers
	reasons [interp.NStops]int
	windows int
	busy    int
	steps   int
	pcs     [interp.NStops]uint64
)

// tick runs on the signal stack.
func tick(context, fs, tsc uintptr) {
	if !atomic.CompareAndSwapUint32(&lock, 0, 1) {
		busy++
		return
	}
	at := func(p uintptr) uint64 { return *(*uint64)(unsafe.Add(unsafe.Pointer(nil), p)) }
	m := machine
	regs := context + 40
	for i, place := range [16]uintptr{13, 14, 12, 11, 15, 10, 9, 8, 0, 1, 2, 3, 4, 5, 6, 7} {
		m.R[i] = at(regs + 8*place)
	}
	area := uintptr(at(regs + 8*23))
	present := at(area + 512)
	for i := range 32 {
		v := &m.Vectors[i]
		for j := range v {
			v[j] = 0
		}
		if i >= 16 {
			if present>>7&1 != 0 && offsets[7] != 0 {
				for j := range v {
					v[j] = at(area + offsets[7] + uintptr(64*(i-16)+8*j))
				}
			}
			continue
		}
		if present>>1&1 != 0 {
			v[0], v[1] = at(area+160+16*uintptr(i)), at(area+168+16*uintptr(i))
		}
		if present>>2&1 != 0 {
			v[2], v[3] = at(area+offsets[2]+16*uintptr(i)), at(area+offsets[2]+16*uintptr(i)+8)
		}
		if present>>6&1 != 0 && offsets[6] != 0 {
			for j := range 4 {
				v[4+j] = at(area + offsets[6] + uintptr(32*i+8*j))
			}
		}
	}
	masks := m.Masks()
	for i := range masks {
		masks[i] = 0
		if present>>5&1 != 0 && offsets[5] != 0 {
			masks[i] = at(area + offsets[5] + 8*uintptr(i))
		}
	}
	m.MXCSR = *(*uint32)(unsafe.Add(unsafe.Pointer(nil), area+24))
	m.SetSegments(uint64(fs), 0)
	m.TSC = uint64(tsc)
	pc := at(regs + 8*16)
	if windows%8 == 7 {
		pc = stubPC
	}
	m.Reset(pc, at(regs+8*17))
	if g := at(fs - 8); g > 4096 { // no preemption
		m.Store(g+16, at(uintptr(g))+928, 8)
	}
	windows++
	why := m.Run(6000)
	index = uint64(windows-1) % uint64(len(cycles))
	length[index] = uint32(m.Steps)
	reasons[why]++
	steps += m.Steps
	pcs[why] = m.PC
	atomic.StoreUint32(&lock, 0)
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

func start() {
	for i := range offsets {
		if i >= 2 {
			_, b, _, _ := cpuid(0xd, uint32(i))
			offsets[i] = uintptr(b)
		}
	}
	const size = 16 << 20
	memory, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	code.Init(unsafe.Pointer(&memory[0]), size)
	machine = new(interp.Machine)
	machine.Init(&code)
	f := tick
	tickCode = **(**uintptr)(unsafe.Pointer(&f))
	entry, restore, fault, stub := addresses()
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

func main() {
	on := os.Args[1] == "on"
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	if on {
		if !fsgsbase() {
			fmt.Println("no RDFSBASE")
			return
		}
		start()
	}
	t0, c0 := time.Now(), rdtsc()
	var wg sync.WaitGroup
	var total atomic.Int64
	for i := range 4 {
		wg.Go(func() {
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
		var per, all []float64
		for i := range min(windows, len(cycles)) {
			t := float64(cycles[i]) * ns / elapsed
			all = append(all, t/1000)
			if length[i] > 3000 {
				per = append(per, t/float64(length[i]))
			}
		}
		sort.Float64s(per)
		sort.Float64s(all)
		q := func(x []float64, p int) float64 { return x[len(x)*p/100] }
		fmt.Println("faults", faults)
		fmt.Printf("windows %d, busy %d, instructions %d; us a window: 10%% %.1f, median %.1f, 90%% %.1f; ns an instruction of long ones: %.2f %.2f %.2f; decoded %d, %d bytes\n",
			windows, busy, steps/windows, q(all, 10), q(all, 50), q(all, 90), q(per, 10), q(per, 50), q(per, 90), code.Decoded(), code.Used())
		for why, n := range reasons {
			if n > 0 {
				fmt.Printf("%v: %d", interp.Stop(why), n)
				if f := runtime.FuncForPC(uintptr(pcs[why])); f != nil {
					fmt.Printf(" (%s %#x)", f.Name(), pcs[why])
				}
				fmt.Println()
			}
		}
	}
}
