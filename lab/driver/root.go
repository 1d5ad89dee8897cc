// Package driver builds programs, plain and by pepbuild in a mode, and runs them.
//
//	name, flags, err := driver.Command(pepbuild, "exact", "all")
//	_, err = driver.Tool(dir, nil, name, append(append([]string{"build"}, flags...), "-o", exe, ".")...)
//	r, err := (&driver.Process{Exe: exe, Dir: work, Env: []string{"PEPDIR=" + work}, Limit: time.Minute}).Run()
//	fmt.Println(r.State, r.CPU)                        // exit status 0 1.2s
//	profile, err := driver.Profile(work, schema.Paths) // prog.4711.T.paths.pb.gz
package driver

// This file finds the module of pep, and builds its commands.

import (
	"path/filepath"
	"strings"
)

// Root returns the directory of the module of pep, which lab/go.mod names. The working
// directory must be in lab.
func Root() (string, error) {
	r, err := Tool("", nil, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/pepgo/pep")
	return strings.TrimSpace(r.Stdout), err
}

// Build builds a command of the module, such as pepbuild, in a directory, and returns the name of its executable.
func Build(command, dir string) (exe string, err error) {
	exe = filepath.Join(dir, command)
	_, err = Tool("", nil, "go", "build", "-buildvcs=false", "-trimpath", "-o", exe, "github.com/pepgo/pep/cmd/"+command)
	return exe, err
}
