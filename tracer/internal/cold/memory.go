//go:build linux && amd64

package cold

// This file writes to the text of processes.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// trap is the instruction that the kernel puts at the place of a probe.
const trap = 0xcc

// openMemory opens the memory of a process. What is open stays the memory of the program that the process runs
// now, and so is never that of another one.
var openMemory = func(pid int) (*os.File, error) {
	return os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
}

// A text is the text of a process.
type text struct {
	mem     *os.File
	bias    uint64 // what the process adds to addresses
	started uint64 // when the process was started, in clock ticks since boot
}

// errGone means that the process has ended or runs another program.
var errGone = errors.New("the memory of the process is gone")

func (t *text) read(b []byte, addr uint64) error { return gone(t.mem.ReadAt(b, int64(addr))) }

func (t *text) write(b []byte, addr uint64) error { return gone(t.mem.WriteAt(b, int64(addr))) }

// gone makes the error of a read or write. Of a process that has ended, the kernel reads and writes nothing.
func gone(_ int, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrShortWrite) ||
		errors.Is(err, syscall.ESRCH) {
		return errGone
	}
	return err
}

// restore replaces the trap at an address of the process by the byte of the file. It does nothing if there
// is no trap.
func (t *text) restore(addr uint64, b byte) error {
	var now [1]byte
	if err := t.read(now[:], addr); err != nil || now[0] != trap {
		return err
	}
	return t.write([]byte{b}, addr)
}

// differences compares the places of a plan with the process, and returns how many are not as in the file, with the
// first block that is not.
func (p *Plan) differences(t *text) (n, first int, err error) {
	memory := make([]byte, p.Text.End-p.Text.Start)
	if err := t.read(memory, p.Text.Start+t.bias); err != nil {
		return 0, 0, err
	}
	first = -1
	for i := range p.Places {
		x := &p.Places[i]
		if x.Offset != 0 && memory[x.Addr-p.Text.Start] != x.Byte {
			if n++; first < 0 {
				first = i
			}
		}
	}
	return n, first, nil
}

// untouched returns an error if the code of a process has been changed.
func (p *Plan) untouched(pid int, t *text) error {
	n, first, err := p.differences(t)
	if err != nil {
		return fmt.Errorf("process %d: %w", pid, err)
	}
	if n > 0 {
		return fmt.Errorf("process %d: its code differs from that of its file in %d places, the first in %s: the program has changed it, or another tracer or a debugger is at work, which you can end first", pid, n, p.functionOf(first))
	}
	return nil
}

// functionOf returns the name of the function of a block.
func (p *Plan) functionOf(block int) string {
	for i := range p.Program.Functions {
		f := &p.Program.Functions[i]
		if block < len(f.Blocks) {
			return f.Name
		}
		block -= len(f.Blocks)
	}
	return ""
}
