// Package record runs programs that were built with pepbuild -peptaps so that
// they write a trace.
//
//	err := record.Run(exec.Command("./app", "-v"), "app.trace", 16_000_000)
//
// What a program is told, by PEPOPTS in its environment, is in docs/formats.md.
package record

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Run runs cmd and has it write at most max tuples, all if that is 0, to a trace.
// What PEPOPTS says beside that is kept.
func Run(cmd *exec.Cmd, file string, max uint64) error {
	program := cmd.Args[0]
	name, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	if strings.Contains(name, ",") {
		return fmt.Errorf("%s: PEPOPTS is separated by commas, so the name of a trace cannot have one", name)
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd.Env = append(cmd.Environ(), "PEPOPTS="+options(os.Getenv("PEPOPTS"), name, max))
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	if _, err := os.Stat(name); err != nil {
		return fmt.Errorf("%s has written no trace: programs do that if pepbuild has built them with -peptaps", program)
	}
	return nil
}

// options returns PEPOPTS with the settings of a trace instead of those it has.
func options(set, name string, max uint64) string {
	var list []string
	for s := range strings.SplitSeq(set, ",") {
		if s != "" && !strings.HasPrefix(s, "trace=") && !strings.HasPrefix(s, "tracemax=") {
			list = append(list, s)
		}
	}
	list = append(list, "trace="+name)
	if max > 0 {
		list = append(list, "tracemax="+strconv.FormatUint(max, 10))
	}
	return strings.Join(list, ",")
}
