package report

// This file writes the ranges that have no sample: package ranges adds them around
// other ranges. Their text is made from the ends of the ranges in them.

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/ranges"
)

// hull writes the lowest and the highest value of the ranges in n. If these are no numbers, or not
// in the order of the words, it writes the words of n: "64, 75".
func hull(n *ranges.Node) string {
	first, last := n, n
	for first.Word == nil {
		first = first.Kids[0]
	}
	for last.Word == nil {
		last = last.Kids[len(last.Kids)-1]
	}
	low, high := first.Word.Low, last.Word.High
	a, err1 := strconv.ParseInt(low, 0, 64)
	b, err2 := strconv.ParseInt(high, 0, 64)
	if low == "" || high == "" || err1 == nil && err2 == nil && a > b {
		return fmt.Sprintf("%#x, %#x", n.First, n.Last)
	}
	return low + ", " + high
}

// codeOf returns where the code of n is, nil if no sample says that.
func codeOf(n *ranges.Node) *profile.Code {
	if n.Word != nil {
		return n.Word.Code
	}
	list := codesIn(n, nil)
	if len(list) == 0 {
		return nil
	}
	first, last := list[0], list[len(list)-1]
	c := *first
	c.LastFunc = last.LastFunc
	for _, x := range list {
		switch {
		case c.FirstFunc == c.LastFunc && (x.FirstFunc != c.FirstFunc || x.LastFunc != c.FirstFunc):
		case !x.OneFile || x.FirstFile != c.FirstFile:
			c.OneFile, c.LastFile, c.Low, c.High = false, last.LastFile, first.Low, last.High
			return &c
		default:
			c.Low, c.High = min(c.Low, x.Low), max(c.High, x.High)
		}
	}
	return &c
}

// codesIn appends where the code of the ranges in n is that have samples.
func codesIn(n *ranges.Node, list []*profile.Code) []*profile.Code {
	switch {
	case n.Word == nil:
		for _, k := range n.Kids {
			list = codesIn(k, list)
		}
	case n.Word.Code != nil:
		list = append(list, n.Word.Code)
	}
	return list
}

// codeBetween writes where the code of the ranges in n is: the first and the last
// function, and their lines.
func codeBetween(n *ranges.Node) string {
	c := codeOf(n)
	if c == nil {
		return fmt.Sprintf("[%#x, %#x]", n.First, n.Last)
	}
	name := c.FirstFunc
	if name != c.LastFunc {
		name = "[" + name + ", " + c.LastFunc + "]"
	}
	text := fmt.Sprintf("%s %s:%d", name, c.FirstFile, c.Low)
	switch {
	case !c.OneFile:
		text += fmt.Sprintf(" to %s:%d", c.LastFile, c.High)
	case c.Low < c.High:
		text += fmt.Sprintf("-%d", c.High)
	}
	return text
}

// importPath matches the path of a package except for its last element, which names keep. If
// that is a version, names keep the element before it, too: see versionPath.
var importPath = regexp.MustCompile(`(?:[\w.~%-]+/)+`)

var versionPath = regexp.MustCompile(`(?:[\w.~%-]+/)*([\w~%-]+/v\d+\.)`)

// shortNames shortens the names of functions and types in a text to the names that
// people use: toml.(*lexer).next for github.com/BurntSushi/toml.(*lexer).next.
func shortNames(text string) string {
	const slash = "\x00"
	text = versionPath.ReplaceAllStringFunc(text, func(m string) string {
		return strings.ReplaceAll(versionPath.FindStringSubmatch(m)[1], "/", slash)
	})
	return strings.ReplaceAll(importPath.ReplaceAllString(text, ""), slash, "/")
}
