package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pepgo/pep/hwsim/tracetest"
	"github.com/pepgo/pep/internal/command/commandtest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"figures": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(env *testscript.Env) error { return makeExample(env.WorkDir) },
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exitcode": commandtest.ExitCode},
	})
}

func TestUsage(t *testing.T) { commandtest.Usage(t, &figures, makeExample) }

// makeExample puts a trace of a program that is made up into a directory.
func makeExample(dir string) error {
	var app bytes.Buffer
	if err := tracetest.Write(&app, 2_000_000); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "app.trace"), app.Bytes(), 0o644)
}
