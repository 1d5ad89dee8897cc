package stepper

// This file makes a run of a stopped thread: by interpretation, and by steps of the processor.

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/describe"
	"github.com/pepgo/pep/internal/tracer/mapped"
	"github.com/pepgo/pep/internal/tracer/micro"
	"github.com/pepgo/pep/internal/tracer/ptrace"
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
	if s.options.Step {
		return s.step(r, p, th, skip)
	}
	return s.interpret(r, p, th, skip)
}

// machine returns a machine in the state of a thread.
func machine(th *ptrace.Thread) *micro.Machine {
	m := micro.NewMachine(th.General(), th.Regs.Eflags, th)
	m.PC = th.Regs.Rip
	m.Reg[micro.FSBase] = th.Regs.Fs_base
	m.Known |= 1 << micro.FSBase
	return m
}

// context notes the candidates for the return address.
func context(r *capture.Run, m *micro.Machine) {
	if m.Known>>micro.SP&1 != 0 {
		r.TopOfStack, _ = m.Peek(m.Reg[micro.SP])
	}
	if m.Known>>micro.BP&1 != 0 {
		r.BehindFrame, _ = m.Peek(m.Reg[micro.BP] + 8)
	}
}

// interpret interprets: first what is skipped, then what is noted. If it gives up before anything is
// noted, it begins again, and skips less than it came through.
func (s *Sampler) interpret(r *capture.Run, p *process, th *ptrace.Thread, skip int) error {
	for range 2 {
		m := machine(th)
		if err := s.run(p, th, m, skip, nil); err != nil {
			return err
		}
		r.Skipped = uint32(m.Steps)
		if m.Steps == skip {
			context(r, m)
			err := s.run(p, th, m, s.options.Length, func(st *micro.Step) { p.note(r, st) })
			r.Steps = uint32(m.Steps) - r.Skipped
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
func (s *Sampler) run(p *process, th *ptrace.Thread, m *micro.Machine, n int, visit func(*micro.Step)) error {
	for last := m.Steps + n; m.Steps < last; {
		i, err := s.at(p, th, m.PC)
		if err != nil {
			return err
		}
		if i == 0 || m.Run(p.table, i, last-m.Steps, visit) != micro.NotDecoded {
			return nil
		}
	}
	return nil
}

// note appends the tuple of a step, if modules want one.
func (p *process) note(r *capture.Run, st *micro.Step) {
	in := p.insns[p.table.At(st.PC)]
	if in == nil || in.Want.Fields == 0 {
		return
	}
	r.Tuples = append(r.Tuples, in.Tuple(st.Have, [6]uint64{st.PC, st.Result, st.Addr, st.First, st.Second, st.Named}))
}

// step has the processor execute the instructions. The run ends with the basic block.
func (s *Sampler) step(r *capture.Run, p *process, th *ptrace.Thread, skip int) error {
	for range skip {
		if _, ok, err := s.one(p, th); !ok || err != nil {
			return err
		}
		r.Skipped++
	}
	context(r, machine(th))
	for range s.options.Length {
		st, ok, err := s.one(p, th)
		if !ok || err != nil {
			return err
		}
		r.Steps++
		p.note(r, &st)
		if in := p.insns[p.table.At(st.PC)]; in == nil || in.Flow != capture.Next {
			return nil
		}
	}
	return nil
}

// one has the processor execute one instruction. The machine says what its operands are, and
// the processor what the result is. It returns false, and nothing is executed, in front of
// instructions that the decoder does not know, or that enter the kernel or could wait there, and
// if a signal arrives.
func (s *Sampler) one(p *process, th *ptrace.Thread) (st micro.Step, ok bool, err error) {
	i, err := s.at(p, th, th.Regs.Rip)
	if i == 0 || err != nil {
		return st, false, err
	}
	op := &p.table.Ops[i]
	if op.Kind == micro.KindStop && micro.Stop(op.Imm) != micro.Lock {
		return st, false, nil
	}
	st = micro.Step{Op: op, PC: op.PC}
	machine(th).Run(p.table, i, 1, func(x *micro.Step) { st = *x })
	if in := p.insns[i]; in != nil && in.Float > 0 && in.Memory&capture.Load == 0 && in.Want.Fields&capture.Second != 0 {
		if err := float(&st, in, th); err != nil {
			return st, false, err
		}
	}
	switch err := th.TryStep(); {
	case errors.Is(err, ptrace.ErrSignal):
		return st, false, nil
	case err != nil:
		return st, false, err
	}
	st.Have &^= micro.HaveResult
	if v, known := result(op, &st, th); known {
		st.Result, st.Have = v, st.Have|micro.HaveResult
	}
	return st, true, nil
}

// float notes the floating-point number in the vector register that is the last operand.
func float(st *micro.Step, in *mapped.Instruction, th *ptrace.Thread) error {
	register, ok := describe.FloatSource(in.Code)
	if !ok || register > 15 {
		return nil
	}
	v, err := th.Vector(register)
	if err != nil {
		return err
	}
	if in.Float == 4 {
		v = uint64(uint32(v))
	}
	st.Second, st.Have = v, st.Have|micro.HaveSecond
	return nil
}

// result returns what the processor has computed.
func result(op *micro.Op, st *micro.Step, th *ptrace.Thread) (v uint64, known bool) {
	mask := ^uint64(0)
	if op.DstWidth < 8 {
		mask = 1<<(8*op.DstWidth) - 1
	}
	switch op.Kind {
	case micro.KindStop:
		return 0, false
	case micro.KindJcc:
		if th.Regs.Rip != op.PC+uint64(op.Len) {
			v = 1
		}
		return v, true
	case micro.KindJmpTo, micro.KindCallTo, micro.KindRet:
		return th.Regs.Rip, true
	case micro.KindPop, micro.KindLeave:
		return th.General()[op.Dst], true
	}
	switch {
	case op.DstWidth > 8:
	case op.DstKind == micro.Register && op.Flags&micro.FlagDstHigh != 0:
		return th.General()[op.Dst] >> 8 & mask, true
	case op.DstKind == micro.Register:
		return th.General()[op.Dst] & mask, true
	case op.DstKind == micro.InMemory && st.Have&micro.HaveAddr != 0:
		return th.Load(st.Addr, op.DstWidth)
	}
	return 0, false
}
