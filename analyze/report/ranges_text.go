package report

// This file writes ranges that no sample is of: package ranges puts them around others.
// Their text is made from those of the ranges in them.

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pepgo/pep/analyze/ranges"
)

// endsText matches the values of ranges whose ends are numbers, nil or addresses.
var endsText = regexp.MustCompile(`^\[(-?\w+), (-?\w+)\]$`)

// hull writes the lowest and the highest value of the ranges in n, or the words of n if their
// order is not that of the values: "64, 75".
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
	if !ok1 || !ok2 {
		return fmt.Sprintf("%#x, %#x", n.First, n.Last)
	}
	return low + ", " + high
}

// endsOf returns the ends of a range as its value has them.
func endsOf(value string) (low, high string, ok bool) {
	if m := endsText.FindStringSubmatch(value); m != nil {
		return m[1], m[2], true
	}
	_, err := strconv.ParseInt(value, 0, 64)
	_, err2 := strconv.ParseUint(value, 0, 64)
	return value, value, err == nil || err2 == nil || value == "nil"
}

// spanText matches where code is: "main.f x.go:12:5", "main.f x.go:12", "[main.f, main.g] x.go:12-20",
// "[a.F, b.G] a.go:3 to b.go:9".
var spanText = regexp.MustCompile(`^(.*) (\S+?):(\d+)(?:-(\d+)|:\d+| to (\S+?):(\d+))?$`)

// A codeSpan is where code is.
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

// codeBetween writes where the code of the ranges in n is.
func codeBetween(n *ranges.Node) string {
	var all codeSpan
	first := true
	var visit func(n *ranges.Node)
	visit = func(n *ranges.Node) {
		if n.Word == nil {
			for _, k := range n.Kids {
				visit(k)
			}
			return
		}
		s, ok := parseSpan(n.Word.Value)
		switch {
		case !ok:
		case first:
			all, first = s, false
		default:
			if all.firstFile == all.lastFile && s.firstFile == s.lastFile && all.firstFile == s.firstFile {
				all.low, all.high = min(all.low, s.low), max(all.high, s.high)
			} else {
				all.high = s.high
			}
			all.lastFile, all.lastFunc = s.lastFile, s.lastFunc
		}
	}
	visit(n)
	if first {
		return fmt.Sprintf("[%#x, %#x]", n.First, n.Last)
	}
	where := fmt.Sprintf("%s:%d", all.firstFile, all.low)
	switch {
	case all.firstFile != all.lastFile:
		where += fmt.Sprintf(" to %s:%d", all.lastFile, all.high)
	case all.low != all.high:
		where += fmt.Sprintf("-%d", all.high)
	}
	if all.firstFunc != all.lastFunc {
		return fmt.Sprintf("[%s, %s] %s", all.firstFunc, all.lastFunc, where)
	}
	return all.firstFunc + " " + where
}
