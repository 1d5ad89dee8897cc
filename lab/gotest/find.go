package gotest

// This file finds the programs.

import (
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Find returns the programs whose names match, as slash-separated paths under GOROOT/test.
// For each program that it leaves out, it returns a line with the reason.
func Find(match *regexp.Regexp) (programs, left []string, err error) {
	root, err := testRoot()
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range []string{".", "abi", "chan", "fixedbugs", "interface", "ken", "typeparam"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return nil, nil, err
		}
		for _, file := range files {
			name := path.Join(dir, filepath.Base(file))
			if !match.MatchString(name) || !runs(file) {
				continue
			}
			reason := excluded[name]
			if ok, err := build.Default.MatchFile(filepath.Dir(file), filepath.Base(file)); err != nil || !ok {
				reason = "is not for this system"
			}
			if reason != "" {
				left = append(left, name+": "+reason)
				continue
			}
			programs = append(programs, name)
		}
	}
	slices.Sort(programs)
	return programs, left, nil
}

// testRoot returns the folder of the programs: that of the selected toolchain, or, because toolchains that the
// go command downloads come without it, that of the installation.
func testRoot() (root string, err error) {
	for _, env := range [][]string{nil, append(os.Environ(), "GOTOOLCHAIN=local")} {
		cmd := exec.Command("go", "env", "GOROOT")
		cmd.Env = env
		out, err := cmd.Output()
		if err != nil {
			return "", err
		}
		root = filepath.Join(strings.TrimSpace(string(out)), "test")
		if _, err := os.Stat(root); err == nil {
			return root, nil
		}
	}
	return "", fmt.Errorf("the installation of Go has no folder %s: some distributions leave it out", root)
}

// runs reports whether the header of a file says that it is a program to run,
// without arguments.
func runs(file string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "// run":
			return true
		case line != "" && !strings.HasPrefix(line, "//go:build") && !strings.HasPrefix(line, "// +build"):
			return false
		}
	}
	return false
}
