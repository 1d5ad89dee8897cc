package gobuild

// This file writes the tables of branches of a program.

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/gobuild/internal/toolexec"
)

// Archives builds the packages of a command line with -peptable or -pepopt, and all that they import, as Run does, and
// returns the names of their archives by import path. The go command calls the current program for its tools, which is
// to call Tool.
func Archives(args *Args, stderr io.Writer) (map[string]string, error) {
	b := newBuild(args, stderr)
	if err := b.readEnv(); err != nil {
		return nil, err
	}
	if _, err := b.prepare(); err != nil {
		return nil, err
	}
	archives, err := b.archives(append([]string{"-deps", "--"}, args.Patterns...)...)
	return archives, errors.Join(err, b.removeFiles())
}

// writeBranches writes the tables of all packages to the file that the user names.
func (b *build) writeBranches() error {
	archives, err := b.archives(append([]string{"-deps", "--"}, b.args.Patterns...)...)
	if err != nil {
		return err
	}
	var tables, actions [][]byte
	for _, path := range slices.Sorted(maps.Keys(archives)) {
		table, acts, err := toolexec.BranchTable(archives[path])
		if err == nil && table == nil {
			err = fmt.Errorf("package %s has no table of branches", path)
		}
		if err != nil {
			return err
		}
		tables, actions = append(tables, table), append(actions, acts)
	}
	return os.WriteFile(b.args.Table, branches.Join(tables, actions), 0o666)
}
