//go:build linux && amd64

package main

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pepgo/pep/internal/command/commandtest"
)

var update = flag.Bool("update", false, "rewrite the expected outputs of scripts and of the package comment")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"peptrace": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exitcode": commandtest.ExitCode},
	})
}
