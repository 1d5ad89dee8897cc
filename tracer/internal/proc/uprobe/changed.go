//go:build linux && amd64

package uprobe

// This file looks for code that a process has changed. The kernel takes the instruction of a probe from the file, and
// executes that one when the probe is hit. If the process has another one there, as when it has replaced a function by a
// jump, it would go on in the middle of an instruction.

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
)

// changed returns the indices of offsets of the executable, which is at path, where a process has other code. Breakpoints are
// none. There are no indices if this process may not read the other one's memory.
func changed(path string, offsets []uint64, pid int) (list []int) {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return nil
	}
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil
	}
	defer maps.Close()
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
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var start, end, offset uint64
		var mode string
		fields := strings.SplitN(lines.Text(), " ", 6) // the path may have spaces
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s %x", &start, &end, &mode, &offset); err != nil ||
			mode[2] != 'x' || len(fields) < 6 || strings.TrimLeft(fields[5], " ") != exe {
			continue
		}
		for i, o := range offsets {
			if o >= offset && o-offset < end-start && differs(memory, int64(start+o-offset), file, int64(o)) {
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
