package toolexec

// This file has packages compiled by what a profile counts.

import (
	"os"
	"path/filepath"
)

// envCountsFile names the environment variable that tells the compiler where the counts are.
const envCountsFile = "PEPBUILD_COUNTS"

// compileWithCounts compiles a package by the counts in a file.
func (t *tool) compileWithCounts(file string) (int, error) {
	if err := t.choose(); err != nil {
		return 1, err
	}
	if t.plan.CountsDir == "" {
		return 1, notSet("counts")
	}
	if err := os.Setenv(envCountsFile, filepath.Join(t.plan.CountsDir, file)); err != nil {
		return 1, err
	}
	return t.run(t.args)
}
