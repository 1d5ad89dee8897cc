package taps_test

// This file builds stacks from the entries and returns that programs report, and compares
// them with the stacks of the Go runtime.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/hwsim/tracetest"
)

// stacks are those of the goroutines, the outermost function first.
type stacks struct {
	goroutine uint64
	of        map[uint64][]string
	calls     map[uint64]string // function that the goroutine is about to call directly, "" if not known

	direct, entered int // entries behind a direct call, and of those the ones that it was of
}

func newStacks() *stacks { return &stacks{of: map[uint64][]string{}, calls: map[uint64]string{}} }

// event takes an event of the given tap. callee is the function that a call goes to.
func (s *stacks) event(tag tuple.Tag, word uint64, tap *wire.Tap, callee string) error {
	if tag == tuple.Goroutine {
		s.goroutine = word
		return nil
	}
	g, name := s.goroutine, strings.ReplaceAll(tap.Func, "[...]", "")
	if tag == tuple.Enter {
		if call := s.calls[g]; strings.HasPrefix(call, "main.") { // others may call back first
			s.direct++
			if call == name {
				s.entered++
			}
		}
		delete(s.calls, g)
		s.of[g] = append(s.of[g], name)
		return nil
	}
	if strings.Contains(name, "-range") {
		return nil // bodies of loops over functions are not told of
	}
	// The function runs, so what it has called has ended, by a panic perhaps.
	i := len(s.of[g]) - 1
	for i >= 0 && s.of[g][i] != name {
		i--
	}
	if i < 0 {
		return fmt.Errorf("goroutine %d: %s in %s, which is not on the stack %s", g, tag, name, s.of[g])
	}
	s.of[g] = s.of[g][:i+1]
	delete(s.calls, g)
	switch tag {
	case tuple.Return:
		s.of[g] = s.of[g][:i]
	case tuple.Direct:
		s.calls[g] = callee
	}
	return nil
}

// eventsOf runs a program and calls do for each of its events, with the event's tap
// and the name of the function that its word is the address of. It returns what the
// program prints.
func eventsOf(t *testing.T, prog string, do func(e tuple.Tuple, tap *wire.Tap, callee string),
	args ...string) (stdout string) {
	t.Helper()
	return tracetest.Record(t, prog, args, func(r *trace.Reader, e tuple.Tuple) {
		_, tap := r.Sites.Tap(e.Site())
		if e.Tag() != tuple.Goroutine && (tap == nil || tap.Tag != uint8(e.Tag())) {
			t.Fatalf("the site table has %+v for tuple %#x", tap, e)
		}
		do(e, tap, strings.ReplaceAll(r.Names[trace.Word{Tag: e.Tag(), W: e.W}], "[...]", ""))
	})
}

// The stacks from entries and returns are equal to those of runtime.Callers wherever the
// program calls it: through recursion, interfaces, deferred calls, panics, runtime.Goexit,
// loops over functions, and goroutines that use the same chunk one after the other.
func TestStacksAreThoseOfTheRuntime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 10 s")
	}
	pepbuildtest.SkipUnlessLinux(t)
	for _, flags := range [][]string{{"-pepmode=taps"}, {"-pepmode=polls", "-peppkg=.,errors,fmt,sort,strings,sync"}} {
		dir := t.TempDir()
		text, err := os.ReadFile("testdata/stacks/main.go")
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"main.go": text, "go.mod": []byte("module stacks\n\ngo 1.26\n")} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		kinds := "-peptaps=args,directcalls,entries,returns,goroutines"
		prog := pepbuildtest.Program(t, dir, append(flags, kinds)...)
		s := newStacks()
		got := map[uint64]string{}
		stdout := eventsOf(t, prog, func(e tuple.Tuple, tap *wire.Tap, callee string) {
			if err := s.event(e.Tag(), e.W, tap, callee); err != nil {
				t.Fatal(err)
			}
			if e.Tag() == tuple.Arg && tap.Func == "main.checkpoint" {
				var ours []string
				for _, f := range s.of[s.goroutine] {
					if strings.HasPrefix(f, "main.") {
						ours = append(ours, f)
					}
				}
				got[e.W] = strings.Join(ours[:len(ours)-1], " ")
			}
		})
		if plain := plainOutput(t, dir); onlyResults(plain) != onlyResults(stdout) {
			t.Errorf("%s: output\n%s\nwant\n%s", flags, onlyResults(stdout), onlyResults(plain))
		}
		checkpoints := 0
		for line := range strings.Lines(stdout) {
			var n uint64
			if _, err := fmt.Sscan(line, &n); err != nil {
				continue
			}
			checkpoints++
			_, want, _ := strings.Cut(strings.TrimSpace(line), " ")
			if got[n] != want {
				t.Errorf("%s: checkpoint %d\ngot  %s\nwant %s", flags, n, got[n], want)
			}
		}
		if checkpoints < 300 || checkpoints != len(got) {
			t.Errorf("%s: %d checkpoints, and %d in the trace", flags, checkpoints, len(got))
		}
		if s.entered != s.direct || s.direct < 300 {
			t.Errorf("%s: %d of %d entries behind a direct call are of its callee", flags, s.entered, s.direct)
		}
		for g, stack := range s.of {
			if len(stack) > 0 && !slices.Contains(stack, "main.leaves") {
				t.Errorf("%s: goroutine %d ends within %s", flags, g, stack)
			}
		}
	}
}

// onlyResults leaves out the lines of checkpoints.
func onlyResults(stdout string) string {
	var kept []string
	for line := range strings.Lines(stdout) {
		if line[0] < '0' || line[0] > '9' {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// Calls and returns of whole programs balance.
func TestReturnsBalance(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	for name, pkgs := range map[string]string{"jsonbench": "encoding/json/...,.",
		"markdown": "github.com/yuin/goldmark/..."} {
		prog := pepbuildtest.Program(t, "../../testprogs/"+name, "-pepmode=taps", "-peppkg="+pkgs,
			"-peptaps=entries,returns,goroutines")
		s, events := newStacks(), 0
		eventsOf(t, prog, func(e tuple.Tuple, tap *wire.Tap, callee string) {
			events++
			if err := s.event(e.Tag(), e.W, tap, callee); err != nil {
				t.Fatalf("%s, event %d: %v", name, events, err)
			}
		}, "1")
		if events < 100_000 {
			t.Errorf("%s: %d events", name, events)
		}
		for g, stack := range s.of {
			if len(stack) > 0 {
				t.Errorf("%s: goroutine %d ends within %s", name, g, stack)
			}
		}
	}
}
