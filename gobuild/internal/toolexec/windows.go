package toolexec

// This file puts the table of actions into a program whose code is left as it is.

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/format/values"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild/internal/archive"
	"github.com/pepgo/pep/gobuild/internal/linked"
	"github.com/pepgo/pep/machine/executable"
)

// windowsMember is the archive member of a package main whose program gets the table.
const windowsMember = "pep.windows"

// importWindows returns the arguments of the compile command with one more file, which imports package core. It
// writes what it needs to a directory.
func (t *tool) importWindows(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("package main\n\nimport _ %q\n", linked.CorePath)
	file, cfg := filepath.Join(dir, "pep_windows.go"), filepath.Join(dir, "importcfg")
	lines, err := t.linkedPackages(false)
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

// compileWithoutTable compiles a package that is not profiled. If it is the main package of a program with windows, it
// imports package core.
func (t *tool) compileWithoutTable() (int, error) {
	if !t.isMain() {
		return t.become()
	}
	out, i := t.flag("-o")
	if i < 0 {
		return 1, errors.New("the compile command has no -o: pepbuild does not know this version of Go")
	}
	args, err := t.importWindows(out + ".windows")
	if err != nil {
		return 1, err
	}
	if code, err := t.run(args); code != 0 || err != nil {
		return code, err
	}
	return 0, archive.Add(out, windowsMember, nil)
}

// linkWithActions links a program and puts its site tables and its table of actions into it. What these are depends on
// which functions the program has, and where, which only the linker knows. So the program is linked with space for the
// tables, as much as they had last time, and linked again if they need more or less now. The space is data, so all
// functions stay where they are.
func (t *tool) linkWithActions(imports *importer) (int, error) {
	archives, err := readTables(imports)
	if err != nil {
		return 1, err
	}
	out, _ := t.flag("-o")
	space := lastSpace(t.spaceFile())
	args, code, err := t.linkWithSpace(imports, space)
	if code != 0 || err != nil {
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
	if needed := spaceFor(len(tables)); needed != space {
		before, err := executable.ReadCode(out)
		if err != nil {
			return 1, err
		}
		if _, code, err := t.linkWithSpace(imports, needed); code != 0 || err != nil {
			return code, err
		}
		after, err := executable.ReadCode(out)
		if err == nil && (after.Addr != before.Addr || len(after.Text) != len(before.Text)) {
			err = errors.New("the linker moves functions when a variable becomes larger")
		}
		if err != nil {
			return 1, err
		}
		space = needed
		keepSpace(t.spaceFile(), space)
	}
	return 0, fillSpace(out, space, tables)
}

// linkWithSpace links a program with space for its tables, and returns the arguments of the linker.
func (t *tool) linkWithSpace(imports *importer, size int) (args []string, code int, err error) {
	if args, err = t.withTables(imports, emptySpace(size)); err != nil {
		return nil, 1, err
	}
	code, err = t.run(args)
	return args, code, err
}

// spaceFor returns the space for tables of some bytes. Small changes of a program leave it as it is. It depends on
// nothing else, so that builds can be reproduced.
func spaceFor(bytes int) int {
	step := 1 << max(bits.Len(uint(bytes))-6, 0)
	return (bytes + step - 1) / step * step
}

// lastSpace returns the space that the tables of the program had when it was last linked, or another number if that is
// not known.
var lastSpace = func(file string) int {
	text, _ := os.ReadFile(file)
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 || n > 1<<30 {
		return 1
	}
	return n
}

// keepSpace writes the space down. If it cannot, the program is linked twice next time, too.
func keepSpace(file string, size int) { os.WriteFile(file, []byte(strconv.Itoa(size)), 0o666) }

// spaceFile returns the name of a file, beside the linked runtime, for the program that the go command links.
func (t *tool) spaceFile() string {
	h := fnv.New64a()
	io.WriteString(h, os.Getenv("TOOLEXEC_IMPORTPATH"))
	return filepath.Join(filepath.Dir(t.plan.Linked), fmt.Sprintf("%x.space", h.Sum(nil)))
}

// withSymbols returns an executable that has the symbols of one that args have linked: that one, or if the user has no
// symbols put into it, another one that differs in nothing else.
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
	x, err := executable.ReadCode(a)
	if err != nil {
		return err
	}
	y, err := executable.ReadCode(b)
	if err == nil && (x.Addr != y.Addr || !bytes.Equal(x.Text, y.Text)) {
		err = errors.New("the linker makes other code of the program when it writes no symbols")
	}
	return err
}

// A packageTables has what the archive of a package says of its code.
type packageTables struct{ branches, actions []byte }

// readTables returns the tables of those packages of a program that have some, in the order of their import paths.
func readTables(imports *importer) (list []packageTables, err error) {
	for _, path := range slices.Sorted(maps.Keys(imports.file)) {
		table, acts, err := BranchTable(imports.file[path])
		if err != nil {
			return nil, err
		}
		if table != nil { // nil: not profiled
			list = append(list, packageTables{table, acts})
		}
	}
	return list, nil
}

// emptySpace returns what is in the space before the tables are. Nothing else in a program is like it, and it occurs
// once even if something like its end stands in front of it.
func emptySpace(size int) []byte {
	const filling = "space "
	b := bytes.Repeat([]byte(filling), size/len(filling)+1)[:size]
	b[0] = '('
	return b
}

// fillSpace writes tables into the space in an executable, and zeros behind them.
func fillSpace(exe string, size int, tables []byte) (err error) {
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
	at := bytes.Index(data, emptySpace(size))
	if at < 0 {
		return fmt.Errorf("%s has no space for its tables", exe)
	}
	_, err = f.WriteAt(append(tables, make([]byte, size-len(tables))...), int64(constants.Offset)+int64(at))
	return err
}

// programTables returns the site tables and, behind them, the table of actions and that of values of a program, from
// the tables of its packages.
func programTables(archives []packageTables, exe, goroot string) ([]byte, error) {
	program, err := executable.Linked(exe)
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
	seen(table, linked)
	var sites []byte
	for _, p := range table.Packages {
		expandRoot(p.Sites, goroot)
		sites = wire.AppendPackage(sites, p.Sites)
	}
	if sites, err = wire.JoinPacked(sites); err != nil {
		return nil, err
	}
	data, err := table.Append(sites, program.Text)
	if err != nil {
		return nil, err
	}
	valued, err := values.Link(pkgs, program, func(name string) string { return expand(name, goroot) })
	if err != nil {
		return nil, err
	}
	return valued.Append(data, program.Text)
}

// seen leaves the names out of calls of functions whose paths windows see, and of those that the program does not have,
// since the compiler has put instructions in their place. That there is a call is all that anybody asks of these.
func seen(table *actions.Table, linked map[string]bool) {
	in := map[string]bool{}
	for _, p := range table.Packages {
		for _, f := range p.Sites.Funcs {
			in[f.Name] = true
		}
		for _, s := range p.Sites.Skipped {
			delete(in, s.Name)
		}
	}
	for _, p := range table.Packages {
		for _, f := range p.Sites.Funcs {
			for i := range f.Calls {
				c := &f.Calls[i]
				if open := c.Callee == wire.ByInterface || c.Callee == wire.ByValue; in[c.Callee] || !open && !linked[c.Callee] {
					c.Callee = wire.Seen
				}
			}
		}
	}
}

// expandRoot puts the directory of the toolchain into the names of files, where the linker puts it into the names that
// package runtime knows.
func expandRoot(p *wire.Package, goroot string) {
	for i, name := range p.Files {
		p.Files[i] = expand(name, goroot)
	}
}

func expand(name, goroot string) string {
	if rest, ok := strings.CutPrefix(name, rootName); ok {
		return goroot + "/" + rest
	}
	return name
}

// untold says in the site tables at which branches the code of the program does not tell everywhere what was decided.
// Paths that go another way there count as one that goes some way. Functions of which the code tells no path anywhere
// are among the skipped ones, too.
func untold(table *actions.Table) {
	for _, s := range table.Sources {
		p := s.Package.Sites
		if len(s.UntoldNodes) > 0 {
			p.Funcs[s.Site].Untold = slices.Sorted(maps.Keys(s.UntoldNodes))
		}
		if s.Numbered() && s.Untold() {
			f := &p.Funcs[s.Site]
			p.Skipped = append(p.Skipped, wire.Skipped{Name: f.Name, File: f.File, Line: f.Line, Reason: s.Why})
		}
	}
}
