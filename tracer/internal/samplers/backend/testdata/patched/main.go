// Command patched computes x ^ m again and again, where m is a part of an instruction. At each line of its standard input it
// changes the instruction, and prints when, in ns of the monotonic clock: before and behind the change, and the new m.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"reflect"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const built = 0x11111111

//go:noinline
func value(x uint32) uint32 { return x ^ built }

//go:noinline
func loop() (sum uint32) {
	for i := range uint32(1 << 14) {
		sum += value(i)
	}
	return sum
}

func now() int64 {
	var ts syscall.Timespec
	const monotonic = 1
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, monotonic, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano()
}

func main() {
	const page = 4096
	p := unsafe.Pointer(reflect.ValueOf(value).Pointer())
	code := unsafe.Slice((*byte)(p), 32)
	at := bytes.Index(code, []byte{0x11, 0x11, 0x11, 0x11})
	text := unsafe.Slice((*byte)(unsafe.Add(p, -(int(uintptr(p))%page))), 2*page)
	if err := syscall.Mprotect(text, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC); err != nil || at < 1 {
		panic(fmt.Sprint(err, " ", at))
	}
	var lines atomic.Int32
	go func() {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			lines.Add(1)
		}
		os.Exit(0)
	}()
	fmt.Println("ready")
	for done := int32(0); ; loop() {
		if done < lines.Load() {
			done++
			m, before := byte(done%3*0x11+0x11), now()
			for i := range 4 {
				code[at+i] = m
			}
			fmt.Println(before, now(), uint32(m)*0x01010101)
		}
	}
}
