// The program changes its code while it runs, as libraries do that replace functions in tests. It prints how often what
// was called.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// price is replaced by a jump over its first bytes. A call of it takes as long as one of fake, so windows see them as often.
//
//go:noinline
func price(n int) int {
	for i := range 20 {
		n = n*n + i
	}
	return n & 7
}

// fake takes its place.
//
//go:noinline
func fake(n int) int {
	for i := range 20 {
		n = n*n - i
	}
	return n | -8
}

// one returns 3 if n is below the limit, and without the jump behind the comparison always.
//
//go:noinline
func one(n int) int {
	if n < limit {
		below++
		return 3
	}
	return 4
}

const limit = 0x12345678

var below int

// at returns the code of a function.
func at(f any, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(reflect.ValueOf(f).Pointer())), n)
}

// write changes code. Nobody executes it meanwhile.
func write(code, b []byte) {
	const page = 4096
	p := unsafe.Pointer(&code[0])
	text := unsafe.Slice((*byte)(unsafe.Add(p, -(int(uintptr(p))%page))), 2*page)
	for _, prot := range []int{syscall.PROT_READ | syscall.PROT_WRITE | syscall.PROT_EXEC, syscall.PROT_READ | syscall.PROT_EXEC} {
		if err := syscall.Mprotect(text, prot); err != nil {
			panic(err)
		}
		if prot&syscall.PROT_WRITE != 0 {
			copy(code, b)
		}
	}
}

// jump is MOVQ $to, R11; JMP R11.
func jump(to any) []byte {
	b := append([]byte{0x49, 0xbb}, make([]byte, 8)...)
	binary.LittleEndian.PutUint64(b[2:], uint64(reflect.ValueOf(to).Pointer()))
	return append(b, 0x41, 0xff, 0xe3)
}

// used returns the CPU time of the process.
func used() int64 {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return r.Utime.Nano() + r.Stime.Nano()
}

//go:noinline
func loop(n int) (negative int) {
	for i := range n {
		if price(i) < 0 {
			negative++
		}
	}
	return negative
}

// turns calls the function in its place, and as it was, in turn: twice as often and once, for times of random length.
// patch changes the code.
func turns(patch func(code, b []byte)) {
	code, j := at(price, 13), jump(fake)
	built := bytes.Clone(code)
	prices, fakes := 0, 0
	for end := used() + 1.2e9; used() < end; {
		n := 1_000 + rand.IntN(100_000)
		patch(code, j)
		fakes += loop(2 * n)
		patch(code, built)
		prices += n - loop(n)
	}
	fmt.Println(prices, fakes)
}

func main() {
	switch os.Args[1] {
	case "own": // thread
		turns(write)
	case "other": // thread
		work := make(chan [2][]byte)
		go func() {
			runtime.LockOSThread()
			for w := range work {
				write(w[0], w[1])
				work <- w
			}
		}()
		turns(func(code, b []byte) {
			work <- [2][]byte{code, b}
			<-work
		})
	case "always": // from the first line of its input to the second one
		write(at(price, 13), jump(fake))
		fmt.Println("ready")
		in := bufio.NewScanner(os.Stdin)
		in.Scan()
		var end atomic.Bool
		go func() {
			in.Scan()
			end.Store(true)
		}()
		calls, fakes := 0, 0
		for !end.Load() {
			calls += 1000
			fakes += loop(1000)
		}
		fmt.Println(calls == fakes)
	case "branch":
		code := at(one, 256)
		i := bytes.Index(code, binary.LittleEndian.AppendUint32(nil, limit)) + 4
		if i < 4 || code[i]&0xf0 != 0x70 {
			panic(fmt.Sprintf("no jump behind a comparison in % x", code))
		}
		write(code[i:], []byte{0x90, 0x90})
		sum := 0
		for end := used() + 0.6e9; used() < end; {
			for i := range 100_000 {
				sum |= one(limit + i)
			}
		}
		fmt.Println(sum)
	}
}
