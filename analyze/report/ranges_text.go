package report

// This file writes the ranges that have no sample: package ranges adds them around
// other ranges. Their text is made from the texts of the ranges in them.

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pepgo/pep/analyze/ranges"
)

// endsText matches the values of ranges whose ends are numbers, nil or addresses.
var endsText = regexp.MustCompile(`^\[(-?\w+), (-?\w+)\]$`)

// hull writes the lowest and the highest value of the ranges in n. If the values are
// not in the order of the words, it writes the words of n: "64, 75".
func hull(n *ranges.Node) string {
	first, last := n, n
	for first.Word == nil {
		first = first.Kids[0]
	}
	for last.Word == nil {
		last = last.Kids[len(last.Kids)-1]
	}
	low, _, ok1 := endsOf(first.Word.Value)
	_, high, ok2 := endsOf(last.Word.Value)
	a, err1 := strconv.ParseInt(low, 0, 64)
	b, err2 := strconv.ParseInt(high, 0, 64)
	if !ok1 || !ok2 || err1 == nil && err2 == nil && a > b {
		return fmt.Sprintf("%#x, %#x", n.First, n.Last)
	}
	return low + ", " + high
}

// endsOf returns the two ends of a range from the text of its value.
func endsOf(value string) (low, high string, ok bool) {
	if m := endsText.FindStringSubmatch(value); m != nil {
		return m[1], m[2], true
	}
	_, err := strconv.ParseInt(value, 0, 64)
	_, err2 := strconv.ParseUint(value, 0, 64)
	return value, value, err == nil || err2 == nil || value == "nil"
}

// spanText matches texts that say where code is: "main.f x.go:12:5", "main.f x.go:12",
// "[main.f, main.g] x.go:12-20", "[a.F, b.G] a.go:3 to b.go:9".
var spanText = regexp.MustCompile(`^(.*?) (\S+?):(\d+)(?:-(\d+)|:\d+| to (\S+?):(\d+))?$`)

// A codeSpan says where code is.
type codeSpan struct {
	firstFunc, lastFunc string
	firstFile, lastFile string
	low, high           int // lines: the least and the greatest of one file, or of the first and the last
}

func parseSpan(text string) (s codeSpan, ok bool) {
	m := spanText.FindStringSubmatch(text)
	if m == nil {
		return s, false
	}
	s.firstFunc, s.lastFunc = m[1], m[1]
	if inner, ok := strings.CutPrefix(m[1], "["); ok {
		if f, l, ok := strings.Cut(strings.TrimSuffix(inner, "]"), ", "); ok {
			s.firstFunc, s.lastFunc = f, l
		}
	}
	s.firstFile, s.lastFile = m[2], m[2]
	s.low, _ = strconv.Atoi(m[3])
	s.high = s.low
	if m[4] != "" {
		s.high, _ = strconv.Atoi(m[4])
	}
	if m[5] != "" {
		s.lastFile = m[5]
		s.high, _ = strconv.Atoi(m[6])
	}
	return s, true
}

// codeBetween writes where the code of the ranges in n is: the first and the last
// function, and their lines.
func codeBetween(n *ranges.Node) string {
	spans := spansOf(n, nil)
	if len(spans) == 0 {
		return fmt.Sprintf("[%#x, %#x]", n.First, n.Last)
	}
	first, last := spans[0], spans[len(spans)-1]
	name := first.firstFunc
	if name != last.lastFunc {
		name = "[" + name + ", " + last.lastFunc + "]"
	}
	low, high := first.low, first.high
	for _, s := range spans {
		switch {
		case name == first.firstFunc && (s.firstFunc != name || s.lastFunc != name):
		case s.firstFile != first.firstFile || s.lastFile != first.firstFile:
			return fmt.Sprintf("%s %s:%d to %s:%d", name, first.firstFile, first.low, last.lastFile, last.high)
		default:
			low, high = min(low, s.low), max(high, s.high)
		}
	}
	if low == high {
		return fmt.Sprintf("%s %s:%d", name, first.firstFile, low)
	}
	return fmt.Sprintf("%s %s:%d-%d", name, first.firstFile, low, high)
}

// spansOf appends the place of the code of n. If n has no sample, it appends those of
// the ranges in n.
func spansOf(n *ranges.Node, list []codeSpan) []codeSpan {
	if n.Word == nil {
		for _, k := range n.Kids {
			list = spansOf(k, list)
		}
		return list
	}
	if s, ok := parseSpan(n.Word.Value); ok {
		list = append(list, s)
	}
	return list
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
