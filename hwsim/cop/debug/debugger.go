package debug

// This file holds the debugger: when it stops, and how it goes on.

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/cop/machine"
	"github.com/pepgo/pep/internal/terminal"
)

// A debugger is the state of Debug.
type debugger struct {
	*Session
	in     *bufio.Scanner
	echo   bool
	breaks map[int]bool // addresses
	typed  []tuple.Tuple
	next   func() (tuple.Tuple, bool) // of the session's events

	goal   goal
	count  uint64 // what is left of the goal: steps, or events
	passed bool   // the breakpoint at this address has stopped the machine already
	quit   bool
}

// A goal says where the machine stops, besides breakpoints.
type goal uint8

const (
	here      goal = iota // at once
	steps                 // after count microinstructions
	routine               // when the routines of count events have ended
	interrupt             // when the machine interrupts
	theEnd                // when there are no further events
)

// Debug takes commands from in until there are none or one is quit. It writes each command
// behind its prompt, unless in is a terminal, which shows what is typed.
func (s *Session) Debug(in io.Reader) error {
	f, ok := in.(*os.File)
	echo := !ok || !terminal.Is(f)
	next, stop := iter.Pull(s.events)
	defer stop()
	d := &debugger{Session: s, in: bufio.NewScanner(in), echo: echo, breaks: map[int]bool{}, next: next}
	s.machine.Watch(d.run)
	fmt.Fprintf(s.w, "%d microinstructions; help lists the commands\n", len(s.program.Code))
	for !d.quit {
		if d.goal == here {
			d.prompt()
			continue
		}
		if t, ok := d.event(); ok {
			d.push(t)
			continue
		}
		d.engine.Settle(d.out)
		d.tracer.Catch()
		d.showMessages()
		if d.goal != here && len(d.typed) == 0 && !d.quit {
			fmt.Fprintf(d.w, "the machine waits, and there are no further events: sample adds one\n")
			d.goal = here
		}
	}
	s.machine.Watch(nil)
	return d.in.Err()
}

// event returns the next event: first those that the user has typed.
func (d *debugger) event() (t tuple.Tuple, ok bool) {
	if len(d.typed) > 0 {
		t, d.typed = d.typed[0], d.typed[1:]
		return t, true
	}
	return d.next()
}

// run does what cop.Machine.Run does, and stops for commands on the way.
func (d *debugger) run(until uint64) machine.State {
	for {
		state, now := d.machine.State()
		if state != machine.Running || now >= until || d.quit {
			return state
		}
		if d.breaks[d.machine.PC()] && !d.passed {
			fmt.Fprintf(d.w, "breakpoint %s\n", d.program.Name(d.machine.PC()))
			d.goal = here
		}
		if d.goal == here {
			d.prompt()
			d.passed = true
			continue
		}
		d.step()
	}
}

// step makes a step, and sees whether the goal is reached.
func (d *debugger) step() {
	before := d.machine.Stats()
	d.tracer.Step()
	d.passed = false
	after := d.machine.Stats()
	ended := after.Done+after.Killed+after.Interrupts > before.Done+before.Killed+before.Interrupts
	if d.goal == steps || d.goal == routine && ended {
		if d.count--; d.count == 0 {
			d.goal = here
		}
	}
	if after.Interrupts > before.Interrupts {
		fmt.Fprintf(d.w, "             the machine interrupts; the host has not read it yet\n")
		if d.goal == interrupt {
			d.goal = here
		}
		if d.goal == here {
			d.prompt()
		}
	}
}

// prompt takes commands until one makes the machine go on.
func (d *debugger) prompt() {
	if state, _ := d.machine.State(); state == machine.Running {
		fmt.Fprintf(d.w, "next: %s\n", d.tracer.Next())
	}
	for !d.quit && d.goal == here {
		fmt.Fprint(d.w, "> ")
		if !d.in.Scan() {
			fmt.Fprintln(d.w)
			d.quit = true
			return
		}
		if d.echo {
			fmt.Fprintln(d.w, d.in.Text())
		}
		if err := d.command(d.in.Text()); err != nil {
			fmt.Fprintln(d.w, err)
		}
	}
}
