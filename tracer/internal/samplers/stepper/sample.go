package stepper

// This file makes a run of a stopped thread.

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// sample stops a thread, makes a run, and lets the thread go. It returns false if there is
// no run: the thread is in the kernel, or has ended.
func (s *Sampler) sample(r *capture.Run, t thread) (ok bool, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	th, err := ptrace.Seize(t.tid)
	switch {
	case errors.Is(err, os.ErrPermission): // a debugger traces it, or it is ending
		s.stats.Refused++
		return false, nil
	case errors.Is(err, unix.ESRCH) || errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	defer func() { err = errors.Join(err, th.Detach()) }()
	s.stats.Stops++
	err = th.Interrupt()
	if err == nil && th.InSyscall() {
		s.stats.Kernel++
		return false, nil
	}
	if err == nil {
		err = s.fill(r, t, th)
	}
	if errors.Is(err, ptrace.ErrExited) || errors.Is(err, unix.ESRCH) || t.process.ended() {
		s.stats.Ended++
		return false, nil
	}
	if err == nil {
		s.stats.Runs++
		if int(r.Steps) < s.options.Length {
			s.stats.Early++
		}
	}
	return err == nil, err
}

// fill makes a run of a stopped thread.
func (s *Sampler) fill(r *capture.Run, t thread, th *ptrace.Thread) error {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return err
	}
	p, pc := t.process, th.Regs.Rip
	*r = capture.Run{Time: uint64(now.Nano()), PID: p.pid, TID: uint32(t.tid), CPU: uint32(t.cpu), Tuples: r.Tuples[:0]}
	r.Goid, r.Labels = p.g.Read(th.Regs.Fs_base, func(addr uint64, to []byte) bool { return th.Read(addr, to) == nil })
	i, err := s.at(p, th, pc)
	if err != nil {
		return err
	}
	if in := p.insns[i]; in != nil {
		code := make([]byte, len(in.Code))
		if th.ReadCode(pc, code); !bytes.Equal(code, in.Code) { // the process has executed another program
			clear(s.files)
			if err := p.forget(); err != nil {
				return err
			}
			if i, err = s.at(p, th, pc); err != nil {
				return err
			}
		}
	}
	if in := p.insns[i]; in != nil {
		r.At, r.Bias = in.Instruction, pc-in.PC
	}
	half := s.options.Skip / 2
	skip := rand.IntN(half+1) + rand.IntN(s.options.Skip-half+1) // as in package sampler
	return s.interpret(r, p, th, skip)
}

// begin puts the process's machine into the state of a thread.
func (p *process) begin(th *ptrace.Thread) error {
	x, err := th.XState()
	if err != nil {
		return err
	}
	p.m.Begin(th.General(), th.Regs.Eflags, th.Regs.Rip, th.Regs.Fs_base, th.Read)
	copy(p.m.Vectors[:], x.Vectors[:])
	*p.m.Masks(), p.m.MXCSR = x.Masks, x.MXCSR
	return nil
}

// context notes the candidates for the return address.
func context(r *capture.Run, m *ops.Machine) {
	r.TopOfStack, _ = m.Peek(m.R[ops.SP])
	r.BehindFrame, _ = m.Peek(m.R[ops.BP] + 8)
}

// interpret interprets: first what is skipped, then what is noted. If it gives up before anything is
// noted, it begins again, and skips less than it came through.
func (s *Sampler) interpret(r *capture.Run, p *process, th *ptrace.Thread, skip int) error {
	for range 2 {
		if err := p.begin(th); err != nil {
			return err
		}
		if err := s.run(p, th, skip, nil); err != nil {
			return err
		}
		r.Skipped = uint32(p.m.Steps)
		if p.m.Steps == skip {
			context(r, p.m)
			err := s.run(p, th, s.options.Length, func(st *ops.Step) { p.note(r, st) })
			r.Steps = uint32(p.m.Steps) - r.Skipped
			if err != nil || r.Steps > 0 {
				return err
			}
		}
		if r.Skipped == 0 {
			return nil
		}
		skip = rand.IntN(int(r.Skipped))
	}
	return nil
}

// run interprets up to n instructions, and decodes them if need be.
func (s *Sampler) run(p *process, th *ptrace.Thread, n int, visit func(*ops.Step)) error {
	for last := p.m.Steps + n; p.m.Steps < last; {
		i, err := s.at(p, th, p.m.PC)
		if err != nil {
			return err
		}
		if i == 0 {
			return nil
		}
		switch p.m.Run(p.table, last-p.m.Steps, visit) {
		case ops.NotDecoded:
		case ops.Changed: // the next run decodes what is there now
			p.forgetCode()
			return nil
		default:
			return nil
		}
	}
	return nil
}

// note appends the tuple of a step, if modules want one.
func (p *process) note(r *capture.Run, st *ops.Step) {
	in := p.insns[p.table.At(st.PC)]
	if in == nil || in.Want.Fields == 0 {
		return
	}
	second, have := st.Second, st.Have
	if in.Float > 0 && in.Memory&capture.Load == 0 && in.Want.Fields&capture.Second != 0 {
		second, have = st.Vector, have|ops.HaveSecond
		if in.Float == 4 {
			second = uint64(uint32(second))
		}
	}
	r.Tuples = append(r.Tuples, in.Tuple(have, [6]uint64{st.PC, st.Result, st.Addr, st.First, second, st.Named}))
}
