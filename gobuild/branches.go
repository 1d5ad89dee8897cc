package gobuild

// This file writes the tables of branches of a program.

import (
	"os"

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/gobuild/internal/toolexec"
)

// writeBranches writes the tables of all packages to the file that the user names.
func (b *build) writeBranches(env []string) error {
	archives, err := b.archives(env, append([]string{"-deps", "--"}, b.args.Patterns...)...)
	if err != nil {
		return err
	}
	var tables [][]byte
	for _, a := range archives {
		table, err := toolexec.BranchTable(a)
		if err != nil {
			return err
		}
		tables = append(tables, table)
	}
	return os.WriteFile(b.args.Table, branches.Join(tables), 0o666)
}
