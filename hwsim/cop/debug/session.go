// Package debug runs a program of the co-processor step by step: it traces every cycle, or
// takes commands of a debugger.
//
//	s, err := debug.Open(os.Stdout, "count.s", source, "clock=0.5")
//	s.From(&trace.Filter{}, reader) // events of a trace
//	s.Trace()                       // a line for each cycle, and a summary; or
//	s.Debug(os.Stdin)               // commands
//
// Both run the engine itself, with its processor and its host, and only watch it. So they
// show the cycles, drops and interrupts of the engine in a replay.
//
// The debugger reads commands, one in a line:
//
//	break take+1       stop before the microinstruction behind the one with the label take
//	sample load 5 7    the next event: a load at site 5 with the word 7
//	step 3             three microinstructions
//	routine            to the end of the routine
//	run                to a breakpoint, or until there are no further events
//	interrupt          until the machine interrupts
//	print data 0 4     four words of the data array
//	help               all commands
package debug

import (
	"fmt"
	"io"
	"iter"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/cop"
	"github.com/pepgo/pep/hwsim/cop/asm"
	"github.com/pepgo/pep/hwsim/cop/machine"
)

// A Session is an engine that runs a program, and the events that it gets.
type Session struct {
	w       io.Writer
	engine  cop.Watched
	machine *machine.Machine
	program *asm.Program
	tracer  *asm.Tracer
	out     *hwsim.Out
	events  iter.Seq[tuple.Tuple]
	err     error // that has ended the events

	messages []hwsim.Message // that the host has sent since they were last shown
}

// New returns a session that writes to w. The engine must be one of cop.Kind that runs the
// program, and must be new.
func New(w io.Writer, engine hwsim.Engine, program *asm.Program, events iter.Seq[tuple.Tuple]) (*Session, error) {
	e, ok := engine.(cop.Watched)
	if !ok {
		return nil, fmt.Errorf("the engine is no co-processor: want cop")
	}
	s := &Session{w: w, engine: e, machine: e.Machine(), program: program, events: events}
	s.tracer = &asm.Tracer{W: w, M: s.machine, Program: program}
	s.out = hwsim.NewOut(64, func(m []hwsim.Message) { s.messages = append(s.messages, m...) })
	e.Offered(s.offered)
	return s, nil
}

// Trace runs all events and writes each cycle, then a summary.
func (s *Session) Trace() {
	s.machine.Watch(s.tracer.Run)
	for t := range s.events {
		s.push(t)
	}
	s.engine.Settle(s.out)
	s.showMessages()
	s.tracer.Summary()
	s.end()
}

// end lets the host read what the machine still holds.
func (s *Session) end() {
	s.machine.Watch(nil)
	s.engine.Flush(s.out)
	s.out.Drain()
	fmt.Fprintf(s.w, "at the end the host sends %s\n", s.number())
	s.listMessages()
}

// push gives the engine an event. The engine waits for further words if the program selects
// addresses.
func (s *Session) push(t tuple.Tuple) {
	s.engine.Push([]tuple.Tuple{t}, s.out)
	s.showMessages()
}

// offered says what became of an event.
func (s *Session) offered(x machine.Sample, o machine.Outcome) {
	s.showMessages()
	words := ""
	if x.Words > 1 {
		words += fmt.Sprintf(", address %#x", x.Addr)
	}
	if x.Words > 2 {
		words += fmt.Sprintf(", third word %#x", x.Target)
	}
	n, capacity := s.machine.Queued()
	outcome := [...]string{
		machine.Accepted: fmt.Sprintf("accepted, %d of %d in the sample buffer", n, capacity),
		machine.Filtered: "a filter rejects it",
		machine.Dropped:  "dropped, the sample buffer is full",
	}[o]
	now := s.engine.(hwsim.Timed).Time().Cycles
	fmt.Fprintf(s.w, "             event in cycle %d of the processor: %s%s: %s\n", now,
		event(tuple.Tuple{PC: x.PC, W: x.Value}), words, outcome)
}

// event returns an event as text. Microcode reads the tag and the site together as PC.
func event(t tuple.Tuple) string {
	return fmt.Sprintf("%s, pc %#x, word %#x", t.Tag(), t.PC, t.W)
}

// showMessages says what the host has sent while it handled an interrupt.
func (s *Session) showMessages() {
	s.out.Drain()
	if len(s.messages) > 0 {
		fmt.Fprintf(s.w, "             the host has read the machine and sends %s\n", s.number())
		s.listMessages()
	}
}

func (s *Session) number() string {
	if len(s.messages) == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", len(s.messages))
}

// shown is how many messages are listed.
const shown = 10

func (s *Session) listMessages() {
	for i, m := range s.messages {
		if i == shown {
			fmt.Fprintf(s.w, "             and %d more\n", len(s.messages)-shown)
			break
		}
		fmt.Fprintf(s.w, "             %d times %s\n", m.Count, event(m.Tuple))
	}
	s.messages = s.messages[:0]
}
