package linked

// This file finds the archives of std.

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// listExports finds the export data, which is in their archives, of the imported packages of std and of all on which
// they depend. The go command builds what its cache lacks. What it says is kept for later builds with the same
// settings, as long as the archives and the sources are what they were: it takes as long as the rest of a small build.
func (b *builder) listExports() error {
	args := append([]string{"list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}}={{.Export}}={{.Dir}}{{end}}"},
		b.ListFlags...)
	args = append(append(args, "--"), b.std...)
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", args, b.ListEnv)
	for _, name := range slices.Sorted(maps.Keys(b.Env)) {
		fmt.Fprintf(h, "%q %q", name, b.Env[name])
	}
	name := filepath.Join(b.CacheDir, fmt.Sprintf("%.16x.exports", h.Sum(nil)))
	if kept, err := os.ReadFile(name); err == nil {
		var k keptExports
		if json.Unmarshal(kept, &k) == nil && k.valid() {
			b.exports = k.Exports
			return nil
		}
	}
	out, err := output(b.ListEnv, b.Go, args...)
	if err != nil {
		return fmt.Errorf("listing std for the linked runtime: %w", err)
	}
	k := keptExports{Exports: map[string]string{}}
	for line := range strings.Lines(out) {
		if imp, rest, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			file, dir, _ := strings.Cut(rest, "=")
			k.Exports[imp] = file
			k.Dirs = append(k.Dirs, dir)
		}
	}
	b.exports = k.Exports
	if slices.ContainsFunc(b.ListFlags, func(f string) bool { return strings.HasPrefix(f, "-overlay=") }) {
		return nil // the source is elsewhere
	}
	if k.Sources, err = stamp(k.Dirs); err != nil {
		return err
	}
	text, err := json.Marshal(k)
	return cmp.Or(err, os.MkdirAll(b.CacheDir, 0o777), create(name, string(text)))
}

// A keptExports is what listExports keeps.
type keptExports struct {
	Exports map[string]string // archives by import path
	Dirs    []string          // of the packages
	Sources string            // stamp of their files
}

// valid reports whether all archives exist, and the sources are as they were.
func (k *keptExports) valid() bool {
	for _, file := range k.Exports {
		if _, err := os.Stat(file); err != nil {
			return false
		}
	}
	now, err := stamp(k.Dirs)
	return err == nil && now == k.Sources
}

// stamp returns a hash of the names, sizes and times of the files in directories.
func stamp(dirs []string) (string, error) {
	h := sha256.New()
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				return "", err
			}
			io.WriteString(h, fmt.Sprintln(dir, e.Name(), info.Size(), info.ModTime().UnixNano()))
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
