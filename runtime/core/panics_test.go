package core_test

// This file tests which paths count if a panic ends them, as docs/reference/profiles.md says.

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// begins returns where a path begins: "loop [35]".
func begins(s *profile.Sample) string {
	return fmt.Sprint(s.Label["from"][0], " ", s.NumLabel["from_line"])
}

// Each function is called twenty times with each n of 0, 1 and 2, and panics for some of them.
const panicking = `package main

import (
	"iter"
	"os"
	"runtime"
)

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

//go:noinline
func first(m map[string]int) { // panics for nil
	m["a"] = 1
}

//go:noinline
func caller(n int) { // calls a function that panics for 1 and 2
	if n > 0 {
		first(nil)
	}
}

//go:noinline
func deep(n int) int { // panics in the innermost of n+1 calls
	if n == 0 {
		var none []int
		n = none[n]
	}
	n = deep(n-1) + 1
	return n
}

//go:noinline
func again(n int) { // panics, and a deferred call calls it again, n times
	defer func() {
		recover()
		if n > 0 {
			again(n - 1)
		}
	}()
	first(nil)
}

//go:noinline
func generic[T any](list []T, n int) T { // panics for 1 and 2
	x := list[n]
	return x
}

func two() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < 2; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

//go:noinline
func over() (s int) { // panics in round 1 of a loop over a function
	for i := range two() {
		s += 10 / (i - 1)
	}
	return s
}

//go:noinline
func park(c chan bool) { // does not end before the program
	c <- true
	<-c
	c <- true
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
		try(func() { caller(n) })
		try(func() { deep(n) })
		try(func() { again(n) })
		try(func() { generic([]int{1}, n) })
		try(func() { generic([]string{"a"}, n) })
		try(func() { over() })
	}
	c := make(chan bool)
	go park(c)
	<-c
	os.Exit(0)
}
`

func TestExactPathsThatPanicsEnd(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), panicking)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module panicking\n\ngo 1.26\n")
	cmd := exec.Command(pepbuildtest.Program(t, dir, "-pepmode=exact"))
	cmd.Env = append(os.Environ(), "PEPDIR="+out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	got, unended := map[string]int64{}, map[string]int64{}
	for _, s := range pepbuildtest.Pprof(t, out, "paths").Sample {
		name := s.Location[1].Line[0].Function.Name + " from " + begins(s)
		if slices.Contains(s.Label["path"], "unended") {
			unended[name] += s.Value[0]
		} else {
			got[name] += s.Value[0]
		}
	}
	want := map[string]int64{
		"main.inReturn from entry []": 60,      // all returns begin
		"main.before from entry []":   40 + 40, // called by main and by inCall, less the panics
		"main.atEnd from entry []":    40,
		"main.explicit from entry []": 60,            // a panic is an end
		"main.rounds from entry []":   60,            // up to the loop
		"main.rounds from loop [35]":  0 + 20 + 2*20, // whole rounds
		"main.never from entry []":    40,
		"main.inCall from entry []":   60,
	}
	maps.DeleteFunc(got, func(name string, _ int64) bool { _, ok := want[name]; return !ok })
	if !maps.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	// Those above and these add up to all calls, and to all rounds of loops.
	want = map[string]int64{
		"main.before from entry []":       20 + 20,
		"main.atEnd from entry []":        20,
		"main.rounds from loop [35]":      60,
		"main.never from entry []":        20,
		"main.first from entry []":        40 + 120, // called by caller and by again
		"main.caller from entry []":       40,
		"main.deep from entry []":         20 * (1 + 2 + 3),
		"main.again from entry []":        20 * (1 + 2 + 3),
		"main.generic[...] from entry []": 40 + 40,
		"main.two.func1 from loop [94]":   60,
		"main.over-range1 from entry []":  60,
		"main.over from loop [104]":       60, // behind the loop
		"main.park from entry []":         1,
		"main.main from loop [129]":       1,
	}
	// The literals in main that call them.
	for i, n := range []int64{20, 20, 20, 20, 60, 20, 20, 40, 60, 0, 40, 40, 60} {
		if n > 0 {
			want[fmt.Sprintf("main.main.func%d from entry []", i+1)] = n
			want["main.try.func1 from entry []"] += n
		}
	}
	if d := cmp.Diff(want, unended); d != "" {
		t.Errorf("paths that have not ended (-want +got):\n%s", d)
	}
	inEdges := map[string]int64{}
	for _, s := range pepbuildtest.Pprof(t, out, "edges").Sample {
		if s.Label["path"] != nil {
			inEdges[s.Location[1].Line[0].Function.Name+" from "+begins(s)] += s.Value[0]
		}
	}
	if d := cmp.Diff(unended, inEdges); d != "" {
		t.Errorf("the profile of edges has others (-paths +edges):\n%s", d)
	}
}
