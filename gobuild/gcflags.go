package gobuild

// This file merges our tags with the user's -gcflags. Of several -gcflags that
// match a package, the go command takes the last one alone.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/gobuild/internal/plan"
	"github.com/pepgo/pep/gobuild/internal/toolexec"
)

// tapped is the package that has space for taps. It is never instrumented.
const tapped = "runtime"

// gcflags returns the user's -gcflags and, behind them, one for each package of paths, and one for package
// runtime if that has space for taps. It has the flags that the user gives for the package, and its tag, if it has one.
func (b *build) gcflags(paths []string, tags map[string]plan.Tag) []string {
	var flags []string
	for _, v := range b.args.Gcflags {
		flags = append(flags, "-gcflags="+v)
	}
	if b.args.Taps.Kinds != "" {
		rest := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == tapped })
		paths = append([]string{tapped}, rest...)
	}
	pattern := b.patterns()
	for i, path := range paths {
		p := pattern(path)
		if i == len(paths)-1 {
			p = path // The executable has this value in its build information, from whatever directory it is built.
		}
		arg := ""
		if tag, ok := tags[path]; ok {
			arg = tag.Arg()
		} else if b.args.Taps.Kinds != "" && path == tapped {
			arg = toolexec.RuntimeForTaps()
		}
		flags = append(flags, "-gcflags="+p+"="+strings.TrimSpace(b.userFlags(path)+" "+arg))
	}
	return flags
}

// patterns returns a function that returns a pattern that matches one package. For a pattern that is an import path the
// go command compiles a regular expression with each package that it compares: 0.7 s for 280 packages and as many
// patterns, and four times that for twice as many. A relative directory it compares as it is. So the pattern is
// the directory of the package, unless another package has the same (the external tests of a package, or files on
// the command line), or the go command would read the name in another way, or nothing but tests needs the package:
// the go command of Go 1.27 compares such a package before it knows its directory.
func (b *build) patterns() func(path string) string {
	dirs := map[string]string{}     // by import path
	packages := map[string]string{} // the import path by directory; "" if there are several
	for _, p := range b.deps {
		path := p.path()
		dirs[path] = p.Dir
		if other, ok := packages[p.Dir]; ok && other != path {
			path = ""
		}
		packages[p.Dir] = path
	}
	current, err := os.Getwd()
	needed := b.imported(func(p *pkg) bool { return !p.DepOnly && p.ForTest == "" && !p.isTestMain() })
	return func(path string) string {
		if err != nil || packages[dirs[path]] != path || !needed[path] {
			return path
		}
		rel, err := filepath.Rel(current, dirs[path])
		if err != nil || strings.Contains(rel, "=") || strings.Contains(rel, "...") || strings.TrimSpace(rel) != rel {
			return path
		}
		if rel = filepath.ToSlash(rel); rel != "." && rel != ".." && !strings.HasPrefix(rel, "../") {
			rel = "./" + rel
		}
		return rel
	}
}

// gcflagsOf returns a function that returns the flags that the user gives for a package:
// those of the last value that matches it.
func (b *build) gcflagsOf() (func(path string) string, error) {
	type rule struct {
		match func(path string) bool
		flags string
	}
	var rules []rule
	for _, v := range slices.Concat(b.given.Gcflags, b.args.Gcflags) {
		v = strings.TrimSpace(v)
		pattern, flags, ok := strings.Cut(v, "=")
		pattern = strings.TrimSpace(pattern)
		if strings.HasPrefix(v, "-") || !ok {
			rules = append(rules, rule{b.isNamed, v})
			continue
		}
		match := func(string) bool { return true }
		if pattern != "all" {
			pkgs, err := b.list(append(append(b.args.listFlags(), "--"), pattern)...)
			if err != nil {
				return nil, err
			}
			set := map[string]bool{}
			for _, p := range pkgs {
				set[p.path()] = true
			}
			match = func(path string) bool { return set[path] }
		}
		rules = append(rules, rule{match, flags})
	}
	return func(path string) string {
		flags := ""
		for _, r := range rules {
			if r.match(path) {
				flags = r.flags
			}
		}
		return flags
	}, nil
}

// isNamed reports whether a package is named on the command line.
func (b *build) isNamed(path string) bool {
	for _, p := range b.deps {
		if p.path() == path && !p.DepOnly {
			return true
		}
	}
	return false
}
