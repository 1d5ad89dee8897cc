// Command registers keeps known values in all registers. It prints "ready", waits for a line, prints the
// values, and then executes for ever a loop that changes none of them:
//
//	AX 0x1…       the registers, by the names that Go's assembler has for them; R13 is the goroutine
//	top 0x1…      the word at SP
//	behind 0x1…   the word at BP+8
//
// Its argument is the number of the flags, of which the loop has the arithmetic ones all the time.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

// Values have what the assembly loads into registers and finds in them.
var values struct {
	ax, cx, dx, bx, si, di, r8, r9, r10, r11, r12, r14, r15 uint64

	flags       uint64
	frame       [2]uint64 // BP is its address
	bp          uint64
	g, sp, top  uint64
	ready, sink uint64
}

// loop does not return.
func loop()

func main() {
	flags, err := strconv.ParseUint(os.Args[1], 0, 64)
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	v := &values
	// Every byte of a register differs from that of another register, and from its other bytes.
	for i, p := range []*uint64{&v.ax, &v.cx, &v.dx, &v.bx, &v.si, &v.di, &v.r8, &v.r9, &v.r10, &v.r11, &v.r12, &v.r14, &v.r15, &v.frame[1]} {
		*p = 0x8070605040302010 + uint64(i)*0x0101010101010101
	}
	v.flags = flags
	fmt.Println("ready")
	os.Stdin.Read(make([]byte, 1))
	go func() {
		for atomic.LoadUint64(&v.ready) == 0 {
		}
		for _, r := range []struct {
			name  string
			value uint64
		}{
			{"AX", v.ax}, {"CX", v.cx}, {"DX", v.dx}, {"BX", v.bx}, {"SP", v.sp}, {"BP", v.bp}, {"SI", v.si}, {"DI", v.di}, {"R8", v.r8}, {"R9", v.r9},
			{"R10", v.r10}, {"R11", v.r11}, {"R12", v.r12}, {"R13", v.g}, {"R14", v.r14}, {"R15", v.r15}, {"top", v.top}, {"behind", v.frame[1]},
		} {
			fmt.Printf("%s %#x\n", r.name, r.value)
		}
	}()
	loop()
}
