package mutants

// This file runs tests with a change.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Tests runs tests of a module with changes.
type Tests struct {
	root  string
	limit map[run]time.Duration
	users map[string][]string // import paths, by that of what they use
	path  string              // of the module
}

// A run is one of all tests of a package, or of its short ones.
type run struct {
	pkg   string // "./hwsim/rap", or an import path
	short bool
}

// NewTests returns the tests of the module in a directory.
func NewTests(root string) *Tests {
	return &Tests{root: root, limit: make(map[run]time.Duration)}
}

// Own runs all tests of the package of m: m is Killed, Survived or Invalid.
func (t *Tests) Own(ctx context.Context, m Mutant) (Fate, error) {
	return t.try(ctx, m, Killed, false, "./"+path.Dir(m.File))
}

// Users runs the short tests of the packages that import the package of m, directly or not: m is Abroad or Survived.
// Those with the fewest imports, which are the nearest and mostly the fastest, come first. Those that take more than a
// minute are left out: they build programs from the source as it is.
func (t *Tests) Users(ctx context.Context, m Mutant) (Fate, error) {
	if t.users == nil {
		if err := t.list(ctx); err != nil {
			return "", err
		}
	}
	for _, user := range t.users[path.Join(t.path, path.Dir(m.File))] {
		if fate, err := t.try(ctx, m, Abroad, true, user); fate != Survived || err != nil {
			return fate, err
		}
	}
	return Survived, nil
}

// try runs tests of a package with the change. They must pass without it. A test that takes five times as long as
// without has noticed it.
func (t *Tests) try(ctx context.Context, m Mutant, noticed Fate, short bool, pkg string) (Fate, error) {
	r := run{pkg, short}
	if t.limit[r] == 0 {
		limit := time.Duration(0) // none
		if short {
			limit = time.Minute
		}
		start := time.Now()
		switch out, err := t.test(ctx, r, "", limit); {
		case err == nil:
			t.limit[r] = max(5*time.Since(start), 30*time.Second)
		case ctx.Err() == nil && short && strings.Contains(out, "panic: test timed out"):
			t.limit[r] = -1
		default:
			return "", fmt.Errorf("the tests of %s fail without a change: %w\n%s", pkg, cmp.Or(ctx.Err(), err), out)
		}
	}
	if t.limit[r] < 0 {
		return Survived, nil
	}
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(t.root, filepath.FromSlash(m.File))
	changed, overlay := filepath.Join(dir, filepath.Base(name)), filepath.Join(dir, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{name: changed}})
	if err == nil {
		err = errors.Join(os.WriteFile(changed, []byte(m.Text()), 0o666), os.WriteFile(overlay, data, 0o666))
	}
	if err != nil {
		return "", err
	}
	switch out, err := t.test(ctx, r, overlay, t.limit[r]); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err == nil:
		return Survived, nil
	case strings.Contains(out, "[build failed]"):
		return Invalid, nil
	}
	return noticed, nil
}

// test runs tests of a package, with an overlay if that is not "".
func (t *Tests) test(ctx context.Context, r run, overlay string, limit time.Duration) (string, error) {
	args := []string{"test", "-vet=off", "-failfast", "-count=1", "-short=" + strconv.FormatBool(r.short),
		"-timeout=" + limit.String()}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	return output(ctx, t.root, "go", append(args, r.pkg)...)
}

// list finds out which packages use which.
func (t *Tests) list(ctx context.Context) error {
	module, err := output(ctx, t.root, "go", "list", "-m")
	if err != nil {
		return err
	}
	text, err := output(ctx, t.root, "go", "list", "-test", "-f",
		"{{if .ForTest}}{{.ForTest}}{{range .Deps}} {{.}}{{end}}{{end}}", "./...")
	if err != nil {
		return err
	}
	t.path = strings.TrimSpace(module)
	t.users = make(map[string][]string)
	imports := make(map[string]int)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		user := words[0]
		imports[user] = max(imports[user], len(words))
		for _, used := range words[1:] {
			if strings.HasPrefix(used, t.path) && used != user && !slices.Contains(t.users[used], user) {
				t.users[used] = append(t.users[used], user)
			}
		}
	}
	for _, users := range t.users {
		slices.SortFunc(users, func(a, b string) int { return cmp.Or(imports[a]-imports[b], strings.Compare(a, b)) })
	}
	return nil
}

// output runs a command in a directory. It returns what the command prints; its errors are in the error.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt ends the tests too, not only the go command
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, args[0], err, stderr.Bytes())
	}
	return string(out), err
}
