package toolexec

// This file links the runtime and the site tables into a program.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pepgo/pep/internal/archive"
	"github.com/pepgo/pep/internal/linked"
	"github.com/pepgo/pep/runtime/tuple"
	"github.com/pepgo/pep/runtime/wire"
)

// sitesMember is the archive member that holds a package's site table.
const sitesMember = "pep.sites"

// link runs a link command. If packages of the program are instrumented, the
// runtime is linked in, and with it their site tables.
func (t *tool) link() (int, error) {
	cfg, i := t.flag("-importcfg")
	out, _ := t.flag("-o")
	if i < 0 || out == "" {
		return t.run(t.args) // -V=full
	}
	tables, err := siteTables(cfg)
	if err != nil {
		return 1, err
	}
	if tables == nil {
		return t.run(t.args)
	}
	lines, err := linkedPackages()
	if err != nil {
		return 1, err
	}
	data, err := wire.Join(tables)
	if err != nil {
		return 1, err
	}
	work := filepath.Dir(cfg)
	archive := filepath.Join(work, "pepsites.a")
	if err := linked.Sites(os.Getenv(EnvLinked), t.sibling("compile"), archive, data); err != nil {
		return 1, err
	}
	// Of two lines for one package the linker takes the last.
	lines += fmt.Sprintf("packagefile %s=%s\n", linked.SitesPath, archive)
	ours := filepath.Join(work, "importcfg.pep")
	if err := appendFile(cfg, ours, lines); err != nil {
		return 1, err
	}
	// The linked runtime refers to a variable of package runtime.
	args := append([]string{"-checklinkname=0"}, withFlag(t.args, i, "-importcfg", ours)...)
	return t.run(args)
}

// siteTables returns the site tables of the packages that an importcfg names,
// by import path; nil if there are none.
func siteTables(importcfg string) ([]byte, error) {
	imports, err := readImports(importcfg)
	if err != nil {
		return nil, err
	}
	var paths []string
	for path := range imports.file {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	var tables []byte
	tapped := map[uint64]string{}
	for _, path := range paths {
		table, err := archive.Find(imports.file[path], sitesMember)
		if err != nil {
			return nil, err
		}
		if err := checkSites(tapped, path, table); err != nil {
			return nil, err
		}
		tables = append(tables, table...)
	}
	return tables, nil
}

// checkSites notes where the sites of a package begin, and sees to it that no
// other's begin there: sites are numbered from a hash of the import path.
func checkSites(tapped map[uint64]string, path string, table []byte) error {
	if table == nil {
		return nil
	}
	p, _, err := wire.ReadPackage(table)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(p.Taps) == 0 {
		return nil
	}
	base := tuple.SiteBase(p.Path)
	if other, ok := tapped[base]; ok && other != p.Path {
		return fmt.Errorf("the import paths %s and %s have the same hash, so that their taps cannot be told apart: leave one of them out by -peppkg, or build without -peptaps", other, p.Path)
	}
	tapped[base] = p.Path
	return nil
}
