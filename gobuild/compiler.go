package gobuild

// This file chooses the compiler for the packages that are instrumented, or have tables of branches.

import (
	"fmt"

	"github.com/pepgo/pep/gobuild/internal/gocompiler"
)

// findCompiler finds or builds the compiler that inlines as in a plain build.
func (b *build) findCompiler(cache string) (err error) {
	b.compiler, err = gocompiler.Find(&gocompiler.Config{
		GOROOT:    b.env["GOROOT"],
		GOTOOLDIR: b.env["GOTOOLDIR"],
		GOVERSION: b.env["GOVERSION"],
		GOCACHE:   b.env["GOCACHE"],
		CacheDir:  cache,
		Announce:  func(line string) { fmt.Fprintln(b.stderr, "pepbuild:", line) },
	})
	if err != nil {
		return fmt.Errorf("the compiler cannot be built from the source of %s in GOROOT: %w; set GOTOOLCHAIN=%s, which the go command downloads with its source", b.release.name, err, b.release.other())
	}
	b.args.Compiler = b.compiler.Path
	return nil
}
