package gobuild

// This file chooses the compiler for the packages that are instrumented, or have tables of branches.

import (
	"fmt"

	"github.com/pepgo/pep/gobuild/internal/gocompiler"
)

// findCompiler finds or builds the compiler that inlines as in a plain build. If there is
// none, and the user does not insist, the installation's own compiler does.
func (b *build) findCompiler(cache string) (err error) {
	if b.args.Inline == "less" {
		return nil
	}
	b.compiler, err = gocompiler.Find(&gocompiler.Config{
		GOROOT:    b.env["GOROOT"],
		GOTOOLDIR: b.env["GOTOOLDIR"],
		GOVERSION: b.env["GOVERSION"],
		GOCACHE:   b.env["GOCACHE"],
		CacheDir:  cache,
		Announce:  func(line string) { fmt.Fprintln(b.stderr, "pepbuild:", line) },
	})
	switch {
	case err != nil && b.args.Inline == "same":
		return fmt.Errorf("-pepinline=same: %w", err)
	case err != nil && b.args.asIs():
		return fmt.Errorf("%s: %w", b.args.compiling(), err)
	case err != nil:
		b.compiler = nil
		fmt.Fprintf(b.stderr, "pepbuild: the compiler will inline fewer calls than in a plain build: %v; -pepinline=less accepts that\n", err)
	}
	return nil
}
