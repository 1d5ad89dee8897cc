package choice

// This file finds functions.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var ofPath = regexp.MustCompile(`\.?·(p\d+|unended)$`)

// Functions returns the expression that matches the functions that a pattern means, of those with the given names. A
// pattern is the name of a function, or else a regular expression. The name of a path, here or in pprof, stands for its
// function, "…" in front, as in lines that are cut, for any beginning, and toml.Decode for
// github.com/BurntSushi/toml.Decode. The empty pattern has no expression.
func Functions(pattern string, names []string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, nil
	}
	name := ofPath.ReplaceAllString(pattern, "")
	if slices.Contains(names, name) {
		return regexp.MustCompile("^" + regexp.QuoteMeta(name) + "$"), nil
	}
	if end, cut := strings.CutPrefix(name, "…"); cut &&
		slices.ContainsFunc(names, func(s string) bool { return strings.HasSuffix(s, end) }) {
		return regexp.MustCompile(regexp.QuoteMeta(end) + "$"), nil
	}
	if slices.ContainsFunc(names, func(s string) bool { return strings.HasSuffix(s, "/"+name) }) {
		return regexp.MustCompile("/" + regexp.QuoteMeta(name) + "$"), nil
	}
	re, err := regexp.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("no function is called %s, and as a regular expression it is wrong: %w", pattern, err)
	}
	return re, nil
}
