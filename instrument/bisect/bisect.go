// Package bisect selects functions by hash, for the command
// golang.org/x/tools/cmd/bisect. That command runs a build again and again, each
// time with another pattern, until it knows which functions make the program fail.
//
// A pattern stands for a set of identifiers, which are 64-bit hashes of the names of
// functions:
//
//	01+10     those that end in the bits 01 or 10
//	xa3-xfa3  those that end in the hexadecimal digit pair a3, less those that end in fa3
//	y         all
//	n         none, but all are printed
//	-01       all but those that end in 01
//	!01       as 01 is printed, but all others are selected
//	v01       01, with the names of the functions behind the markers
//
// In a pattern every + stands before every -. Package internal/bisect of the Go
// distribution defines the syntax and the markers.
package bisect

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// A Pattern says which functions are selected. A nil pattern selects all.
type Pattern struct {
	named   bool // the name of the function follows each marker
	inverse bool // functions that match are not selected
	terms   []term
}

// A term adds the identifiers that end in some bits, or takes them away.
type term struct {
	mask, bits uint64
	add        bool
}

// Parse parses a pattern. The empty string gives the nil pattern.
func Parse(text string) (*Pattern, error) {
	if text == "" {
		return nil, nil
	}
	p := &Pattern{}
	rest := strings.TrimLeft(text, "v")
	p.named = rest != text
	for strings.HasPrefix(rest, "!") {
		p.inverse = !p.inverse
		rest = rest[1:]
	}
	if rest == "n" {
		p.inverse = !p.inverse
		rest = "y"
	}
	if strings.HasPrefix(rest, "-") {
		rest = "y" + rest
	}
	rest = strings.TrimPrefix(rest, "+")
	for add := true; ; {
		i := strings.IndexAny(rest, "+-")
		bits := rest
		if i >= 0 {
			bits = rest[:i]
		}
		t, err := parseTerm(bits)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", text, err)
		}
		t.add = add
		p.terms = append(p.terms, t)
		if i < 0 {
			return p, nil
		}
		if rest[i] == '+' && !add {
			return nil, fmt.Errorf("pattern %q: a + stands behind a -", text)
		}
		add = rest[i] == '+'
		rest = rest[i+1:]
	}
}

func parseTerm(text string) (t term, err error) {
	if text == "y" {
		return t, nil
	}
	digits, base, width := text, 2, len(text)
	if hex, ok := strings.CutPrefix(text, "x"); ok {
		digits, base, width = hex, 16, 4*len(hex)
	}
	if t.bits, err = strconv.ParseUint(digits, base, 64); err != nil || width > 64 || strings.ContainsAny(digits, "_+-") {
		return t, fmt.Errorf("%q: want at most 64 bits in digits 0 and 1, or hexadecimal digits behind an x", text)
	}
	t.mask = 1<<width - 1
	return t, nil
}

// Selects reports whether the pattern selects the function with the given name. It also
// returns the line to print about the function, or "" if there is nothing to print.
func (p *Pattern) Selects(name, at string) (selected bool, line string) {
	if p == nil {
		return true, ""
	}
	id := hash(name)
	match := p.matches(id)
	if match {
		line = fmt.Sprintf("[bisect-match %#016x]", id)
		if p.named {
			line += " " + name + " " + at
		}
	}
	return match != p.inverse, line
}

func (p *Pattern) matches(id uint64) bool {
	match := false
	for _, t := range p.terms {
		if id&t.mask == t.bits {
			match = t.add
		}
	}
	return match
}

func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
