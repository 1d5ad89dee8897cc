package sampler

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/cilium/ebpf"

	"github.com/pepgo/pep/tracer/internal/interp/bpf"
	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/samplers/mapped"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// budget is how many operations are decoded for one miss.
const budget = 512

// A space is the decoded code of one process.
type space struct {
	tgid  uint32
	table *ops.Table
	// global has the index in the kernel's array for each index of the table.
	global []uint32
	maps   []mapped.Mapping
	mem    *os.File
	pages  map[uint64][]byte // code read during one decode
}

func (s *Sampler) newSpace(tgid uint32) (*space, error) {
	if err := amd64(tgid); err != nil {
		return nil, err
	}
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", tgid))
	if err != nil {
		return nil, missing(fmt.Sprintf("code of process %d", tgid), "CAP_SYS_PTRACE", err)
	}
	sp := &space{tgid: tgid, table: ops.NewTable(), global: make([]uint32, 1), mem: mem}
	if sp.maps, err = mapped.Read(tgid); err != nil {
		mem.Close()
		return nil, err
	}
	if err := s.objs.Procs.Put(&tgid, &bpf.SamplerProc{}); err != nil {
		mem.Close()
		return nil, err
	}
	s.spaces[tgid] = sp
	s.goroutines(sp)
	return sp, nil
}

// amd64 returns an error if a process runs a 32-bit program: the same bytes are other
// instructions there.
func amd64(tgid uint32) error {
	f, err := os.Open(fmt.Sprintf("/proc/%d/exe", tgid))
	if err != nil {
		return missing(fmt.Sprintf("program of process %d", tgid), "CAP_SYS_PTRACE", err)
	}
	defer f.Close()
	var head [20]byte // e_machine is at its end, in all classes of ELF files
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return fmt.Errorf("sampler: program of process %d: %w", tgid, err)
	}
	if m := elf.Machine(binary.LittleEndian.Uint16(head[18:])); m != elf.EM_X86_64 {
		return fmt.Errorf("sampler: process %d runs a program for %v, and only programs for amd64 can be sampled", tgid, m)
	}
	return nil
}

// goroutines tells the kernel where the process keeps the numbers and labels of its goroutines, if
// it is a Go program. To find that in an executable takes time. Sampling of named processes begins
// afterwards; that of others goes on meanwhile, and their runs have no goroutines yet.
func (s *Sampler) goroutines(sp *space) {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", sp.tgid))
	if err != nil {
		return
	}
	tgid := sp.tgid
	for i := range sp.maps {
		if m := &sp.maps[i]; m.Path == strings.TrimSuffix(exe, " (deleted)") {
			find, ok := s.layouts[m.Key]
			if !ok {
				find = sync.OnceValue(func() bpf.SamplerProc {
					g := mapped.FindGoroutines(tgid)
					return bpf.SamplerProc{Tls: g.TLS, Goid: g.Goid, Labels: g.Labels, M: g.M, Curg: g.Curg}
				})
				s.layouts[m.Key] = find
			}
			s.searches.Go(func() {
				s.searching.Lock() // one search at a time
				p := find()
				s.searching.Unlock()
				select {
				case <-s.stop:
				default:
					s.objs.Procs.Update(&tgid, &p, ebpf.UpdateExist)
				}
			})
			return
		}
	}
}

// ReadCode implements ops.Code.
func (sp *space) ReadCode(pc uint64, buf []byte) (n int) {
	const size = 4096
	for n < len(buf) {
		at := pc + uint64(n)
		page, ok := sp.pages[at/size]
		if !ok {
			page = make([]byte, size)
			if _, err := sp.mem.ReadAt(page, int64(at&^(size-1))); err != nil {
				page = nil
			}
			sp.pages[at/size] = page
		}
		if page == nil {
			break
		}
		n += copy(buf[n:], page[at%size:])
	}
	return n
}

// decode decodes what is reached from pc, and gives it to the kernel: ops first, entries
// last.
func (s *Sampler) decode(sp *space, pc uint64) error {
	if mapped.Find(sp.maps, pc) == nil { // a library has been loaded since
		maps, err := mapped.Read(sp.tgid)
		if err != nil {
			return err
		}
		sp.maps = maps
	}
	sp.pages = map[uint64][]byte{}
	first := len(sp.table.Ops)
	_, changed := sp.table.Add(sp, pc, min(budget, len(s.free)-ops.MaxOps))
	for range sp.table.Ops[first:] {
		sp.global = append(sp.global, s.free[len(s.free)-1])
		s.free = s.free[:len(s.free)-1]
	}
	var indexes []uint32
	var list []ops.Op
	for _, i := range changed {
		indexes, list = append(indexes, sp.global[i]), append(list, s.op(sp, i))
	}
	var entries []bpf.SamplerAddress
	var values []bpf.SamplerEntry
	for i := first; i < len(sp.table.Ops); i++ {
		op := &sp.table.Ops[i]
		if op.Flags&ops.First != 0 {
			s.describe(sp, uint32(i))
			var code [8]byte
			sp.ReadCode(op.PC, code[:])
			entries = append(entries, bpf.SamplerAddress{Pc: op.PC, Tgid: sp.tgid})
			values = append(values, bpf.SamplerEntry{Index: sp.global[i], Code: binary.LittleEndian.Uint64(code[:])})
		}
		indexes, list = append(indexes, sp.global[i]), append(list, s.op(sp, uint32(i)))
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := s.objs.Ops.BatchUpdate(indexes, list, nil); err != nil {
		return fmt.Errorf("sampler: decoded code: %w", err)
	}
	if _, err := s.objs.Entries.BatchUpdate(entries, values, nil); err != nil {
		return fmt.Errorf("sampler: entries of decoded code: %w", err)
	}
	return nil
}

// op returns an op with the indexes of the kernel's array.
func (s *Sampler) op(sp *space, i uint32) ops.Op {
	op := sp.table.Ops[i]
	op.Relink(func(i uint32) uint32 { return sp.global[i] })
	if in := s.insns[sp.global[i]]; in != nil && in.Want.Fields != 0 {
		op.Flags |= ops.Noted
		if in.Want.Fields&capture.Named != 0 {
			op.Named = in.Want.Register
		}
	}
	return op
}

// describe notes the instruction of decoded ops, the first of which is i, and asks the module what it wants.
func (s *Sampler) describe(sp *space, i uint32) {
	list := sp.table.Instruction(i)
	last := &list[len(list)-1]
	var in *mapped.Instruction
	if m := mapped.Find(sp.maps, last.PC); m != nil {
		in = s.files.Instruction(sp.tgid, m, last, sp, func(in *capture.Instruction) capture.Want {
			return mapped.Want(s.options.Modules, in)
		})
	}
	for j := range list {
		s.insns[sp.global[i+uint32(j)]] = in
	}
}

// drop forgets the code of a process that has ended or has other code now.
func (s *Sampler) drop(sp *space) {
	sp.mem.Close()
	delete(s.spaces, sp.tgid)
	for pc := range sp.table.PCs() {
		s.objs.Entries.Delete(&bpf.SamplerAddress{Pc: pc, Tgid: sp.tgid})
	}
	// Runs that are on their way still refer to the ops.
	s.dropped = append(s.dropped, dropped{s.round, sp.global[1:]})
}

// dropped are indexes of the kernel's array that nothing leads to any more.
type dropped struct {
	round  int
	global []uint32
}

// reuse makes indexes free that have been unused for a hundred rounds.
func (s *Sampler) reuse() {
	for len(s.dropped) > 0 && s.round-s.dropped[0].round > 100 {
		s.free = append(s.free, s.dropped[0].global...)
		s.dropped = s.dropped[1:]
	}
}
