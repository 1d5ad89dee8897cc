package debug

// This file makes sessions of what users name: programs, parameters and traces.

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/cop/asm"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/trace"
)

// Open returns a session without events, which writes to w. The text is that of the program
// in the file name: a source, or an image. Images are disassembled, so that they have
// labels. Machine has the parameters of the engine cop, such as "slots=512,clock=0.5".
func Open(w io.Writer, name, text, machine string) (*Session, error) {
	var err error
	if strings.HasPrefix(text, "pep cop ") {
		if text, err = asm.Disassemble(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	program, err := asm.Assemble(name, text)
	if err != nil {
		return nil, err
	}
	if strings.Contains(name, `"`) {
		return nil, fmt.Errorf("%s: want a name without quotation marks", name)
	}
	if machine != "" {
		machine = "," + machine
	}
	read := func(string) ([]byte, error) { return []byte(program.Image.Text()), nil }
	spec, err := engines.Parse(`cop(program="./`+name+`"`+machine+")", read)
	if err != nil {
		return nil, err
	}
	return New(w, spec.New(0), program, func(func(tuple.Tuple) bool) {})
}

// From gives the session the events of a trace that a filter keeps. They must be of one
// stream, because each stream has a co-processor of its own. Err returns what has ended
// the events too early.
func (s *Session) From(f *trace.Filter, r *trace.Reader) {
	enough := errors.New("enough events")
	s.events = func(yield func(tuple.Tuple) bool) {
		stream, some := uint32(0), false
		s.err = f.Each(r, func(b trace.Block) error {
			if some && b.Stream != stream {
				return fmt.Errorf("there are events of the streams %d and %d: choose one with -stream %d", stream, b.Stream, stream)
			}
			stream, some = b.Stream, true
			for _, t := range b.Tuples {
				if !yield(t) {
					return enough
				}
			}
			return nil
		})
		if s.err == enough {
			s.err = nil
		}
	}
}

// Err returns the error of the trace that the events come from.
func (s *Session) Err() error { return s.err }
