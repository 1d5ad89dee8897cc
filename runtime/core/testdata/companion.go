// Program companion does what could show it its companion, or disturb that.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"0pep/core"
)

// work is paths 64 … 67, as work of program loop.
//
//go:noinline
func work(n int) int {
	s := 0
	r := core.Number(65)
	for i := range n {
		if i&3 == 1 {
			s += i
		} else {
			s ^= i
			r++
		}
		core.Poll(r)
		r = 65
	}
	return s
}

// burn computes for 60 ms.
func burn() {
	for start := time.Now(); time.Since(start) < 60*time.Millisecond; {
		work(10_000)
	}
}

// files returns what is open.
func files() (list []string) {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// children says whether there are children to wait for, with some flags.
func children(flags int) {
	pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG|flags, nil)
	fmt.Println("children:", pid, err)
}

func main() {
	c := make(chan os.Signal, 10)
	signal.Notify(c, syscall.SIGCHLD)
	burn()
	switch os.Args[1] {
	case "look":
		fmt.Println("files:", files())
		children(0)
		fmt.Println("setsid:", syscall.Setpgid(0, 0))
	case "look for all":
		children(syscall.WALL)
		return
	case "close": // its standard error has another end, which must see that
		syscall.Close(2)
		fmt.Println("ready")
		os.Stdin.Read(make([]byte, 1))
		return
	case "close all":
		for fd := range 1024 {
			syscall.Close(fd)
		}
		os.Exit(3)
	case "exec":
		fmt.Println(core.Exec(syscall.Exec)(os.Args[2], []string{os.Args[2], "look for all"}, os.Environ()))
	case "exec fails":
		for range 3 {
			fmt.Println(core.Exec(syscall.Exec)("/nonexistent", nil, nil))
			children(0)
			burn()
		}
	case "wait", "wait as nobody":
		if os.Args[1] != "wait" {
			syscall.Setuid(65534)
		}
		fmt.Println("ready")
		time.Sleep(time.Minute)
	case "panic":
		panic("this is the end")
	}
	select {
	case s := <-c:
		fmt.Println(s)
	default:
	}
	fmt.Println("done")
}
