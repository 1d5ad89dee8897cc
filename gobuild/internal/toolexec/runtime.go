package toolexec

// This file compiles package runtime with space for taps.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/gobuild/internal/goruntime"
	"github.com/pepgo/pep/gobuild/internal/plan"
)

// RuntimeForTaps returns the tag that package runtime has in programs with taps, as an argument of
// the compile command.
//
// It does what an overlay of the go command could do, but the go command refuses overlays over files in
// the module cache, where it keeps the toolchains that it has downloaded.
func RuntimeForTaps() string { return plan.Tag{Work: plan.Runtime, Tool: goruntime.Key()}.Arg() }

// compileRuntime compiles package runtime with space for taps.
func (t *tool) compileRuntime() (int, error) {
	out, _ := t.flag("-o")
	rewrites, i := t.flag("-trimpath")
	if out == "" || i < 0 {
		return 1, errors.New("the compile command has no -o or -trimpath: pepbuild does not know this version of Go")
	}
	dir := filepath.Join(filepath.Dir(out), "pep")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 1, err
	}
	files, err := t.goFiles(rewrites)
	if err != nil {
		return 1, err
	}
	missing := goruntime.Files()
	for _, f := range files {
		base := filepath.Base(f.original)
		k := slices.Index(missing, base)
		if k < 0 {
			continue
		}
		missing = slices.Delete(missing, k, k+1)
		text, err := os.ReadFile(f.name)
		if err != nil {
			return 1, err
		}
		if text, err = goruntime.Edit(base, text); err != nil {
			return 1, fmt.Errorf("%s: %w", f.name, err)
		}
		copied := filepath.Join(dir, base)
		if err := os.WriteFile(copied, text, 0o666); err != nil {
			return 1, err
		}
		t.args[f.index] = copied
		// Positions have the name that they would have without the copy.
		rewrites = copied + "=>" + goruntime.PositionName(f.original) + ";" + rewrites
	}
	if len(missing) > 0 {
		return 1, fmt.Errorf("package runtime has no file %s: taps need that of Go 1.26 or 1.27", strings.Join(missing, ", "))
	}
	return t.run(withFlag(t.args, i, "-trimpath", rewrites))
}
