//go:build linux && amd64

package cold

// This file holds the program in the kernel.

import (
	"encoding/binary"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"
)

// A program counts hits of blocks, and says of the first, second, fourth… hit of each where it was: later ones say
// that the probe is there again, as after a change of the mapping.
type program struct {
	prog   *ebpf.Program
	hits   *ebpf.Map // uint64 by block
	ring   *ebpf.Map // of events
	memory *ebpf.Memory
	buffer []byte
}

// An event is what the program says of a hit.
type event struct {
	block uint32
	pid   uint32
	at    uint64 // ns of the monotonic clock
	pc    uint64 // in the process
}

const eventSize = 24

// fault is the cookie of the probe in runtime.sigpanic; the event has the address of the fault.
const fault = 1<<32 - 1

// Offsets in struct pt_regs.
const (
	regsIP = 128
	regsSP = 152
)

// load loads the program. If every is true, it says where all hits were, and not only those whose number is a power of
// two: with several processes, the first hit in each must be told.
func load(blocks int, every bool) (p *program, err error) {
	p = &program{buffer: make([]byte, 8*blocks)}
	p.hits, err = ebpf.NewMap(&ebpf.MapSpec{Name: "hits", Type: ebpf.Array, KeySize: 4, ValueSize: 8,
		MaxEntries: uint32(blocks), Flags: unix.BPF_F_MMAPABLE})
	if err != nil {
		return nil, fmt.Errorf("making a map of %d blocks: %w", blocks, err)
	}
	p.ring, err = ebpf.NewMap(&ebpf.MapSpec{Name: "events", Type: ebpf.RingBuf, MaxEntries: 1 << 22})
	if err == nil {
		p.memory, err = p.hits.Memory()
	}
	if err == nil {
		p.prog, err = ebpf.NewProgram(&ebpf.ProgramSpec{
			Name: "cold", Type: ebpf.Kprobe, AttachType: ebpf.AttachTraceUprobeMulti, License: "GPL",
			Instructions: p.instructions(every),
		})
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("loading the BPF program: %w", err)
	}
	return p, nil
}

func (p *program) instructions(every bool) asm.Instructions {
	// The event is on the stack, from -24 on; ahead of it are process and thread as the namespace has them.
	const ids, block, pid, at, pc = -32, -24, -20, -16, -8
	list := asm.Instructions{
		asm.Mov.Reg(asm.R6, asm.R1),
		asm.FnGetAttachCookie.Call(),
		asm.StoreMem(asm.RFP, block, asm.R0, asm.Word),
		asm.LoadMem(asm.R1, asm.R6, regsIP, asm.DWord),
		asm.StoreMem(asm.RFP, pc, asm.R1, asm.DWord),
		asm.LoadImm(asm.R1, fault, asm.DWord),
		asm.JEq.Reg(asm.R0, asm.R1, "fault"),
		asm.LoadMapPtr(asm.R1, p.hits.FD()),
		asm.Mov.Reg(asm.R2, asm.RFP),
		asm.Add.Imm(asm.R2, block),
		asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, "exit"),
		asm.LoadMem(asm.R7, asm.R0, 0, asm.DWord),
		asm.Mov.Imm(asm.R1, 1),
		asm.AddAtomic.Mem(asm.R0, asm.R1, asm.DWord, 0),
	}
	if !every {
		list = append(list,
			asm.Mov.Reg(asm.R1, asm.R7),
			asm.Add.Imm(asm.R1, 1),
			asm.And.Reg(asm.R1, asm.R7),
			asm.JNE.Imm(asm.R1, 0, "exit"),
		)
	}
	list = append(list, asm.Mov.Imm(asm.R0, 0).WithSymbol("tell"))
	if device, inode := namespace(); inode == initialNamespace {
		list = append(list, asm.FnGetCurrentPidTgid.Call(), asm.RSh.Imm(asm.R0, 32))
	} else { // 0 for a process of another namespace, also of one that is in this one
		list = append(list,
			asm.LoadImm(asm.R1, int64(device), asm.DWord),
			asm.LoadImm(asm.R2, int64(inode), asm.DWord),
			asm.Mov.Reg(asm.R3, asm.RFP),
			asm.Add.Imm(asm.R3, ids),
			asm.Mov.Imm(asm.R4, 8),
			asm.FnGetNsCurrentPidTgid.Call(),
			asm.LoadMem(asm.R0, asm.RFP, ids+4, asm.Word),
		)
	}
	return append(list,
		asm.StoreMem(asm.RFP, pid, asm.R0, asm.Word),
		asm.FnKtimeGetNs.Call(),
		asm.StoreMem(asm.RFP, at, asm.R0, asm.DWord),
		asm.LoadMapPtr(asm.R1, p.ring.FD()),
		asm.Mov.Reg(asm.R2, asm.RFP),
		asm.Add.Imm(asm.R2, block),
		asm.Mov.Imm(asm.R3, eventSize),
		asm.Mov.Imm(asm.R4, 0),
		asm.FnRingbufOutput.Call(),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("exit"),
		asm.Return(),

		// The signal handler has pushed the address of the fault, as if a call were there.
		asm.LoadMem(asm.R3, asm.R6, regsSP, asm.DWord).WithSymbol("fault"),
		asm.Mov.Reg(asm.R1, asm.RFP),
		asm.Add.Imm(asm.R1, pc),
		asm.Mov.Imm(asm.R2, 8),
		asm.FnProbeReadUser.Call(),
		asm.JNE.Imm(asm.R0, 0, "exit"),
		asm.Ja.Label("tell"),
	)
}

// initialNamespace is the inode of the namespace of process IDs that the machine begins with. There the kernel has a
// number for each process, also for those of containers.
const initialNamespace = 4026531836

// namespace returns device and inode of the namespace of process IDs that this process is in.
func namespace() (device, inode uint64) {
	var s unix.Stat_t
	if unix.Stat("/proc/self/ns/pid", &s) != nil {
		return 0, initialNamespace
	}
	return s.Dev, s.Ino
}

// decode reads an event.
func decode(b []byte) (e event, ok bool) {
	if len(b) < eventSize {
		return e, false
	}
	return event{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:])}, true
}

// counts returns the hits of the blocks. They are valid until the next call.
func (p *program) counts() ([]byte, error) {
	_, err := p.memory.ReadAt(p.buffer, 0)
	return p.buffer, err
}

func (p *program) close() {
	for _, m := range []*ebpf.Map{p.hits, p.ring} {
		if m != nil {
			m.Close()
		}
	}
	if p.prog != nil {
		p.prog.Close()
	}
}
