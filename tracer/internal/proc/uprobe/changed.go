//go:build linux && amd64

package uprobe

// This file looks for code that a process has changed. The kernel takes the instruction of a probe from the file, and
// executes that one when the probe is hit. If the process has another one there, as when it has replaced a function by
// a jump, it would go on in the middle of an instruction.

import (
	"fmt"
	"os"
	"slices"

	"github.com/pepgo/pep/machine/image"
)

// changed returns the indices of offsets of the executable, which is at path, where a process has other code.
// Breakpoints are none. There are no indices if this process may not read the other one's memory.
func changed(path string, offsets []uint64, pid int) (list []int) {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return nil
	}
	maps, err := image.Maps(pid)
	if err != nil {
		return nil
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return nil
	}
	defer memory.Close()
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	for _, m := range maps {
		if !m.Exec || m.Path != exe {
			continue
		}
		for i, o := range offsets {
			if in := o - m.Offset; o >= m.Offset && in < m.End-m.Start && differs(memory, int64(m.Start+in), file, int64(o)) {
				list = append(list, i)
			}
		}
	}
	slices.Sort(list)
	return list
}

// differs reports whether the code in memory is not that of the file, for the length of the longest instruction.
func differs(memory *os.File, addr int64, file *os.File, offset int64) bool {
	const longest, breakpoint = 15, 0xcc
	var now, built [longest]byte
	n, _ := memory.ReadAt(now[:], addr)
	m, _ := file.ReadAt(built[:], offset)
	for i := range min(n, m) {
		if now[i] != built[i] && now[i] != breakpoint {
			return true
		}
	}
	return false
}
