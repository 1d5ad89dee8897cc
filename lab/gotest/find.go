package gotest

// This file finds the programs.

import (
	"errors"
	"go/build"
	"os"
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

// testRoot returns the folder of the programs: that of the first go command in PATH that has one. Toolchains that
// the go command downloads come without it, and stand in front of the installation in PATH.
func testRoot() (string, error) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		gocmd, err := filepath.EvalSymlinks(filepath.Join(dir, "go"))
		if err != nil {
			continue
		}
		root := filepath.Join(filepath.Dir(filepath.Dir(gocmd)), "test")
		if _, err := os.Stat(filepath.Join(root, "fixedbugs")); err == nil {
			return root, nil
		}
	}
	return "", errors.New("no installation of Go in PATH has the folder test: some distributions leave it out")
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
