package image

// This file reads the stacks of goroutines that wait.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// The statuses of runtime.g: a goroutine that is ready to run, runs, is in a system call, waits, or was stopped to let
// others run.
const (
	runnable  = 1
	running   = 2
	inSyscall = 3
	waiting   = 4
	preempted = 9
	scanned   = 0x1000 // is added while the collector reads the stack
)

// Bounds for what is read in memory that others change.
const (
	maxGoroutines = 1 << 20
	maxFrames     = 1 << 12
)

// stackFields are where runtime.g has what is needed.
type stackFields struct{ status, pc, sp, callPC, callSP, start, hi int64 }

// OnStacks returns the names of the functions that are on stacks of goroutines, inlined ones, too. Of a goroutine that
// runs it has only the function that it began with. The memory is that of the process. Executables must have symbols
// and DWARF, or the error wraps [ErrStripped].
func (im *Image) OnStacks(memory io.ReaderAt) (map[string]bool, error) {
	symbols, err := im.Symbols()
	if err != nil {
		return nil, err
	}
	all := uint64(0)
	for _, s := range symbols {
		if s.Name == "runtime.allgs" {
			all = s.Addr + im.Bias
		}
	}
	types, err := im.structs("runtime.g")
	if err != nil {
		return nil, err
	}
	var at stackFields
	err = errors.Join(
		offset(types, &at.status, "runtime.g", "atomicstatus"),
		offset(types, &at.pc, "runtime.g", "sched", "pc"),
		offset(types, &at.sp, "runtime.g", "sched", "sp"),
		offset(types, &at.callPC, "runtime.g", "syscallpc"),
		offset(types, &at.callSP, "runtime.g", "syscallsp"),
		offset(types, &at.start, "runtime.g", "startpc"),
		offset(types, &at.hi, "runtime.g", "stack", "hi"),
	)
	if all == 0 || types["runtime.g"] == nil {
		err = errors.Join(err, errors.New("there is no runtime.allgs"))
	}
	if err != nil {
		return nil, err
	}
	words := func(addr uint64, n int) ([]uint64, error) {
		b := make([]byte, 8*n)
		if _, err := memory.ReadAt(b, int64(addr)); err != nil {
			return nil, err
		}
		list := make([]uint64, n)
		for i := range list {
			list[i] = binary.LittleEndian.Uint64(b[8*i:])
		}
		return list, nil
	}
	slice, err := words(all, 2)
	if err == nil && slice[1] > maxGoroutines {
		err = fmt.Errorf("it has %d goroutines", slice[1])
	}
	if err != nil {
		return nil, fmt.Errorf("runtime.allgs: %w", err)
	}
	list, err := words(slice[0], int(slice[1]))
	if err != nil {
		return nil, fmt.Errorf("runtime.allgs: %w", err)
	}
	size := int(types["runtime.g"].ByteSize+7) / 8
	names := make(map[string]bool)
	for _, g := range list {
		for try := range 10 { // until it has not run meanwhile
			before, err := words(g, size)
			if err != nil {
				break
			}
			found := im.stack(at, before, words)
			after, err := words(g, size)
			if err != nil || at.state(before) != at.state(after) {
				continue
			}
			if at.state(before)[0] == running && try < 9 {
				time.Sleep(time.Millisecond)
				continue
			}
			for _, name := range found {
				names[name] = true
			}
			break
		}
	}
	return names, nil
}

// state is what of a runtime.g changes when it runs.
func (at *stackFields) state(g []uint64) [5]uint64 {
	return [5]uint64{g[at.status/8] >> (8 * (at.status % 8)) & 0xffffffff &^ scanned, g[at.pc/8], g[at.sp/8],
		g[at.callPC/8], g[at.callSP/8]}
}

// stack returns the functions on the stack of a goroutine.
func (im *Image) stack(at stackFields, g []uint64, words func(addr uint64, n int) ([]uint64, error)) (names []string) {
	state := at.state(g)
	pc, sp, hi := state[1], state[2], g[at.hi/8]
	switch state[0] {
	case runnable, waiting, preempted:
	case inSyscall:
		pc, sp = state[3], state[4]
	case running:
		if f, ok := im.FuncForPC(g[at.start/8] - im.Bias); ok {
			names = append(names, f.Name)
			if f.Name == "runtime.main" { // which does little else
				names = append(names, "main.main")
			}
		}
		return names
	default: // it is no goroutine
		return nil
	}
	for range maxFrames {
		f, ok := im.FuncForPC(pc - im.Bias)
		if !ok {
			break
		}
		for _, x := range f.Frames(max(pc-im.Bias-1, f.Entry)) { // the call stands ahead of its return address
			names = append(names, x.Func)
		}
		delta, ok := f.SPDelta(pc - im.Bias)
		back := sp + uint64(delta)
		if !ok || delta < 0 || back >= hi {
			break
		}
		ret, err := words(back, 1)
		if err != nil {
			break
		}
		pc, sp = ret[0], back+8
	}
	return names
}
