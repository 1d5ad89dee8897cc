package toolexec

// This file has packages compiled by what a profile counts.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	countsField = "counts="

	// envCountsFile names the environment variable that tells the compiler where the counts are.
	envCountsFile = "PEPBUILD_COUNTS"
)

// EnvCounts names the environment variable that has the directory of counts, with a file for each tag that Counts returns.
const EnvCounts = "PEPBUILD_COUNTS_DIR"

// Counts returns the tag of a package that is not instrumented, and is compiled by counts in a file, as an argument of the
// compile command. The compiler's key stands for all that it makes of counts, and the name of the file for these.
func Counts(compilerKey, file string) string {
	return TagFlag + "=" + countsField + compilerKey + "," + file
}

// compileWithCounts compiles a package with a tag that Counts has made.
func (t *tool) compileWithCounts(value string) (int, error) {
	_, file, _ := strings.Cut(value, ",")
	if err := t.choose(); err != nil {
		return 1, err
	}
	dir := os.Getenv(EnvCounts)
	if dir == "" {
		return 1, fmt.Errorf("%s is not set: the toolexec verb is for pepbuild's own use", EnvCounts)
	}
	if err := os.Setenv(envCountsFile, filepath.Join(dir, file)); err != nil {
		return 1, err
	}
	return t.run(t.args)
}
