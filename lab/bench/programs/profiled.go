package programs

// This file makes CPU profiles of programs by package runtime/pprof.

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/pepgo/pep/lab/driver"
)

var mainFunc = regexp.MustCompile(`(?m)^func main\(\) \{`)

// buildProfiled builds p with a main function that profiles its own.
func (p *Program) buildProfiled(build string, flags ...string) error {
	files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
	if err != nil {
		return err
	}
	replaced := make(map[string]string)
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if text := mainFunc.ReplaceAllString(string(data), "func profiled() {"); text != string(data) {
			copied := filepath.Join(p.Work, "main.go")
			replaced[f] = copied
			// The line directive keeps the name of the file.
			if err := os.WriteFile(copied, []byte("//line "+f+":1\n"+text), 0o644); err != nil {
				return err
			}
		}
	}
	if len(replaced) != 1 {
		return fmt.Errorf("%d files of %s have a main function, want 1", len(replaced), p.Dir)
	}
	added := filepath.Join(p.Work, "profile.go")
	replaced[filepath.Join(p.Dir, "pepbench_profile.go")] = added
	if err := os.WriteFile(added, []byte(profiledMain), 0o644); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return err
	}
	file := filepath.Join(p.Work, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		return err
	}
	return p.BuildPlain(build, append(flags, "-pgo=off", "-overlay="+file)...)
}

// ProfileCPU writes the CPU profile of a run.
func (p *Program) ProfileCPU(name string) error {
	if err := p.buildProfiled(Profiled); err != nil {
		return err
	}
	r, err := driver.Start(p.Work, []string{"PEPBENCH_PROFILE=" + name}, p.Exe(Profiled), p.Workload())
	if err == nil && r.Code != 0 {
		err = fmt.Errorf("%s exits with code %d", p.Exe(Profiled), r.Code)
	}
	return err
}

const profiledMain = `package main

import (
	"os"
	"runtime/pprof"
)

func main() {
	f, err := os.Create(os.Getenv("PEPBENCH_PROFILE"))
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		panic(err)
	}
	profiled()
	pprof.StopCPUProfile()
	if err := f.Close(); err != nil {
		panic(err)
	}
}
`
