// Command interp interprets a program for a machine with registers. Its debugger can set
// breakpoints, and nobody ever does.
//
//	interp          # some seconds of work, then a checksum
//	interp forever
package main

import (
	"fmt"
	"os"
)

type instruction struct{ op, a, b, c uint8 }

const (
	set  = iota // a = b
	add         // a = b + c
	xor         // a = b ^ c
	mul         // a = b * c
	less        // the next instruction is executed only if a < b
	jump        // back by a instructions
	halt
)

type machine struct {
	code   []instruction
	reg    [8]uint64
	breaks []int // instructions to stop at
	at     int   // where it has stopped
}

// A linear congruential generator whose numbers are mixed, until there are as many as
// register 0 says.
var code = []instruction{
	{set, 1, 7, 0}, {set, 2, 7, 0}, // counter and sum are 0
	{mul, 3, 3, 4}, {add, 3, 3, 5},
	{xor, 2, 2, 3}, {add, 2, 2, 1},
	{add, 1, 1, 6}, {less, 1, 0, 0}, {jump, 6, 0, 0},
	{halt, 0, 0, 0},
}

func work(times uint64) uint64 {
	m := &machine{code: code}
	m.reg = [8]uint64{0: times, 3: 1, 4: 6364136223846793005, 5: 1442695040888963407, 6: 1}
	m.run()
	return m.reg[2]
}

func main() {
	fmt.Println("ready")
	for len(os.Args) > 1 {
		work(1 << 20)
	}
	sum := uint64(0)
	for range 20 {
		sum += work(1 << 20)
	}
	fmt.Println("interp", sum)
}
