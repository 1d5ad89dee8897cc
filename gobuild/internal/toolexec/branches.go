package toolexec

// This file has packages compiled as they are, with a table of branches.

import (
	"errors"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/gobuild/internal/archive"
	"github.com/pepgo/pep/gobuild/internal/plan"
	"github.com/pepgo/pep/instrument"
)

const (
	branchesMember = "pep.branches" // the archive member that holds the table
	actionsMember  = "pep.actions"  // the archive member that says what outcomes do to path registers

	// envBranches names the environment variable that tells the compiler where to write the table, and envValues the one
	// that tells it which rows of values to write.
	envBranches = "PEPBUILD_TABLE"
	envValues   = "PEPBUILD_VALUES"
)

// BranchTable returns the table of branches of the package in an archive, and what its outcomes do; nil if it has none.
func BranchTable(file string) (table, actions []byte, err error) {
	if table, err = archive.Find(file, branchesMember); err == nil {
		actions, err = archive.Find(file, actionsMember)
	}
	return table, actions, err
}

// compileWithBranches compiles a package with the compiler that writes tables. If its program gets the table of
// actions, it imports package core.
func (t *tool) compileWithBranches(tag plan.Tag, windows bool) (int, error) {
	goroot := t.goroot()
	if err := t.choose(); err != nil {
		return 1, err
	}
	out, i := t.flag("-o")
	if i < 0 {
		return 1, errors.New("the compile command has no -o: pepbuild does not know this version of Go")
	}
	file := out + ".branches"
	if err := errors.Join(os.Setenv(envBranches, file), os.Setenv(envValues, tag.Values)); err != nil {
		return 1, err
	}
	args := t.args
	if windows {
		var err error
		if args, err = t.importWindows(out + ".windows"); err != nil {
			return 1, err
		}
	}
	if code, err := t.run(args); code != 0 || err != nil {
		return code, err
	}
	table, err := os.ReadFile(file)
	if err != nil {
		return 1, fmt.Errorf("the compiler has written no table of branches: %w", err)
	}
	acts, err := t.actions(goroot)
	if err != nil {
		return 1, err
	}
	if windows {
		err = archive.Add(out, windowsMember, nil)
	}
	return 0, errors.Join(err, archive.Add(out, branchesMember, table), archive.Add(out, actionsMember, acts))
}

// rootName stands in names of files for the directory that the toolchain is in.
const rootName = "$GOROOT/"

// goroot returns the toolchain's directory. Call it before choose, which changes t.path.
func (t *tool) goroot() string {
	return strings.TrimSuffix(filepath.Dir(t.path), filepath.FromSlash("/pkg/tool/linux_amd64"))
}

// actions returns what outcomes do in the package that is compiled.
func (t *tool) actions(goroot string) ([]byte, error) {
	c := &compilation{tool: t}
	if err := c.read(); err != nil {
		return nil, err
	}
	imports, err := readImports(c.importcfg)
	if err != nil {
		return nil, err
	}
	p, err := instrument.Follow(&instrument.Package{
		Path: c.path, Files: c.order, Importer: imports, GoVersion: c.lastFlag("-lang"),
		Sizes: types.SizesFor("gc", os.Getenv("GOARCH")),
		Rename: func(name string) string {
			name = trimmed(name, c.rewrites)
			if rest, ok := strings.CutPrefix(name, goroot+string(filepath.Separator)); ok {
				name = rootName + filepath.ToSlash(rest)
			}
			return name
		},
	})
	if internal := (*instrument.InternalError)(nil); errors.As(err, &internal) {
		return nil, reportInternal(c.stderr, internal)
	}
	if err != nil {
		return nil, fmt.Errorf("%s compiles but its paths cannot be numbered: %w", c.path, err)
	}
	return actions.Append(nil, p), nil
}
