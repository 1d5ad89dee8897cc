// The program compares the base of segment FS, as the handler of ticks finds it where there is no instruction for that, with what
// the kernel says, on several threads, and computes without the instruction from then on.
package main

import (
	"fmt"
	"runtime"
	"sync"

	"example.com/segments/fs"
)

//go:noinline
func work(n int) (x int) {
	for i := range n * 1_000_000 {
		if i%3 == 0 {
			x++
		} else if i%5 == 0 {
			x += 2
		}
	}
	return x
}

func main() {
	fs.ForgetInstruction()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			runtime.LockOSThread()
			work(20)
			if got, want := fs.OfHandler(), fs.OfKernel(); got != want {
				fmt.Printf("FS is %#x, want %#x\n", got, want)
			}
		})
	}
	wg.Wait()
	fmt.Println("done")
}
