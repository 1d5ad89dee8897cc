package instrument

// This file finds what the outcomes of a package do to path registers, and rewrites nothing.

import (
	"go/ast"
	"go/token"

	"github.com/pepgo/pep/format/actions"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/describe"
	"github.com/pepgo/pep/instrument/flow"
	"github.com/pepgo/pep/instrument/mark"
	"github.com/pepgo/pep/instrument/outcome"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/placement"
)

// Follow returns what the outcomes of a package do to path registers. The paths have the numbers that they have in a
// program in which all functions of the package are instrumented. The error is that of [Do].
func Follow(pkg *Package) (res *actions.Package, err error) {
	in := &instrumenter{pkg: pkg, fset: token.NewFileSet(), src: map[*ast.File][]byte{},
		skipped: map[*ast.File]bool{}, byToken: map[*token.File]*ast.File{}}
	var unused *Result
	defer in.recover(&unused, &err)
	in.begin("parse")
	if err := in.parse(); err != nil {
		return nil, err
	}
	in.begin("mark")
	in.markers = mark.Files(in.files, nil, func(*ast.File) bool { return false }, in.working)
	in.begin("flow")
	funcs, info, err := flow.Functions(&flow.Config{Path: pkg.Path, Fset: in.fset, Files: in.files, Markers: in.markers,
		Importer: pkg.Importer, GoVersion: pkg.GoVersion, Sizes: pkg.Sizes, Working: in.working})
	if err != nil {
		return nil, err
	}
	in.begin("pathnum, outcome, describe")
	in.fileIndex = map[string]int{}
	sites := &wire.Package{Path: pkg.Path}
	in.result.Sites = sites
	res = &actions.Package{Path: pkg.Path, Sites: sites}
	d := describe.New(in.fset, in.fileNumber)
	find := outcome.New(in.fset, in.files, in.markers, info, in.pkg.Rename)
	base := uint64(0)
	for _, f := range funcs {
		in.working(f.Syntax)
		why := f.Skipped
		if why == "" {
			g, err := placement.Number(f, pathnum.Options{})
			switch {
			case err != nil:
				why = err.Error()
			case base+g.N > MaxPaths:
				why = "the package has too many paths"
			default:
				sites.Funcs = append(sites.Funcs, d.Func(f, g, base))
				res.Funcs = append(res.Funcs, find.Func(f, g, base, len(sites.Funcs)-1))
				base += g.N
				continue
			}
		}
		sites.Skipped = append(sites.Skipped, d.Skipped(f, why))
		res.Funcs = append(res.Funcs, find.Untold(f, why))
	}
	return res, nil
}
