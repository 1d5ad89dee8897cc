package toolexec

// This file links the runtime and the site tables into a program.

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/internal/archive"
	"github.com/pepgo/pep/internal/linked"
	"github.com/pepgo/pep/runtime/tuple"
	"github.com/pepgo/pep/runtime/wire"
)

// sitesMember is the archive member that holds a package's site table.
const sitesMember = "pep.sites"

// link runs a link command. If packages of the program are instrumented, it links in
// the runtime, and with it their site tables.
func (t *tool) link() (int, error) {
	cfg, i := t.flag("-importcfg")
	out, _ := t.flag("-o")
	linkmode, _ := t.flag("-linkmode")
	if i < 0 || out == "" {
		return t.run(t.args) // -V=full
	}
	imports, err := readImports(cfg)
	if err != nil {
		return 1, err
	}
	tables, err := siteTables(imports)
	if err != nil {
		return 1, err
	}
	if tables == nil {
		return t.run(t.args)
	}
	lines, err := linkedPackages(imports.withC() && linkmode != "internal")
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
	// The linker takes the last of two lines for one package.
	lines += fmt.Sprintf("packagefile %s=%s\n", linked.SitesPath, archive)
	ours := filepath.Join(work, "importcfg.pep")
	if err := appendFile(cfg, ours, lines); err != nil {
		return 1, err
	}
	args := withFlag(t.args, i, "-importcfg", ours)
	// The linked runtime refers to a variable of package runtime, which the linker
	// forbids without this flag. The last of several counts, so it goes behind the
	// user's -ldflags, before the object of package main.
	args = slices.Insert(args, len(args)-1, "-checklinkname=0")
	return t.run(args)
}

// withC reports whether a program has C code of its own. Then the C compiler links
// it, unless the user chooses another way.
func (imp *importer) withC() bool {
	for path := range strings.FieldsSeq(os.Getenv(EnvC)) {
		if imp.file[path] != "" {
			return true
		}
	}
	return false
}

// siteTables returns the site tables of the packages of a program, by import
// path; nil if there are none.
func siteTables(imports *importer) ([]byte, error) {
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

// checkSites returns an error if the site numbers of two packages begin at the same
// number, which is a hash of the import path.
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
		return fmt.Errorf("the import paths %s and %s have the same hash, so profiles could not tell their taps apart: exclude one of them with -peppkg, or build without -peptaps", other, p.Path)
	}
	tapped[base] = p.Path
	return nil
}
