package toolexec

// This file has packages compiled as they are, with a table of branches.

import (
	"errors"
	"fmt"
	"os"

	"github.com/pepgo/pep/gobuild/internal/archive"
)

const (
	branchesField = "branches="

	branchesMember = "pep.branches" // the archive member that holds the table

	// envBranches names the environment variable that tells the compiler where to write the table.
	envBranches = "PEPBUILD_TABLE"
)

// Branches returns the tag of a package that is not instrumented and has a table of branches, as an argument of the compile
// command. The compiler's key stands for all that the table depends on.
func Branches(compilerKey string) string { return TagFlag + "=" + branchesField + compilerKey }

// BranchTable returns the table of branches of the package in an archive.
func BranchTable(file string) ([]byte, error) {
	table, err := archive.Find(file, branchesMember)
	if table == nil && err == nil {
		err = fmt.Errorf("%s has no table of branches", file)
	}
	return table, err
}

// compileWithBranches compiles a package with the compiler that writes tables.
func (t *tool) compileWithBranches(compilerKey string) (int, error) {
	if err := t.choose(Tag{Compiler: compilerKey}); err != nil {
		return 1, err
	}
	out, i := t.flag("-o")
	if i < 0 {
		return 1, errors.New("the compile command has no -o: pepbuild does not know this version of Go")
	}
	file := out + ".branches"
	if err := os.Setenv(envBranches, file); err != nil {
		return 1, err
	}
	if code, err := t.run(t.args); code != 0 || err != nil {
		return code, err
	}
	table, err := os.ReadFile(file)
	if err != nil {
		return 1, fmt.Errorf("the compiler has written no table of branches: %w", err)
	}
	return 0, archive.Add(out, branchesMember, table)
}
