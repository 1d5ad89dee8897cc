// Typecheck parses packages of the standard library from GOROOT/src and
// type-checks them again and again, in the way of vet or gopls: dependencies
// once and without function bodies, the packages of the list in full each time.
//
// It exercises a large tree-walking program: type switches over syntax,
// recursion, maps, many small allocations. Hot: go/types, go/constant, go/ast
// and the garbage collector. The checksum depends on the Go version.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
)

// roots are the packages checked in full. None reaches a vendored package or cgo.
var roots = []string{
	"strconv", "text/template/parse", "regexp", "encoding/json", "go/printer",
	"go/parser", "go/ast", "compress/flate", "text/template", "go/types",
	"math/big", "reflect", "encoding/gob", "time", "debug/dwarf",
	"regexp/syntax", "fmt", "archive/tar", "go/constant", "image/png",
}

// checks is the number of full package checks at 100 percent.
const checks = 130

var errUsage = errors.New("usage: typecheck [percent]")

// secondInput is set if the program works on its second input.
var secondInput = os.Getenv("PEPBENCH_INPUT") == "2"

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	debug.SetGCPercent(400) // more time for the program, less for the collector
	std, err := newStd()
	if err != nil {
		return err
	}
	if secondInput {
		roots = []string{"bytes", "bufio", "net/url", "encoding/xml", "go/doc", "html/template", "archive/zip", "encoding/asn1", "image/gif", "index/suffixarray"}
	}
	info := newInfo()
	sum := crc32.NewIEEE()
	uses := 0
	n := max(1, checks*scale/100)
	for i := range n {
		path := roots[i%len(roots)]
		empty(info)
		pkg, err := std.check(path, info)
		if err != nil {
			return fmt.Errorf("checking %s: %w", path, err)
		}
		describe(sum, pkg, info)
		uses += len(info.Uses)
	}
	_, err = fmt.Fprintf(stdout, "typecheck: %d checks, %d uses, checksum %08x\n", n, uses, sum.Sum32())
	return err
}

// A std gives the packages of GOROOT/src. It is their importer too.
type std struct {
	ctxt     build.Context
	fset     *token.FileSet
	files    map[string][]*ast.File    // by import path
	imported map[string]*types.Package // declarations only, by import path
}

func newStd() (*std, error) {
	ctxt := build.Default // its GOROOT is the environment's, else the one the program was built with
	ctxt.CgoEnabled = false
	if ctxt.GOROOT == "" {
		return nil, errors.New("typecheck: no GOROOT in the environment or the binary")
	}
	return &std{
		ctxt:     ctxt,
		fset:     token.NewFileSet(),
		files:    make(map[string][]*ast.File),
		imported: make(map[string]*types.Package),
	}, nil
}

// Import implements types.Importer.
func (s *std) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := s.imported[path]; pkg != nil {
		return pkg, nil
	}
	pkg, err := s.check(path, nil)
	if err != nil {
		return nil, err
	}
	s.imported[path] = pkg
	return pkg, nil
}

// check type-checks a package, with the bodies of its functions if there is an
// info to fill.
func (s *std) check(path string, info *types.Info) (*types.Package, error) {
	files, err := s.parse(path)
	if err != nil {
		return nil, err
	}
	conf := types.Config{
		Importer:         s,
		IgnoreFuncBodies: info == nil,
		Sizes:            types.SizesFor("gc", runtime.GOARCH),
	}
	return conf.Check(path, s.fset, files, info)
}

func (s *std) parse(path string) ([]*ast.File, error) {
	if files := s.files[path]; files != nil {
		return files, nil
	}
	dir := filepath.Join(s.ctxt.GOROOT, "src", filepath.FromSlash(path))
	bp, err := s.ctxt.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range bp.GoFiles {
		f, err := parser.ParseFile(s.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	s.files[path] = files
	return files, nil
}

func newInfo() *types.Info {
	return &types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue),
		Defs:       make(map[*ast.Ident]types.Object),
		Uses:       make(map[*ast.Ident]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
}

// empty readies info for the next package; its tables need not grow again.
func empty(info *types.Info) {
	clear(info.Types)
	clear(info.Defs)
	clear(info.Uses)
	clear(info.Selections)
	info.InitOrder = nil
}

// describe writes what was found in pkg: the sizes of the tables, the objects
// of the package scope and the order of initialisation.
func describe(sum hash.Hash32, pkg *types.Package, info *types.Info) {
	fmt.Fprintln(sum, pkg.Path(), len(info.Types), len(info.Defs), len(info.Uses), len(info.Selections))
	for _, name := range pkg.Scope().Names() {
		fmt.Fprintln(sum, types.ObjectString(pkg.Scope().Lookup(name), nil))
	}
	for _, init := range info.InitOrder {
		for _, v := range init.Lhs {
			fmt.Fprintln(sum, v.Name())
		}
	}
}

// percent returns the scale that the command line asks for.
func percent(args []string) (int, error) {
	if len(args) == 0 {
		return 100, nil
	}
	p, err := strconv.ParseUint(args[0], 10, 16) // 16 bits: the product with any workload fits
	if err != nil || p == 0 || len(args) > 1 {
		return 0, fmt.Errorf("%w: bad arguments %q", errUsage, args)
	}
	return int(p), nil
}
