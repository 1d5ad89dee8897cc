package flow

// This file type-checks a package that carries markers and builds its SSA form.

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/pepgo/pep/instrument/mark"
)

// markerPackage is the package of the marker functions, for the type checker.
func markerPackage() *types.Package {
	pkg := types.NewPackage(mark.PkgPath, mark.PkgName)
	intVar := func(name string) *types.Var {
		return types.NewParam(token.NoPos, pkg, name, types.Typ[types.Int])
	}
	declare := func(name string, params, results *types.Tuple) {
		sig := types.NewSignatureType(nil, nil, nil, params, results, false)
		pkg.Scope().Insert(types.NewFunc(token.NoPos, pkg, name, sig))
	}
	any := types.NewInterfaceType(nil, nil)
	declare("Mark", types.NewTuple(intVar("id")), nil)
	declare("Leaf", types.NewTuple(intVar("id"), types.NewParam(token.NoPos, pkg, "cond", any)),
		types.NewTuple(intVar("")))
	pkg.MarkComplete()
	return pkg
}

type withMarkers struct {
	types.Importer
	markers *types.Package
}

func (w withMarkers) Import(path string) (*types.Package, error) {
	if path == mark.PkgPath {
		return w.markers, nil
	}
	return w.Importer.Import(path)
}

// A program is a package with markers in SSA form.
type program struct {
	fset    *token.FileSet
	info    *types.Info
	pkg     *ssa.Package
	markers *types.Package
}

// load type-checks the files and builds their SSA form.
func load(cfg *Config) (*program, error) {
	info := &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Instances:    map[*ast.Ident]types.Instance{},
		Scopes:       map[ast.Node]*types.Scope{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		FileVersions: map[*ast.File]string{},
	}
	markers := markerPackage()
	conf := types.Config{
		Importer:  withMarkers{cfg.Importer, markers},
		GoVersion: cfg.GoVersion,
		Sizes:     cfg.Sizes,
	}
	tpkg, err := conf.Check(cfg.Path, cfg.Fset, cfg.Files, info)
	if err != nil {
		return nil, fmt.Errorf("type-checking: %w", err)
	}
	joinComparisons(cfg.Markers, info)
	stripClears(cfg.Markers, info)
	prog := ssa.NewProgram(cfg.Fset, 0)
	created := map[*types.Package]bool{}
	var create func(pkgs []*types.Package)
	create = func(pkgs []*types.Package) {
		for _, p := range pkgs {
			if !created[p] {
				created[p] = true
				prog.CreatePackage(p, nil, nil, true)
				create(p.Imports())
			}
		}
	}
	create(tpkg.Imports())
	pkg := prog.CreatePackage(tpkg, cfg.Files, info, false)
	pkg.Build()
	return &program{fset: cfg.Fset, info: info, pkg: pkg, markers: markers}, nil
}

// function returns the SSA function of a declaration, or nil if it has none
// (a function named _).
func (p *program) function(d *ast.FuncDecl) *ssa.Function {
	obj, ok := p.info.Defs[d.Name].(*types.Func)
	if !ok {
		return nil
	}
	return p.pkg.Prog.FuncValue(obj)
}
