package toolexec

// This file reads the importcfg in which the go command lists a package's imports, and
// the export data of these.

import (
	"bufio"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"os"
	"strings"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/pepgo/pep/gobuild/internal/archive"
)

// An importer imports packages from the archives that an importcfg names.
type importer struct {
	fset    *token.FileSet
	mapping map[string]string // import path in the source to import path
	file    map[string]string // import path to archive
	done    map[string]*types.Package
}

// readImports reads an importcfg file.
func readImports(name string) (*importer, error) {
	imp := &importer{
		fset:    token.NewFileSet(),
		mapping: map[string]string{},
		file:    map[string]string{},
		done:    map[string]*types.Package{},
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Not a bufio.Scanner: lines may be longer than it takes.
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadString('\n')
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		key, value, _ := strings.Cut(rest, "=")
		switch verb {
		case "importmap":
			imp.mapping[key] = value
		case "packagefile":
			imp.file[key] = value
		}
		if err == io.EOF {
			return imp, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// polls returns what the archives of the imports say of polls, "" if none can have polls. All that do
// say the same, for they are of one build.
func (imp *importer) polls() (string, error) {
	for _, name := range imp.file {
		if data, err := archive.Find(name, pollsMember); data != nil || err != nil {
			return string(data), err
		}
	}
	return "", nil
}

// Import implements types.Importer.
func (imp *importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if to, ok := imp.mapping[path]; ok {
		path = to
	}
	if pkg := imp.done[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	name, ok := imp.file[path]
	if !ok {
		return nil, fmt.Errorf("no export data for %q", path)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 go/importer reads only archives of the release that built pepbuild and of earlier ones; this reads those of two releases and of the next, up to Go 1.28
	r, err := gcexportdata.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("export data of %q: %w", path, err)
	}
	return gcexportdata.Read(r, imp.fset, imp.done, path)
}
