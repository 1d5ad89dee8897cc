// Command format writes lists of numbers of all sizes. The base can be any of 2 to 36, and is always 10.
//
//	format          # some seconds of work, then a checksum
//	format forever
package main

import (
	"fmt"
	"hash/fnv"
	"os"
)

const digits = "0123456789abcdefghijklmnopqrstuvwxyz"

type writer struct {
	base uint64
	out  []byte
}

func work(times int) uint64 {
	w := &writer{base: 10}
	h := fnv.New64a()
	x := uint64(1)
	for range times {
		w.out = w.out[:0]
		for range 16 {
			x = x*6364136223846793005 + 1442695040888963407
			w.number(x >> (x >> 58))
			w.out = append(w.out, ' ')
		}
		h.Write(w.out)
	}
	return h.Sum64()
}

func main() {
	fmt.Println("ready")
	for len(os.Args) > 1 {
		work(1 << 12)
	}
	fmt.Println("format", work(300_000))
}
