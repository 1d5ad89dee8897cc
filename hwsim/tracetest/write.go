package tracetest

import (
	"errors"
	"fmt"
	"io"

	format "github.com/pepgo/pep/format/trace"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/hwsim/trace"
)

// Write writes a trace of n loads of a small program, with a tap for each of its sites.
func Write(out io.Writer, n int) error {
	tuples := New(7, 12).Events(make([]tuple.Tuple, n))
	pkg := &wire.Package{Path: "main", Files: []string{"app.go"}}
	for i := range 300 {
		pkg.Taps = append(pkg.Taps, wire.Tap{
			Tag: uint8(tuple.Load), Func: fmt.Sprintf("main.f%d", i/10), Line: 10 + i, Col: 7,
			Expr: fmt.Sprintf("x[%d]", i), Type: "int", Bits: 64, Kind: wire.Signed,
		})
	}
	tables := wire.AppendPackage(nil, pkg)
	w, err := trace.NewWriter(out, &format.Header{Exe: "./app", Tables: tables, Build: wire.BuildHash(tables)})
	if err != nil {
		return err
	}
	return errors.Join(w.Write(0, tuples), w.Close(0))
}
