package toolexec

// This file links the runtime and the site tables into a program.

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/internal/archive"
	"github.com/pepgo/pep/gobuild/internal/linked"
)

// sitesMember is the archive member that holds a package's site table.
const sitesMember = "pep.sites"

// link runs a link command. If packages of the program are instrumented, it links in
// the runtime, and with it their site tables.
func (t *tool) link() (int, error) {
	cfg, i := t.flag("-importcfg")
	out, _ := t.flag("-o")
	if i < 0 || out == "" {
		return t.become() // -V=full
	}
	imports, err := readImports(cfg)
	if err != nil {
		return 1, err
	}
	if windows, err := archive.Find(t.args[len(t.args)-1], windowsMember); windows != nil || err != nil {
		if err != nil {
			return 1, err
		}
		return t.linkWithActions(imports)
	}
	tables, taps, err := siteTables(imports)
	if err != nil {
		return 1, err
	}
	if taps == 0 && t.plan.Mains == 1 && t.plan.Taps.Selective() {
		return 1, fmt.Errorf("no function or line of the instrumented packages has a tap with %s: check the names, and choose the packages with -peppkg", t.plan.Taps)
	}
	if err := t.tellMatch(imports); err != nil {
		return 1, err
	}
	if tables == nil {
		return t.become()
	}
	data, err := wire.Join(tables)
	if err != nil {
		return 1, err
	}
	args, err := t.withTables(imports, data)
	if err != nil {
		return 1, err
	}
	return t.run(args)
}

// withTables compiles the package that holds tables of the program, and returns the arguments of the linker that link
// the runtime with it.
func (t *tool) withTables(imports *importer, tables []byte) ([]string, error) {
	cfg, _ := t.flag("-importcfg")
	archive := filepath.Join(filepath.Dir(cfg), "pepsites.a")
	if err := linked.Sites(t.plan.Linked, t.sibling("compile"), archive, tables); err != nil {
		return nil, err
	}
	return t.withRuntime(imports, archive)
}

// withRuntime returns the arguments of the linker that link the runtime, with an archive of the package that holds
// tables.
func (t *tool) withRuntime(imports *importer, sites string) ([]string, error) {
	cfg, i := t.flag("-importcfg")
	linkmode, _ := t.flag("-linkmode")
	lines, err := t.linkedPackages(t.withC(imports) && linkmode != "internal")
	if err != nil {
		return nil, err
	}
	lines += fmt.Sprintf("packagefile %s=%s\n", linked.SitesPath, sites)
	work := filepath.Dir(cfg)
	ours := filepath.Join(work, "importcfg.pep")
	// The linker takes the last of two lines for one package, so what the program imports counts
	// before the packages of std that only the runtime imports.
	if err := join(ours, lines, linked.Std(t.plan.Linked), cfg); err != nil {
		return nil, err
	}
	args := withFlag(t.args, i, "-importcfg", ours)
	// The linked runtime refers to a variable of package runtime, which the linker
	// forbids without this flag. The last of several counts, so it goes behind the
	// user's -ldflags, before the object of package main.
	return slices.Insert(args, len(args)-1, "-checklinkname=0"), nil
}

// withC reports whether a program has C code of its own. Then the C compiler links
// it, unless the user chooses another way.
func (t *tool) withC(imports *importer) bool {
	return slices.ContainsFunc(t.plan.WithC, func(path string) bool { return imports.file[path] != "" })
}

// SiteTable returns the site table of the package in an archive; nil if it is not instrumented.
func SiteTable(file string) ([]byte, error) { return archive.Find(file, sitesMember) }

// siteTables returns the site tables of the packages of a program, by import
// path, and the number of taps; nil if there are no tables.
func siteTables(imports *importer) (tables []byte, taps int, err error) {
	var paths []string
	for path := range imports.file {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	tapped := map[uint64]string{}
	for _, path := range paths {
		table, err := SiteTable(imports.file[path])
		if err != nil {
			return nil, 0, err
		}
		n, err := checkSites(tapped, path, table)
		if err != nil {
			return nil, 0, err
		}
		tables = append(tables, table...)
		taps += n
	}
	return tables, taps, nil
}

// checkSites returns the number of taps of a package. It returns an error if its site
// numbers begin at the same number, which is a hash of the import path, as those of
// another package.
func checkSites(tapped map[uint64]string, path string, table []byte) (taps int, err error) {
	if table == nil {
		return 0, nil
	}
	p, _, err := wire.ReadPackage(table)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	if len(p.Taps) == 0 {
		return 0, nil
	}
	base := tuple.SiteBase(p.Path)
	if other, ok := tapped[base]; ok && other != p.Path {
		return 0, fmt.Errorf("the import paths %s and %s have the same hash, so profiles could not tell their taps apart: exclude one of them with -peppkg, or build without -peptaps", other, p.Path)
	}
	tapped[base] = p.Path
	return len(p.Taps), nil
}
