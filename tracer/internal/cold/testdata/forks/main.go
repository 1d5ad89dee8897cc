// Command forks does for each line that it reads what the line says: fork makes a child that runs on in a copy of the
// memory, exec executes a program in place of this one, signal catches a signal, and grow uses much stack in many
// goroutines while the collector runs.
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
)

//go:noinline
func child(n int) (sum int) {
	for i := range n {
		if i%3 == 0 {
			sum += i
		} else {
			sum--
		}
	}
	return sum
}

func fork() int {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid, _, errno := syscall.RawSyscall(syscall.SYS_FORK, 0, 0, 0)
	if errno != 0 {
		panic(errno)
	}
	if pid == 0 { // other threads are not there, so nothing that waits for one may be called
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, uintptr(child(10)), 0, 0)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(int(pid), &status, 0, nil); err != nil {
		panic(err)
	}
	if !status.Exited() {
		return -1
	}
	return status.ExitStatus()
}

//go:noinline
func deep(n int) int {
	var room [64]int
	if n == 0 {
		return len(room)
	}
	room[n%64] = deep(n - 1)
	return room[n%64]
}

func grow() (sum int) {
	results := make(chan int, 10_000)
	var wg sync.WaitGroup
	for i := range cap(results) {
		wg.Go(func() { results <- deep(i % 100) })
		if i%1000 == 0 {
			runtime.GC()
		}
	}
	wg.Wait()
	close(results)
	for n := range results {
		sum += n
	}
	return sum
}

func catch() string {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	return (<-signals).String()
}

func main() {
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "fork":
			fmt.Println(fork())
		case "exec":
			if err := syscall.Exec("/bin/cat", []string{"cat"}, nil); err != nil {
				panic(err)
			}
		case "signal":
			fmt.Println(catch())
		case "grow":
			fmt.Println(grow())
		}
		fmt.Println("done")
	}
}
