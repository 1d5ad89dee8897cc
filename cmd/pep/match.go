package main

// This file finds the functions that the user means.

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pepgo/pep/internal/command"
)

// A pattern is a flag or an argument that says which functions are listed: the name of one as listings have it, or a
// regular expression.
type pattern string

// matchFlag defines a flag, such as -func, that is a pattern.
func matchFlag(c *command.Call, name string) *pattern {
	return (*pattern)(c.Flags.String(name, "", ""))
}

var ofPath = regexp.MustCompile(`·(p\d+|unended)$`)

// in returns the expression that matches the functions, of those with the given names. It is nil if the pattern is empty.
// The name of a path stands for its function, and "…" in front, as in lines that are cut, for any beginning.
func (p pattern) in(c *command.Call, names []string) (*regexp.Regexp, error) {
	if p == "" {
		return nil, nil
	}
	name := ofPath.ReplaceAllString(string(p), "")
	if slices.Contains(names, name) {
		return regexp.MustCompile("^" + regexp.QuoteMeta(name) + "$"), nil
	}
	if end, cut := strings.CutPrefix(name, "…"); cut && slices.ContainsFunc(names, func(s string) bool { return strings.HasSuffix(s, end) }) {
		return regexp.MustCompile(regexp.QuoteMeta(end) + "$"), nil
	}
	re, err := regexp.Compile(name)
	if err != nil {
		return nil, command.Usagef("%s: no function is called %s, and as a regular expression it is wrong: %w", c.Flags.Name(), p, err)
	}
	return re, nil
}
