package sampler

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"time"

	"github.com/cilium/ebpf/ringbuf"

	"github.com/pepgo/pep/tracer/internal/interp/bpf"
	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// Sizes of struct record and struct tuple of sampler.c, in bytes.
const (
	headerSize = 80
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
		switch err := s.reader.ReadInto(&rec); {
		case err == nil:
			if s.run(r, rec.RawSample) {
				return nil
			}
		case errors.Is(err, os.ErrDeadlineExceeded):
			// The buffer is empty. The kernel does not wake us for each record: that would cost
			// more than the record. So the reader waits until the next deadline.
			if ended {
				return io.EOF
			}
			s.reader.SetDeadline(time.Now().Add(s.fetch))
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
	half := func(i int) uint32 { return binary.LittleEndian.Uint32(b[48+4*i:]) }
	pc, n := word(1), int(half(6))
	*r = capture.Run{Time: word(0), Goid: word(2), TopOfStack: word(3), BehindFrame: word(4),
		PID: half(0), TID: half(1), CPU: half(2), Skipped: half(3), Steps: half(4), Tuples: r.Tuples[:0]}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Labels = s.labels(word(5))
	if sp := s.spaces[r.PID]; sp != nil {
		if i := sp.table.At(pc); i != 0 && s.insns[sp.global[i]] != nil {
			r.At = s.insns[sp.global[i]].Instruction
			r.Bias = pc - r.At.PC
		}
	}
	for b = b[headerSize:]; n > 0 && len(b) >= tupleSize; n, b = n-1, b[tupleSize:] {
		have := ops.Have(binary.LittleEndian.Uint32(b[48:]))
		in := s.insns[binary.LittleEndian.Uint32(b[52:])]
		if in == nil {
			continue // code that has been dropped meanwhile
		}
		var w [6]uint64 // PC, result, address, first and second operand, named register
		for i := range w {
			w[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		r.Tuples = append(r.Tuples, in.Tuple(have, w))
	}
	return true
}

// labels returns the labels of a goroutine by the hash that a record has.
func (s *Sampler) labels(hash uint64) capture.Labels {
	if hash == 0 {
		return ""
	}
	l, ok := s.labelSets[hash]
	if !ok {
		var set bpf.SamplerLabels
		if err := s.objs.LabelSets.Lookup(&hash, &set); err != nil {
			s.lostLabels++ // there were thousands of new ones since
			return ""
		}
		if len(s.labelSets) >= maxLabelSets {
			clear(s.labelSets)
		}
		l = labelsOf(&set)
		s.labelSets[hash] = l
	}
	return l
}

// maxLabelSets bounds the memory for programs that label each request.
const maxLabelSets = 1 << 16

func labelsOf(set *bpf.SamplerLabels) capture.Labels {
	text := func(b *[capture.MaxLabelBytes]uint8, n uint32) string {
		return capture.CutString(string(b[:min(n, uint32(len(b)))]), uint64(n))
	}
	var list []capture.Label
	for i := range min(set.N, uint64(len(set.List))) {
		l := &set.List[i]
		list = append(list, capture.Label{Key: text(&l.Key, l.KeyBytes), Value: text(&l.Value, l.ValueBytes)})
	}
	return capture.CutLabels(list, set.N)
}

// Lost returns how many runs had no space in the kernel's buffer, as of some milliseconds ago.
func (s *Sampler) Lost() uint64 { return s.lost.Load() }
