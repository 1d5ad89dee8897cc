// Program polltaps polls at taps by hand, as pepbuild would, and ends as its
// argument says.
package main

import (
	"fmt"
	"os"
	"sync"
	"time"
	"unsafe"

	"0pep/core"
)

const tapBase = 0x7000_0000

// loads is taps 3 and 4: a[i], which is 0, 7, 14 or 21, and b[i&1], 0 or 200. Taps
// count from 1 here.
//
//go:noinline
func loads(a []int64, b []uint8) (sum int64) {
	for i := range a {
		core.PollTap(unsafe.Pointer(unsafe.Sizeof(0)*0+tapBase+3*16), unsafe.Pointer(unsafe.Sizeof(0)*0+tapBase), uint64(a[i]))
		sum += a[i]
		core.PollTap(unsafe.Pointer(unsafe.Sizeof(0)*0+tapBase+4*16), unsafe.Pointer(unsafe.Sizeof(0)*0+tapBase), uint64(b[i&1]))
		sum += int64(b[i&1])
	}
	return sum
}

func main() {
	a := make([]int64, 4000)
	want := int64(0)
	for i := range a {
		a[i] = int64(i % 4 * 7)
		want += a[i]
	}
	b := []uint8{0, 200}
	want += 2000 * 200
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for end := time.Now().Add(400 * time.Millisecond); time.Now().Before(end); {
				if got := loads(a, b); got != want {
					panic(fmt.Sprint("sum ", got, ", want ", want))
				}
			}
		})
	}
	wg.Wait()
	if os.Args[1] == "panic" {
		panic("this is the end")
	}
}
