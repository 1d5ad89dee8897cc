package gobuild

// This file tests whether pepbuild works with a release of Go that it does not know.

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
)

// envSelfCheck is set for the builds of the test itself.
const envSelfCheck = "PEPBUILD_SELFCHECK"

// selfCheckProgram counts the outcomes of its branches.
//
//go:embed selfcheck.go.txt
var selfCheckProgram string

// selfCheck builds a small program with the selected toolchain, and compares pepbuild's counts with those of the program
// itself. It does so once for each toolchain and each pepbuild: a file in the cache says that it went well.
func (b *build) selfCheck() error {
	if os.Getenv(envSelfCheck) != "" {
		return nil
	}
	exe, key, err := self()
	if err != nil {
		return err
	}
	cache, err := cacheDir()
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(key + "\n" + b.release.name + "\n" + b.env["GOROOT"]))
	passed := filepath.Join(cache, fmt.Sprintf("checked-%.8x", sum))
	if _, err := os.Stat(passed); err == nil {
		return nil
	}
	fmt.Fprintln(b.stderr, "pepbuild: building a small program to see whether counts are right with this release: once for it")
	dir, err := os.MkdirTemp("", "pepbuild-check-")
	if err != nil {
		return err
	}
	err = checkIn(dir, exe, b.env["GOROOT"])
	if err = errors.Join(err, os.RemoveAll(dir)); err != nil {
		return fmt.Errorf("%s is a release that this pepbuild does not know, and does not work with: %w; set GOTOOLCHAIN to a release of %s, or get a newer pepbuild", b.release.name, err, strings.Join(known, " or "))
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return err
	}
	return os.WriteFile(passed, nil, 0o666)
}

// checkIn builds and runs the program in a directory, with exact counts and sampled.
func checkIn(dir, exe, goroot string) error {
	for name, text := range map[string]string{"main.go": selfCheckProgram, "go.mod": "module pepcheck\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	// The user's build may be for another system, and its flags may need the user's module.
	env := append(os.Environ(), "PATH="+filepath.Join(goroot, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GOTOOLCHAIN=local", "GOOS=", "GOARCH=", "GOFLAGS=", "GOWORK=off", "PWD="+dir, "PEPDIR="+dir, "PEPOPTS=tick=4ms", envSelfCheck+"=1")
	run := func(name string, args ...string) (string, error) {
		var stderr strings.Builder
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &stderr
		out, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, stderr.String())
		}
		return string(out), err
	}
	for _, mode := range []string{"exact", "sample"} {
		prog := filepath.Join(dir, mode+".exe")
		if _, err := run(exe, "build", "-pepmode="+mode, "-pepinline=less", "-o", prog, "."); err != nil {
			return err
		}
		out, err := run(prog)
		if err != nil {
			return err
		}
		want := map[string]int64{}
		for line := range strings.Lines(out) {
			var n int64
			if _, err := fmt.Sscan(line, &n); err != nil {
				return fmt.Errorf("the program prints %q: %w", line, err)
			}
			_, name, _ := strings.Cut(strings.TrimSpace(line), " ")
			want[name] = n
		}
		got, err := outcomes(prog)
		if err != nil {
			return err
		}
		if mode == "exact" && !maps.Equal(got, want) {
			return fmt.Errorf("the profile counts %v, and the program itself %v", got, want)
		}
		for name := range got {
			if want[name] == 0 {
				return fmt.Errorf("the sampled profile has the outcome %q, which the program never takes", name)
			}
		}
	}
	return nil
}

// outcomes returns the counts of the outcomes of branches of the function main.step, by kind and outcome, in the one
// profile of a program.
func outcomes(prog string) (map[string]int64, error) {
	names, err := filepath.Glob(prog + ".*.edges.pb.gz")
	if err != nil {
		return nil, err
	}
	if len(names) != 1 {
		return nil, fmt.Errorf("%s has written %d profiles of edges, want one", filepath.Base(prog), len(names))
	}
	f, err := profile.Open(names[0])
	if err != nil {
		return nil, err
	}
	edges, err := f.Edges()
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for _, e := range edges {
		if e.Branch.Func.Name == "main.step" {
			counts[e.Kind+" "+e.Outcome] += e.Count
		}
	}
	if len(counts) == 0 {
		return nil, fmt.Errorf("the profile of %s has no branch of main.step", filepath.Base(prog))
	}
	return counts, nil
}
