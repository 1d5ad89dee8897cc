package gobuild

// This file finds the site tables of what no test has.

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/internal/toolexec"
)

// tablesOfUntested writes the site tables of the instrumented packages that are in no test into a file in a
// directory, since no program writes them, and returns its name, if there are such packages.
func (b *build) tablesOfUntested(dir string) (names []string, err error) {
	var untested []string
	tested := b.tested()
	for _, path := range b.selected {
		if !tested[path] {
			untested = append(untested, path)
		}
	}
	if len(untested) == 0 {
		return nil, nil
	}
	archives, err := b.archives(append([]string{"--"}, untested...)...)
	if err != nil {
		return nil, err
	}
	var tables []byte
	for _, path := range slices.Sorted(maps.Keys(archives)) {
		table, err := toolexec.SiteTable(archives[path])
		if err != nil {
			return nil, err
		}
		tables = append(tables, table...)
	}
	if len(tables) == 0 {
		return nil, nil
	}
	data, err := wire.Join(tables)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, fmt.Sprintf("untested.%d.%d.sites", os.Getpid(), time.Now().UnixNano()))
	return []string{name}, os.WriteFile(name, data, 0o666)
}

// archives returns the names of the archives of the packages that go list lists, by import path. It builds those that
// are not in the cache.
func (b *build) archives(args ...string) (map[string]string, error) {
	cmd := exec.Command(b.goCmd, slices.Concat([]string{"list", "-e", "-export", "-json=ImportPath,Export"},
		b.args.listFlags(), b.toolFlags, args)...)
	cmd.Env, cmd.Stderr = b.toolEnv(), b.stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("building packages: %w", err)
	}
	names := map[string]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath, Export string }
		if err := dec.Decode(&p); err == io.EOF {
			return names, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Export != "" { // otherwise the go command has said why it cannot be built
			names[p.ImportPath] = p.Export
		}
	}
}

// tested returns the import paths of the packages that are in programs of tests.
func (b *build) tested() map[string]bool {
	tested := map[string]bool{}
	for name := range b.imported(func(p *pkg) bool { return p.isTestMain() }) {
		path, _, _ := strings.Cut(name, " ")
		tested[path] = true
	}
	return tested
}
