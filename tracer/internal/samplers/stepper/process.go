package stepper

// This file has the processes: their threads, and their decoded code.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/proc/ptrace"
	"github.com/pepgo/pep/tracer/internal/samplers/mapped"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// budget is how many operations are decoded at once.
const budget = 512

// A process is a sampled process.
type process struct {
	pid   uint32
	fd    int // pidfd
	maps  []mapped.Mapping
	m     *ops.Machine
	table *ops.Table
	insns []*mapped.Instruction // by index of an instruction's first op in the table; nil for code outside of all mappings
	g     mapped.Goroutines
}

// A thread is a thread that runs.
type thread struct {
	process  *process
	tid, cpu int
}

func newProcess(pid int) (*process, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("stepper: there is no process %d: %w", pid, err)
	}
	p := &process{pid: uint32(pid), fd: fd, m: ops.NewMachine()}
	if err := errors.Join(try(pid), p.forget()); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return p, nil
}

// forget begins anew with the code of the process, which has executed another program.
func (p *process) forget() (err error) {
	p.forgetCode()
	p.g = mapped.FindGoroutines(p.pid)
	p.maps, err = mapped.Read(p.pid)
	return err
}

// forgetCode has all code decoded anew.
func (p *process) forgetCode() {
	p.m.Forget()
	p.table, p.insns = ops.NewTable(), make([]*mapped.Instruction, 1)
}

// ended reports whether the process has ended. A zombie has.
func (p *process) ended() bool {
	n, _ := unix.Poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}, 0)
	return n > 0
}

// running appends the threads that run or wait for a CPU.
func (p *process) running(list []thread) []thread {
	const state, processor = 0, 36 // fields behind the name of the program, proc(5)
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.pid))
	for _, name := range names {
		data, _ := os.ReadFile(name) // the thread may have ended
		text := string(data)
		fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
		if len(fields) <= processor || fields[state] != "R" {
			continue
		}
		tid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		cpu, _ := strconv.Atoi(fields[processor])
		list = append(list, thread{p, tid, cpu})
	}
	return list
}

// at returns the index of the op at pc, and decodes it if need be. It is 0 if there is no
// code.
func (s *Sampler) at(p *process, th *ptrace.Thread, pc uint64) (uint32, error) {
	if i := p.table.At(pc); i != 0 {
		return i, nil
	}
	if mapped.Find(p.maps, pc) == nil { // a library has been loaded since
		maps, err := mapped.Read(p.pid)
		if err != nil {
			return 0, err
		}
		p.maps = maps
	}
	first := len(p.table.Ops)
	p.table.Add(th, pc, budget)
	for i := first; i < len(p.table.Ops); i++ {
		p.insns = append(p.insns, nil)
		op := &p.table.Ops[i]
		m := mapped.Find(p.maps, op.PC)
		if m == nil || op.Flags&ops.First == 0 {
			continue
		}
		list := p.table.Instruction(uint32(i))
		last := &list[len(list)-1]
		in := s.files.Instruction(p.pid, m, last, th, func(in *capture.Instruction) capture.Want {
			return mapped.Want(s.options.Modules, in)
		})
		if in != nil && in.Want.Fields&capture.Named != 0 {
			op.Named = in.Want.Register
		}
		p.insns[i] = in
	}
	return p.table.At(pc), nil
}
