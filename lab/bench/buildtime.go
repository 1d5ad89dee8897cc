package bench

// This file measures how long builds take.

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A buildTimer times builds in caches of its own. It first fills them with the
// packages that are not instrumented. So both the go command and pepbuild compile
// the other packages, and take these from the cache.
type buildTimer struct {
	*Config
	dir string
	env []string
}

func newBuildTimer(cfg *Config) (*buildTimer, error) {
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
func (t *buildTimer) measure(p *program, pkgs []string) (map[string]Run, error) {
	t.logf("%s: timing builds", p.name)
	// The packages must not come from the cache. For the go command a flag of the compiler
	// makes them new; it has no other effect (-D is the directory of local imports). For
	// pepbuild a change of its own executable makes them new.
	salted, err := t.salted(p.name)
	if err != nil {
		return nil, err
	}
	plain := []string{"build", "-o", p.exe("timed")}
	for _, pkg := range pkgs {
		plain = append(plain, "-gcflags="+pkg+"=-D="+t.dir+"/"+p.name)
	}
	prime := func(exe string, args ...string) error {
		_, err := tool(p.dir, t.env, exe, args...)
		return err
	}
	if err := errors.Join(
		prime("go", "build", "-o", p.exe("timed"), "."),
		prime(salted, "build", "-pepmode=polls", "-o", p.exe("timed"), "."), // the linked runtime
	); err != nil {
		return nil, err
	}
	times := make(map[string]Run)
	if times["go"], err = tool(p.dir, t.env, "go", append(plain, ".")...); err != nil {
		return nil, err
	}
	times["pepbuild"], err = tool(p.dir, t.env, salted, "build", "-pepmode=polls", "-peppkg="+t.Packages, "-o", p.exe("timed"), ".")
	return times, err
}

// A timedBuild is a way to build a program.
type timedBuild struct {
	name    string
	command []string
}

// coldBuilds times builds of all packages, with a cache that is empty. The compiler of pepbuild has been built. Each is the
// least of two.
func (p *program) coldBuilds(ways []timedBuild) (map[string]Run, error) {
	p.logf("%s: timing builds", p.name)
	times := make(map[string]Run)
	for range 2 {
		for _, way := range ways {
			err := p.inWork("cache", func(cache string) error {
				args := slices.Concat(way.command[1:], []string{"-pgo=off", "-o", p.exe("timed"), "."})
				r, err := tool(p.dir, []string{"GOCACHE=" + cache}, way.command[0], args...)
				if known, ok := times[way.name]; err == nil && (!ok || r.CPU < known.CPU) {
					times[way.name] = r
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return times, nil
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
