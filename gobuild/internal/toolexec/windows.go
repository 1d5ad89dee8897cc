package toolexec

// This file puts the table of actions into a program whose code is left as it is.

import (
	"bytes"
	"debug/elf"
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

// linkWithActions links a program and puts its site tables and its table of actions into it. What these are depends on which
// functions the program has, and where, which only the linker knows. So the program is linked with room for the tables.
// The room is data, so that all functions stay where they are if it was too small and the program is linked again.
func (t *tool) linkWithActions(imports *importer) (int, error) {
	archives, err := readTables(imports)
	if err != nil {
		return 1, err
	}
	out, _ := t.flag("-o")
	for size := roomFor(archives, t.goroot()); ; {
		args, err := t.withTables(imports, emptyRoom(size))
		if err != nil {
			return 1, err
		}
		if code, err := t.run(args); code != 0 || err != nil {
			return code, err
		}
		exe, code, err := t.withSymbols(args, out)
		if code != 0 || err != nil {
			return code, err
		}
		tables, err := programTables(archives, exe, t.goroot())
		if err != nil {
			return 1, err
		}
		if len(tables) <= size {
			return 0, fillRoom(out, size, tables)
		}
		size = len(tables)
	}
}

// withSymbols returns an executable that has the symbols of one that args have linked: that one, or if the user has no symbols
// put into it, another one that differs in nothing else.
func (t *tool) withSymbols(args []string, out string) (exe string, code int, err error) {
	f, err := elf.Open(out)
	if err != nil {
		return "", 1, err
	}
	defer f.Close()
	if f.Section(".symtab") != nil {
		return out, 0, nil
	}
	exe = filepath.Join(filepath.Dir(out), "pep.symbols")
	_, i := t.flag("-o")
	args = withFlag(args, i, "-o", exe)
	// Symbols are needed, the rest of what debuggers read is not.
	args = slices.Insert(args, len(args)-1, "-s=false", "-w")
	if code, err := t.run(args); code != 0 || err != nil {
		return "", code, err
	}
	return exe, 0, sameCode(out, exe)
}

// sameCode returns an error unless two executables have the same code at the same addresses.
func sameCode(a, b string) error {
	var code [2][]byte
	var addr [2]uint64
	for i, name := range []string{a, b} {
		f, err := elf.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		text := f.Section(".text")
		if text == nil {
			return fmt.Errorf("%s has no code", name)
		}
		addr[i] = text.Addr
		if code[i], err = text.Data(); err != nil {
			return err
		}
	}
	if addr[0] != addr[1] || !bytes.Equal(code[0], code[1]) {
		return errors.New("the linker makes other code of the program when it writes no symbols")
	}
	return nil
}

// A packageTables has what the archive of a package says of its code.
type packageTables struct{ branches, sites, actions []byte }

// readTables returns the tables of the packages of a program, in the order of their import paths.
func readTables(imports *importer) (list []packageTables, err error) {
	for _, path := range slices.Sorted(maps.Keys(imports.file)) {
		table, acts, err := BranchTable(imports.file[path])
		if err != nil {
			return nil, err
		}
		sites, err := actions.SiteTable(acts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, packageTables{table, sites, acts})
	}
	return list, nil
}

// roomForTables returns how many bytes of room a program gets for its tables. That depends on nothing but the archives, so
// that builds can be reproduced. The site tables need hardly more than those of all packages. The table of actions would take
// 5.6 to 6.5 % of the tables of branches if the linker kept all functions, and takes 2.4 to 3.7 % since it does not.
func roomForTables(archives []packageTables, goroot string) int {
	sites, table := wire.HeaderSize, 0
	for _, p := range archives {
		sites += len(p.sites) + bytes.Count(p.sites, []byte(rootName))*max(0, len(goroot)+1-len(rootName))
		table += len(p.branches)
	}
	return sites + sites/256 + table/20 + 1<<10
}

// roomFor is roomForTables, unless a test has the room too small.
var roomFor = roomForTables

// emptyRoom returns what is in the room before the tables are. Nothing else in a program is like it, and it occurs once even if
// something like its end stands in front of it.
func emptyRoom(size int) []byte {
	const filling = "room "
	b := bytes.Repeat([]byte(filling), size/len(filling)+1)[:size]
	b[0] = '('
	return b
}

// fillRoom writes tables into the room in an executable, and zeros behind them.
func fillRoom(exe string, size int, tables []byte) (err error) {
	f, err := os.OpenFile(exe, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	program, err := elf.NewFile(f)
	if err != nil {
		return err
	}
	constants := program.Section(".rodata")
	if constants == nil {
		return fmt.Errorf("%s has no constants", exe)
	}
	data, err := constants.Data()
	if err != nil {
		return err
	}
	at := bytes.Index(data, emptyRoom(size))
	if at < 0 {
		return fmt.Errorf("%s has no room for its tables", exe)
	}
	_, err = f.WriteAt(append(tables, make([]byte, size-len(tables))...), int64(constants.Offset)+int64(at))
	return err
}

// programTables returns the site tables and, behind them, the table of actions of a program, from the tables of its packages.
func programTables(archives []packageTables, exe, goroot string) ([]byte, error) {
	program, err := branches.ReadExecutable(exe)
	if err != nil {
		return nil, err
	}
	linked := map[string]bool{}
	for _, s := range program.Functions {
		linked[s.Name] = true
	}
	var pkgs []branches.Package
	for _, a := range archives {
		p, err := branches.ReadPackage(string(a.branches), func(name string) bool { return linked[name] })
		if err != nil {
			return nil, err
		}
		p.Actions = a.actions
		pkgs = append(pkgs, p)
	}
	table, err := actions.Link(pkgs, program, false)
	if err != nil {
		return nil, err
	}
	untold(table)
	var sites []byte
	for _, p := range table.Packages {
		expandRoot(p.Sites, goroot)
		sites = wire.AppendPackage(sites, p.Sites)
	}
	if sites, err = wire.Join(sites); err != nil {
		return nil, err
	}
	return table.Append(sites, program.Text)
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

// untold says in the site tables at which branches the code of the program does not tell everywhere what was decided. Paths
// that go another way there count as one that goes some way. Functions of which the code tells no path anywhere are among the skipped ones, too.
func untold(table *actions.Table) {
	for _, s := range table.Sources {
		p := s.Package.Sites
		if len(s.Unclear) > 0 {
			p.Funcs[s.Site].Untold = slices.Sorted(maps.Keys(s.Unclear))
		}
		if s.Numbered() && s.Untold() {
			f := &p.Funcs[s.Site]
			p.Skipped = append(p.Skipped, wire.Skipped{Name: f.Name, File: f.File, Line: f.Line, Reason: s.Why})
		}
	}
}
