package gocompiler

// This file applies the patches.

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The folder patches has what the overlay changes in the source of the go command's tools. The same
// patches fit all releases of Go that pepbuild knows. Names are those below GOROOT/src/cmd:
//
//	compile/internal/ssa/peppaths.go.txt      a file that the overlay adds
//	compile/internal/ssa/nilcheck.go.patch    changes of a file, as diff -u writes them
//
// A patch begins with what the changed functions do.
//
//go:embed patches
var overlayFiles embed.FS

const root = "patches"

// A change is a file of the overlay.
type change struct {
	name   string // of the file of the installation that it replaces
	text   string // of the file, or of the patch that makes it of the source
	patch  bool
	source string
}

// changes returns the files of the overlay, in the order of their names.
func changes(goroot string) (list []change, err error) {
	err = fs.WalkDir(overlayFiles, root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := overlayFiles.ReadFile(path)
		if err != nil {
			return err
		}
		c := change{text: string(text)}
		path, c.patch = strings.CutSuffix(strings.TrimPrefix(path, root+"/"), ".patch")
		c.name = filepath.Join(goroot, "src", "cmd", filepath.FromSlash(strings.TrimSuffix(path, ".txt")))
		if c.patch {
			source, err := os.ReadFile(c.name)
			if err != nil {
				return err
			}
			c.source = string(source)
		}
		list = append(list, c)
		return nil
	})
	return list, err
}

// overlaid returns the texts that the overlay has, by the names of the files of the
// installation that they replace.
func overlaid(list []change) (map[string]string, error) {
	texts := map[string]string{}
	for _, c := range list {
		texts[c.name] = c.text
		if !c.patch {
			continue
		}
		var err error
		if texts[c.name], err = apply(c.text, c.source); err != nil {
			return nil, fmt.Errorf("%s: %w: pepbuild does not know this source", c.name, err)
		}
	}
	return texts, nil
}

// apply returns the source with the changes of a patch. It finds a hunk by its old lines, which
// must occur once. The line numbers do not matter, so one patch fits all releases that
// have these lines.
func apply(patch, source string) (string, error) {
	for i, hunk := range hunks(patch) {
		old, new := sides(hunk)
		if n := strings.Count("\n"+source, "\n"+old); n != 1 {
			return "", fmt.Errorf("the old lines of change %d occur %d times, want once", i+1, n)
		}
		source = strings.TrimPrefix(strings.Replace("\n"+source, "\n"+old, "\n"+new, 1), "\n")
	}
	return source, nil
}

// hunks returns the lines of each change of a patch.
func hunks(patch string) (hunks []string) {
	for _, h := range strings.Split(patch, "\n@@ ")[1:] {
		_, lines, _ := strings.Cut(h, "\n")
		hunks = append(hunks, strings.TrimSuffix(lines, "\n")+"\n")
	}
	return hunks
}

// sides returns the lines of a change before and after it.
func sides(hunk string) (old, new string) {
	for line := range strings.Lines(hunk) {
		if line[0] != '+' {
			old += line[1:]
		}
		if line[0] != '-' {
			new += line[1:]
		}
	}
	return old, new
}
