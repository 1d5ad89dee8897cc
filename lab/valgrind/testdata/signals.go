//go:build ignore

// Command signals delivers signals to threads. Other threads run while a thread handles its
// signal.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

func main() {
	c := make(chan os.Signal, 100)
	signal.Notify(c, syscall.SIGUSR1)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 300000 {
				if i%1000 == 0 {
					syscall.Kill(os.Getpid(), syscall.SIGUSR1)
				}
			}
		})
	}
	wg.Wait()
	fmt.Println("done")
}
