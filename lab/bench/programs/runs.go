package programs

// This file runs programs that write profiles.

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/driver"
)

// Defaults is the environment of programs that sample as they do if the user says nothing.
const Defaults = "PEPOPTS="

// NoTicks is a setting without samples: no program runs long enough for a tick.
const NoTicks = "PEPOPTS=tick=100000s"

// Run runs a build, which writes its profiles to a directory.
func (p *Program) Run(dir, build string, env ...string) (driver.Run, error) {
	r, err := driver.Start(dir, append(env, "PEPDIR="+dir), p.Exe(build), p.Workload())
	if err == nil && r.Code != 0 {
		err = fmt.Errorf("%s exits with code %d", p.Exe(build), r.Code)
	}
	return r, err
}

// WithProfile runs a build, and calls read with the name of its profile of paths.
func (p *Program) WithProfile(build string, env []string, read func(name string) error) error {
	dir, err := os.MkdirTemp(p.Work, "out")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := p.Run(dir, build, env...); err != nil {
		return err
	}
	name, err := driver.Profile(dir, schema.Paths)
	if err != nil {
		return err
	}
	return read(name)
}

// Command is a run of a build that writes its profiles to a directory.
func (p *Program) Command(dir, build string, env ...string) *exec.Cmd {
	cmd := exec.Command(p.Exe(build), p.Workload())
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append(env, "PEPDIR="+dir)...)
	return cmd
}

// EdgesFile runs a build, and returns its paths and a file with its edges.
func (p *Program) EdgesFile(build string, env ...string) (paths []profile.Path, name string, err error) {
	dir, err := os.MkdirTemp(p.Work, "guide")
	if err != nil {
		return nil, "", err
	}
	if _, err := p.Run(dir, build, env...); err != nil {
		return nil, "", err
	}
	if name, err = driver.Profile(dir, schema.Paths); err != nil {
		return nil, "", err
	}
	f, err := profile.Open(name)
	if err != nil {
		return nil, "", err
	}
	if paths, err = f.Paths(); err != nil {
		return nil, "", err
	}
	name, err = f.Beside(schema.Edges)
	return paths, name, err
}

// Size returns the bytes of an executable.
func Size(exe string) (int64, error) {
	info, err := os.Stat(exe)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
