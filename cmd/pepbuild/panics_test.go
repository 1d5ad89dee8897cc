package main

// This file tests which paths count if a panic ends them, as docs/formats.md says.

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Each function is called twenty times with each n of 0, 1 and 2, and panics for some of them.
const panicking = `package main

import "runtime"

//go:noinline
func inReturn(n int) int { // panics for 1
	return 10 / (n - 1)
}

//go:noinline
func before(n int) int { // panics for 1, before the return
	x := 10 / (n - 1)
	return x + 1
}

//go:noinline
func atEnd(n int, p *int) { // panics for 1, without a return
	*p = 10 / (n - 1)
}

//go:noinline
func explicit(n int) int { // panics for 1
	if n == 1 {
		panic("one")
	}
	return n
}

//go:noinline
func rounds(n int) (s int) { // panics in round n, counted from 0
	for i := 0; i < 3; i++ {
		s += 10 / (n - i)
	}
	return s
}

//go:noinline
func never(n int) { // ends the goroutine for 1
	if n == 1 {
		runtime.Goexit()
	}
}

//go:noinline
func inCall(n int) int { // its return calls a function that panics for 1
	return before(n)
}

func try(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() { recover() }()
		f()
	}()
	<-done
}

func main() {
	var p int
	for i := range 60 {
		n := i % 3
		try(func() { inReturn(n) })
		try(func() { before(n) })
		try(func() { atEnd(n, &p) })
		try(func() { explicit(n) })
		try(func() { rounds(n) })
		try(func() { never(n) })
		try(func() { inCall(n) })
	}
}
`

func TestPathsThatPanicsEnd(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "main.go"), panicking)
	write(t, filepath.Join(dir, "go.mod"), "module panicking\n\ngo 1.26\n")
	cmd := exec.Command(build(t, dir, "-pepmode=exact"))
	cmd.Env = append(os.Environ(), "PEPDIR="+out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	got := map[string]int64{}
	for _, s := range readProfile(t, out, "paths").Sample {
		name := s.Location[1].Line[0].Function.Name + " from " + s.Label["from"][0]
		got[name] += s.Value[0]
	}
	want := map[string]int64{
		"main.inReturn from entry":         60,      // all returns begin
		"main.before from entry":           40 + 40, // called by main and by inCall, less the panics
		"main.atEnd from entry":            40,
		"main.explicit from entry":         60,            // a panic is an end
		"main.rounds from entry":           60,            // up to the loop
		"main.rounds from loop main.go:31": 0 + 20 + 2*20, // whole rounds
		"main.never from entry":            40,
		"main.inCall from entry":           60,
	}
	maps.DeleteFunc(got, func(name string, _ int64) bool { _, ok := want[name]; return !ok })
	if !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}
