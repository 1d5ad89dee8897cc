package profile

// This file adds up the comments of profiles that are merged. Numbers add up, and shares become
// the range from the lowest to the highest. The comments
//
//	pep: sampled PEP(64,17), tick 10ms cpu, 20 ticks, 1280 samples, sampling took 2ms, 1.00%
//	pep: 98.0% of 20 ticks were outside of instrumented functions: runtime 90.0%, time 8.0%
//
// and
//
//	pep: sampled PEP(64,17), tick 10ms cpu, 30 ticks, 1920 samples, 1 overruns, sampling took 6ms, 2.00%
//	pep: 95.0% of 30 ticks were outside of instrumented functions: runtime 92.0%, fmt 3.0%
//
// become
//
//	pep: sampled PEP(64,17), tick 10ms cpu, 50 ticks, 3200 samples, 1 overruns, sampling took 8ms, 1.00-2.00%
//	pep: 95.0-98.0% of 50 ticks were outside of instrumented functions: runtime 90.0-92.0%, …
//
// Programs name only the packages with the highest shares, so time may have had ticks in the second run.
// Comments whose settings differ, such as tick 10ms, stay apart.

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A comment is one line, taken apart.
type comment struct {
	text  string // as it is in the first profile
	parts []part
	of    int // comments that were added up
}

// A part is the text between two separators.
type part struct {
	before  string   // the separator
	text    []string // around the numbers
	numbers []number
	named   bool // it is a name and its share
	of      int  // comments that have it
}

func (p *part) key() string { return strings.Join(p.text, "\x00") }

// ofList reports whether the part belongs to the list of names.
func (p *part) ofList() bool { return p.named || p.text[0] == unnamed }

// A number is a count, or a share in percent, which is a range after an addition.
type number struct {
	low, high float64
	digits    int // of a share, behind the point; 0 of a count
}

const (
	prefix   = "pep: " // begins the comments that programs write
	unnamed  = "…"     // stands for the names that a list does not have
	hint     = " (-peppkg"
	maxParts = 100 // programs write comments with fewer
)

var (
	shareFirst = regexp.MustCompile(`^\d+\.\d`)
	shareLast  = regexp.MustCompile(` \d+\.\d+(-\d+\.\d+)?%$`)
	counting   = regexp.MustCompile(`^(damaged: |but |bursts weigh like |sampling took )?(\d+(ms)?|\d+\.\d+(-\d+\.\d+)?%)( |$)`)
	aNumber    = regexp.MustCompile(`(\d+\.(\d+))(?:-(\d+\.\d+))?%|\d+`)
	separators = regexp.MustCompile(`, |; |: | \(-peppkg`)
	goesOn     = regexp.MustCompile(`^(which|so that|their|or) `) // begins text that belongs to what is before the comma
)

// sumComments returns the comments of several files as those of one.
func sumComments(files []*File) (list []string) {
	var sums []*comment
	index := make(map[string]*comment)
	for _, f := range files {
		for _, text := range f.Comments {
			c, key := parseComment(text)
			if sum := index[key]; sum != nil {
				sum.add(c)
				continue
			}
			index[key] = c
			sums = append(sums, c)
		}
	}
	for _, c := range sums {
		list = append(list, c.sum())
	}
	return list
}

// parseComment takes a comment apart, and returns a key that it shares with those that it adds up with. A
// comment that no program has written has no parts: it adds up with equal ones to one.
func parseComment(text string) (c *comment, key string) {
	c = &comment{text: text, of: 1}
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return c, text
	}
	note := shareFirst.MatchString(rest) // with a list of names; else how the profile was made
	var parts []part
	begin, before := 0, prefix
	for _, at := range separators.FindAllStringIndex(rest, maxParts) {
		separator := rest[at[0]:at[1]]
		if separator == ", " && goesOn.MatchString(rest[at[1]:]) || separator != ", " && !note {
			continue
		}
		parts = append(parts, newPart(before, rest[begin:at[0]], note))
		begin, before = at[1], separator
		if separator == hint {
			begin, before = at[0]+1, " "
		}
	}
	parts = append(parts, newPart(before, rest[begin:], note))
	switch {
	case len(parts) > maxParts || !note && len(parts[0].numbers) > 0:
		return c, text
	case note:
		key = parts[0].key()
	default:
		for i := range parts {
			if len(parts[i].numbers) == 0 {
				key += parts[i].before + parts[i].key()
			}
		}
	}
	c.parts = parts
	return c, key
}

func newPart(before, text string, note bool) part {
	p := part{before: before, of: 1}
	begin := 0 // of the text with numbers
	switch at := shareLast.FindStringIndex(text); {
	case counting.MatchString(text):
	case note && at != nil:
		p.named = true
		begin = at[0]
	default:
		begin = len(text)
	}
	from := 0
	for _, at := range aNumber.FindAllStringSubmatchIndex(text[begin:], -1) {
		p.text = append(p.text, text[from:begin+at[0]])
		from = begin + at[1]
		p.numbers = append(p.numbers, newNumber(text[begin:], at))
	}
	p.text = append(p.text, text[from:])
	return p
}

// newNumber reads a match of aNumber in text.
func newNumber(text string, at []int) (n number) {
	value := func(from, to int) float64 {
		x, _ := strconv.ParseFloat(text[from:to], 64) // of digits: at worst infinite
		return x
	}
	if at[2] < 0 {
		n.low = value(at[0], at[1])
		return n
	}
	n.low, n.digits = value(at[2], at[3]), at[5]-at[4]
	if n.high = n.low; at[6] >= 0 {
		n.high = value(at[6], at[7])
	}
	return n
}

// add adds a comment with the same key.
func (c *comment) add(d *comment) {
	c.of++
	next := 0 // where a part belongs that only d has
	for _, p := range d.parts {
		i := slices.IndexFunc(c.parts, func(q part) bool { return p.named == q.named && p.key() == q.key() })
		if i < 0 {
			for !p.ofList() && next < len(c.parts) && c.parts[next].ofList() {
				next++ // the list stays in one piece
			}
			c.parts = slices.Insert(c.parts, next, p)
			next++
			continue
		}
		c.parts[i].add(p)
		next = i + 1
	}
}

func (p *part) add(q part) {
	p.of++
	for i, n := range q.numbers {
		m := &p.numbers[i]
		if m.digits > 0 {
			m.low, m.high = min(m.low, n.low), max(m.high, n.high)
		} else {
			m.low += n.low
		}
	}
}

// sum returns the sum of the comments that were added up.
func (c *comment) sum() string {
	if c.of == 1 || len(c.parts) == 0 {
		return c.text
	}
	var b strings.Builder
	listed, left := 0, false
	for i, p := range c.parts {
		if p.ofList() && (p.of < c.of || !p.named) {
			left = true
		} else {
			if p.named {
				p.before = listSeparator(listed)
				listed++
			}
			b.WriteString(p.before)
			p.write(&b, c.of)
		}
		if listEnds := p.ofList() && (i+1 == len(c.parts) || !c.parts[i+1].ofList()); listEnds && left {
			b.WriteString(listSeparator(listed) + unnamed)
		}
	}
	return b.String()
}

// listSeparator returns what is before the name in a list that so many others precede.
func listSeparator(names int) string {
	if names == 0 {
		return ": "
	}
	return ", "
}

// write writes the part of so many comments. Where it is missing, its share is 0.
func (p *part) write(b *strings.Builder, of int) {
	for i, n := range p.numbers {
		b.WriteString(p.text[i])
		if n.digits > 0 && p.of < of {
			n.low = 0
		}
		b.WriteString(n.String())
	}
	b.WriteString(p.text[len(p.numbers)])
}

func (n number) String() string {
	low := strconv.FormatFloat(n.low, 'f', n.digits, 64)
	switch {
	case n.digits == 0:
		return low
	case n.low == n.high:
		return low + "%"
	}
	return low + "-" + strconv.FormatFloat(n.high, 'f', n.digits, 64) + "%"
}
