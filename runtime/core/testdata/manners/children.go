package main

// This file starts processes while all threads compute.

import (
	"fmt"
	"os/exec"
	"sync/atomic"
	"syscall"
)

// busy calls f while two goroutines compute.
func busy(f func()) {
	var stop atomic.Bool
	for range 2 {
		go func() {
			for !stop.Load() {
				work(1)
			}
		}()
	}
	f()
	stop.Store(true)
}

// children starts processes as package os/exec does, which blocks all signals for the time that the child has the memory of
// the program.
func children() {
	for i := range 100 {
		out, err := exec.Command("/bin/echo", fmt.Sprint(i)).Output()
		if err != nil || string(out) != fmt.Sprintln(i) {
			fmt.Printf("%q, %v\n", out, err)
		}
	}
}

// How a child ends that child makes.
const (
	byKill = iota
	byExit
	byExec
)

// child makes a child by the system call vfork, or by clone if there are flags. The child has the memory of the program and
// all its handlers of signals, executes childWork, and ends.
func child(flags, how uintptr, path *byte, argv, envp **byte) (pid int)

var childSum int

// childWork takes about a millisecond, in children alone.
//
//go:nosplit
//go:noinline
func childWork() {
	x := 0
	for i := range 1_000_000 {
		if i%3 == 0 {
			x++
		} else if i%5 == 0 {
			x += 2
		}
	}
	childSum = x
}

// vforked starts processes that share the program's memory without a signal being blocked.
func vforked() {
	const cloneFlags = syscall.CLONE_VM | syscall.CLONE_VFORK | uintptr(syscall.SIGCHLD)
	shell := [...]*byte{bytesOf("/bin/sh"), bytesOf("-c"), bytesOf("exit 5"), nil}
	environment := [...]*byte{nil}
	want := [...]string{byKill: "killed", byExit: "exit 7", byExec: "exit 5"}
	for i := range 150 {
		how, flags := i%len(want), uintptr(0)
		if i%2 == 1 {
			flags = cloneFlags
		}
		pid := child(flags, uintptr(how), shell[0], &shell[0], &environment[0])
		var status syscall.WaitStatus
		for {
			if _, err := syscall.Wait4(pid, &status, 0, nil); err == nil {
				break
			} else if err != syscall.EINTR {
				fmt.Println(pid, err)
				return
			}
		}
		got := fmt.Sprint("exit ", status.ExitStatus())
		if status.Signaled() {
			got = status.Signal().String()
		}
		if got != want[how] {
			fmt.Printf("child %d: %s, want %s\n", i, got, want[how])
		}
	}
	fmt.Println("children", childSum)
}

func bytesOf(s string) *byte {
	p, err := syscall.BytePtrFromString(s)
	if err != nil {
		panic(err)
	}
	return p
}
