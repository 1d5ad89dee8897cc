package valgrind

// This file counts how often each instruction is executed.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ByAddress runs a program in an empty directory, with additions to the environment, and returns how often its
// instructions are executed, by their addresses.
func ByAddress(dir string, env []string, program string, args ...string) (map[uint64]int64, error) {
	file := filepath.Join(dir, "callgrind")
	flags := []string{"--tool=callgrind", "--dump-instr=yes", "--compress-strings=no", "--compress-pos=no",
		"--callgrind-out-file=" + file + ".%p"}
	pid, _, err := run(dir, env, flags, program, args)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(fmt.Sprint(file, ".", pid)) // another one is of the program's companion
	if err != nil {
		return nil, err
	}
	return readCallgrind(string(text))
}

// readCallgrind reads lines of address, line and count. A line that follows a line "calls=" has
// the instructions of the callee, and is left out.
func readCallgrind(text string) (map[uint64]int64, error) {
	counts := make(map[uint64]int64)
	call := false
	for line := range strings.Lines(text) {
		skip := call
		call = strings.HasPrefix(line, "calls=")
		f := strings.Fields(line)
		if skip || len(f) != 3 || !strings.HasPrefix(f[0], "0x") {
			continue
		}
		addr, err1 := strconv.ParseUint(f[0], 0, 64)
		n, err2 := strconv.ParseInt(f[2], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("callgrind's line %q: %w", line, err)
		}
		counts[addr] += n
	}
	return counts, nil
}
