package main

// This file tests the commands that build and run programs.

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/internal/command/commandtest"
)

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes about 20 s: it builds programs")
	}
	dir := filepath.Dir(pepbuildtest.Pepbuild(t))
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "run"),
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exitcode": commandtest.ExitCode},
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", dir+string(filepath.ListSeparator)+e.Getenv("PATH"))
			// The caches are the user's own: std is compiled there already.
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS"} {
				if value, ok := os.LookupEnv(name); ok {
					e.Setenv(name, value)
				}
			}
			return nil
		},
	})
}
