package toolexec

// This file puts the table of actions into a program whose code is left as it is.

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/internal/linked"
)

// windowsMember is the archive member of a package main whose program gets the table.
const windowsMember = "pep.windows"

// importWindows returns the arguments of the compile command with one more file, which imports package windows of the
// runtime. It writes what it needs to a directory.
func (t *tool) importWindows(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("package main\n\nimport _ %q\n", linked.CorePath)
	file, cfg := filepath.Join(dir, "pep_windows.go"), filepath.Join(dir, "importcfg")
	lines, err := linkedPackages(false)
	if err != nil {
		return nil, err
	}
	imports, i := t.flag("-importcfg")
	if i < 0 {
		return nil, errors.New("the compile command has no -importcfg: pepbuild does not know this version of Go")
	}
	if err := errors.Join(os.WriteFile(file, []byte(text), 0o666), join(cfg, lines, imports)); err != nil {
		return nil, err
	}
	return append(withFlag(t.args, i, "-importcfg", cfg), file), nil
}

// linkWithActions links a program twice. Which functions it has, and where, is known when it is linked, and the table is
// data, with which all functions stay where they are.
func (t *tool) linkWithActions(imports *importer) (int, error) {
	first, err := t.withRuntime(imports, "")
	if err != nil {
		return 1, err
	}
	out, i := t.flag("-o")
	trial := filepath.Join(filepath.Dir(out), "pep.trial")
	first = withFlag(first, i, "-o", trial)
	// Symbols are needed, the rest of what debuggers read is not.
	first = slices.Insert(first, len(first)-1, "-s=false", "-w")
	if code, err := t.run(first); code != 0 || err != nil {
		return code, err
	}
	defer os.Remove(trial)
	symbols, text, err := readSymbols(trial)
	if err != nil {
		return 1, err
	}
	pkgs, sites, err := branchTables(imports, t.goroot())
	if err != nil {
		return 1, err
	}
	table, err := actions.Link(pkgs, symbols, false)
	if err != nil {
		return 1, err
	}
	data, err := table.Append(nil, text)
	if err != nil {
		return 1, err
	}
	untold(table, sites)
	var joined []byte
	for _, p := range sites {
		joined = wire.AppendPackage(joined, p)
	}
	if joined, err = wire.Join(joined); err != nil {
		return 1, err
	}
	args, err := t.withTables(imports, joined, data)
	if err != nil {
		return 1, err
	}
	if code, err := t.run(args); code != 0 || err != nil {
		return code, err
	}
	return 0, sameFunctions(trial, out)
}

// branchTables returns the tables of branches of the packages of a program, in the order of their import paths, and their
// site tables.
func branchTables(imports *importer, goroot string) (pkgs []branches.Package, sites []*wire.Package, err error) {
	var tables, acts [][]byte
	for _, path := range slices.Sorted(maps.Keys(imports.file)) {
		table, act, err := BranchTable(imports.file[path])
		if err != nil {
			return nil, nil, err
		}
		site, err := actions.SiteTable(act)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		p, _, err := wire.ReadPackage(site)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		expandRoot(p, goroot)
		tables, acts, sites = append(tables, table), append(acts, act), append(sites, p)
	}
	pkgs, err = branches.Read(branches.Join(tables, acts))
	return pkgs, sites, err
}

// expandRoot puts the directory of the toolchain into the names of files, where the linker puts it into the names that
// package runtime knows.
func expandRoot(p *wire.Package, goroot string) {
	for i, name := range p.Files {
		if rest, ok := strings.CutPrefix(name, rootName); ok {
			p.Files[i] = goroot + "/" + rest
		}
	}
}

// untold says in the site tables at which branches the code of the program does not tell what was decided. Paths that go
// another way there count as one that goes some way. Functions of which the code tells no path anywhere are among the skipped ones, too.
func untold(table *actions.Table, sites []*wire.Package) {
	byPath := map[string]*wire.Package{}
	for _, p := range sites {
		byPath[p.Path] = p
	}
	for _, s := range table.Sources {
		for n := range s.Unclear { // none if the paths have no numbers
			outs := byPath[s.Package.Sites.Path].Funcs[s.Site].Blocks[n].Outs
			for i := range outs {
				outs[i].Outcome = wire.OutUntold
			}
		}
		if s.Numbered() && s.Untold() {
			p := byPath[s.Package.Sites.Path]
			f := &p.Funcs[s.Site]
			p.Skipped = append(p.Skipped, wire.Skipped{Name: f.Name, File: f.File, Line: f.Line, Reason: s.Why})
		}
	}
}

// readSymbols returns the functions of an executable, and where its text section begins.
func readSymbols(exe string) (symbols []branches.Symbol, text uint64, err error) {
	f, err := elf.Open(exe)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	list, err := f.Symbols()
	for _, s := range list {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			symbols = append(symbols, branches.Symbol{Name: s.Name, Addr: s.Value, Size: s.Size})
		}
		if s.Name == "runtime.text" {
			text = s.Value
		}
	}
	return symbols, text, err
}

// sameFunctions returns an error unless two executables have the same functions at the same addresses. The runtime's table
// of functions has them even in a stripped one. It is rarely different if the addresses are not, so they are read only then.
func sameFunctions(a, b string) error {
	x, err := functionTable(a)
	if err != nil {
		return err
	}
	y, err := functionTable(b)
	if err != nil {
		return err
	}
	if bytes.Equal(x.Data, y.Data) && x.PC == y.PC {
		return nil
	}
	entries := [2][]uint64{}
	for i, table := range []*gosym.LineTable{x, y} {
		t, err := gosym.NewTable(nil, table)
		if err != nil {
			return err
		}
		for _, f := range t.Funcs {
			entries[i] = append(entries[i], f.Entry)
		}
	}
	if len(entries[0]) == 0 || !slices.Equal(entries[0], entries[1]) {
		return errors.New("the linker has put functions elsewhere when it linked the program with the table of actions")
	}
	return nil
}

func functionTable(exe string) (*gosym.LineTable, error) {
	f, err := elf.Open(exe)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for _, s := range f.Sections {
		if text := f.Section(".text"); text != nil && strings.HasSuffix(s.Name, ".gopclntab") {
			data, err := s.Data()
			return gosym.NewLineTable(data, text.Addr), err
		}
	}
	return nil, fmt.Errorf("%s has no table of functions", exe)
}
