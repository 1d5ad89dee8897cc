package sampler

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"time"

	"github.com/cilium/ebpf/ringbuf"

	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/micro"
)

// Sizes of struct record and struct tuple of sampler.c, in bytes.
const (
	headerSize = 72
	tupleSize  = 56
)

// Next waits for a run. It returns io.EOF when all processes have ended or the sampler is
// closed.
func (s *Sampler) Next(r *capture.Run) error {
	var rec ringbuf.Record
	for {
		s.mu.Lock()
		ended, err := s.ended, s.err
		s.mu.Unlock()
		if err != nil {
			return err
		}
		// The kernel does not wake us for each record: that would cost more than the record.
		s.reader.SetDeadline(time.Now().Add(poll))
		switch err := s.reader.ReadInto(&rec); {
		case err == nil:
			if s.run(r, rec.RawSample) {
				return nil
			}
		case errors.Is(err, os.ErrDeadlineExceeded):
			if ended {
				return io.EOF
			}
		case errors.Is(err, ringbuf.ErrClosed):
			return io.EOF
		default:
			return err
		}
	}
}

// run makes a run of a record. It returns false for a record that is too short.
func (s *Sampler) run(r *capture.Run, b []byte) bool {
	if len(b) < headerSize {
		return false
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	half := func(i int) uint32 { return binary.LittleEndian.Uint32(b[40+4*i:]) }
	pc, n := word(1), int(half(6))
	*r = capture.Run{Time: word(0), Goid: word(2), TopOfStack: word(3), BehindFrame: word(4),
		PID: half(0), TID: half(1), CPU: half(2), Skipped: half(3), Steps: half(4), Tuples: r.Tuples[:0]}
	s.mu.Lock()
	defer s.mu.Unlock()
	if sp := s.spaces[r.PID]; sp != nil {
		if i := sp.table.At(pc); i != 0 && s.insns[sp.global[i]] != nil {
			r.At = s.insns[sp.global[i]].Instruction
			r.Bias = pc - r.At.PC
		}
	}
	for b = b[headerSize:]; n > 0 && len(b) >= tupleSize; n, b = n-1, b[tupleSize:] {
		have := micro.Have(binary.LittleEndian.Uint32(b[48:]))
		in := s.insns[binary.LittleEndian.Uint32(b[52:])]
		if in == nil {
			continue // code that has been dropped meanwhile
		}
		var w [6]uint64 // PC, result, address, first and second operand, named register
		for i := range w {
			w[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		r.Tuples = append(r.Tuples, tuple(in, have, w))
	}
	return true
}

// tuple makes a tuple of what the interpreter noted, as far as the module wants it.
func tuple(in *instruction, have micro.Have, w [6]uint64) capture.Tuple {
	t := capture.Tuple{Insn: in.Instruction, Known: capture.Visit}
	result, first, second := w[1], w[3], w[4]
	hasResult, hasFirst, hasSecond := have&micro.HaveResult != 0, have&micro.HaveFirst != 0, have&micro.HaveSecond != 0
	switch in.kind {
	case micro.KindJcc:
		t.Taken, t.Known = result != 0, t.Known|capture.Taken
		if t.Taken {
			t.Target, t.Known = w[0]+in.jump, t.Known|capture.Target
		}
		hasResult = false
	case micro.KindJmp, micro.KindCall:
		t.Target, t.Known = w[0]+in.jump, t.Known|capture.Target
		hasResult, hasSecond = false, false
	case micro.KindJmpTo, micro.KindCallTo, micro.KindRet:
		if hasResult {
			t.Target, t.Known = result, t.Known|capture.Target
		}
		hasResult = false
	case micro.KindCmp, micro.KindTest, micro.KindBt, micro.KindPush:
		hasResult = false // it goes to flags or to the stack
	}
	switch in.kind {
	case micro.KindJmpTo, micro.KindCallTo, micro.KindPush, micro.KindMulWide, micro.KindImulWide, micro.KindDiv, micro.KindIdiv:
		// What is the second operand for the interpreter is the only one in the text.
		first, hasFirst, hasSecond = second, hasSecond, false
	}
	for _, f := range []struct {
		field capture.Fields
		ok    bool
		to    *uint64
		v     uint64
	}{
		{capture.Result, hasResult, &t.Result, result},
		{capture.Addr, have&micro.HaveAddr != 0, &t.Addr, w[2]},
		{capture.First, hasFirst, &t.First, first},
		{capture.Second, hasSecond, &t.Second, second},
		{capture.Named, have&micro.HaveNamed != 0, &t.Named, w[5]},
	} {
		if f.ok {
			*f.to, t.Known = f.v, t.Known|f.field
		}
	}
	t.Known &= in.want.Fields | capture.Visit
	for field, p := range map[capture.Fields]*uint64{capture.Result: &t.Result, capture.Addr: &t.Addr, capture.First: &t.First,
		capture.Second: &t.Second, capture.Named: &t.Named, capture.Target: &t.Target} {
		if t.Known&field == 0 {
			*p = 0
		}
	}
	t.Taken = t.Taken && t.Known&capture.Taken != 0
	return t
}

// Lost returns how many runs had no room in the kernel's buffer, as of some milliseconds ago.
func (s *Sampler) Lost() uint64 { return s.lost.Load() }
