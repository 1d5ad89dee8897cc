package overhead

// This file measures how long builds take.

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/driver"
)

// A buildTimer times builds in caches of its own. It first fills them with the
// packages that are not instrumented. So both the go command and pepbuild compile
// the other packages, and take these from the cache.
type buildTimer struct {
	*programs.Config
	dir string
	env []string
}

func newBuildTimer(cfg *programs.Config) (*buildTimer, error) {
	dir, err := os.MkdirTemp("", "pepbench-cache-")
	if err != nil {
		return nil, err
	}
	env := []string{"GOCACHE=" + filepath.Join(dir, "go"), "XDG_CACHE_HOME=" + dir}
	return &buildTimer{cfg, dir, env}, nil
}

func (t *buildTimer) close() { os.RemoveAll(t.dir) }

// measure times the build of p, plain and instrumented, where pkgs are the
// instrumented packages.
func (t *buildTimer) measure(p *programs.Program, pkgs []string) (map[string]driver.Run, error) {
	t.Logf("%s: timing builds", p.Name)
	// The packages must not come from the cache. For the go command a flag of the compiler
	// makes them new; it has no other effect (-D is the directory of local imports). For
	// pepbuild a change of its own executable makes them new.
	salted, err := t.salted(p.Name)
	if err != nil {
		return nil, err
	}
	plain := []string{"build", "-o", p.Exe("timed")}
	for _, pkg := range pkgs {
		plain = append(plain, "-gcflags="+pkg+"=-D="+t.dir+"/"+p.Name)
	}
	prime := func(exe string, args ...string) error {
		_, err := driver.Tool(p.Dir, t.env, exe, args...)
		return err
	}
	if err := errors.Join(
		prime("go", "build", "-o", p.Exe("timed"), "."),
		prime(salted, "build", "-pepmode=polls", "-o", p.Exe("timed"), "."), // the linked runtime
	); err != nil {
		return nil, err
	}
	times := make(map[string]driver.Run)
	if times["go"], err = driver.Tool(p.Dir, t.env, "go", append(plain, ".")...); err != nil {
		return nil, err
	}
	times["pepbuild"], err = driver.Tool(p.Dir, t.env, salted, "build", "-pepmode=polls", "-peppkg="+t.Packages, "-o",
		p.Exe("timed"), ".")
	return times, err
}

// salted returns a copy of the command pepbuild with some bytes appended. The copy does the
// same, but its hash differs, so it takes nothing from the cache that pepbuild has built.
func (t *buildTimer) salted(salt string) (string, error) {
	data, err := os.ReadFile(t.Pepbuild)
	if err != nil {
		return "", err
	}
	name := filepath.Join(t.dir, "pepbuild-"+strings.ReplaceAll(salt, "/", "-"))
	return name, os.WriteFile(name, append(data, salt...), 0o755)
}
