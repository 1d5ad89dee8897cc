package gobuild

// This file merges our tags with the user's -gcflags. Of several -gcflags that
// match a package, the go command takes the last one alone.

import (
	"slices"
	"strings"
)

// gcflags returns the user's -gcflags and, behind them, one for each package of
// paths with what the user wants for it and the tag, which may be empty.
func (b *build) gcflags(paths []string, tag string) []string {
	var flags []string
	for _, v := range b.args.Gcflags {
		flags = append(flags, "-gcflags="+v)
	}
	for _, path := range paths {
		flags = append(flags, "-gcflags="+path+"="+strings.TrimSpace(b.userFlags(path)+" "+tag))
	}
	return flags
}

// gcflagsOf returns a function that says which flags the user gives for a
// package: those of the last value that matches it.
func (b *build) gcflagsOf() (func(path string) string, error) {
	type rule struct {
		match func(path string) bool
		flags string
	}
	var rules []rule
	for _, v := range slices.Concat(b.given.Gcflags, b.args.Gcflags) {
		pattern, flags, ok := strings.Cut(v, "=")
		if strings.HasPrefix(strings.TrimSpace(v), "-") || !ok {
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
