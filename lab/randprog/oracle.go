package randprog

// This file computes path counts from the log of a traced form.

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Path is a path of a function, in the terms of the profile's labels.
type Path struct {
	Func     int    // first line of the function
	From     string // entry, or loop 15: without the name of the file
	Branches string // 12:5 if true; 15:6 for body
}

// A Truncation says where paths end: the values of -peptruncate.
type Truncation string

// The truncations.
const (
	Header   Truncation = "header"   // at every arrival at the head of a loop
	Backedge Truncation = "backedge" // at those by a jump back

	// Join is at every arrival at the head of a loop, and wherever else ways meet. A log does not tell where that
	// is, so Paths does as for Header. Compare needs the functions with such places, and compares their outcomes.
	Join Truncation = "join"
)

// A Log has the path counts of a run of the traced form.
type Log struct {
	Ended map[Path]int64 // how often every path was completed
	Left  map[Path]int64 // how often a panic left a path after this part of it
}

// Paths computes path counts from the log of a run of the traced form.
func (p *Program) Paths(log io.Reader, t Truncation) (*Log, error) {
	counts := &Log{map[Path]int64{}, map[Path]int64{}}
	r := bufio.NewReader(log)
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF && line == "" {
			return counts, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the log: %w", err)
		}
		if err := p.activation(strings.Fields(line), t, counts); err != nil {
			return nil, err
		}
	}
}

// activation adds the paths of one activation. A panic has left each path that no event
// ends.
func (p *Program) activation(fields []string, t Truncation, counts *Log) error {
	fn, err := strconv.Atoi(fields[0])
	if err != nil || fn >= len(p.funcs) {
		return fmt.Errorf("function %q in the log", fields[0])
	}
	from := "entry"
	var branches []string
	entering := map[int]bool{}
	falling, ended := false, false
	end := func(next string) {
		counts.Ended[Path{p.funcs[fn], from, strings.Join(branches, "; ")}]++
		from, branches = next, nil
	}
	for _, f := range fields[1:] {
		n, err := strconv.Atoi(f[1:])
		if err != nil {
			return fmt.Errorf("event %q in the log", f)
		}
		if ended {
			return fmt.Errorf("event %q behind the end of an activation: %q", f, fields)
		}
		switch f[0] {
		case 'o':
			if !falling {
				branches = append(branches, p.outcomes[n].String())
			}
			falling = false
		case 'f':
			falling = true
		case 'e':
			entering[n] = true
		case 'h':
			l := p.loops[n]
			if l.back && (t != Backedge || !entering[n]) {
				end(fmt.Sprintf("loop %d", l.line))
			}
			entering[n] = false
		case 'x':
			end(fmt.Sprintf("loop %d", p.loops[n].line))
		case 'r':
			end("")
			ended = true
		default:
			return fmt.Errorf("event %q in the log", f)
		}
	}
	if !ended {
		counts.Left[Path{p.funcs[fn], from, strings.Join(branches, "; ")}]++
	}
	return nil
}

// loop returns the line by which Paths names the loop that a path begins at, given the line
// that the profile names. The profile may name a loop by several lines:
//   - a loop without a condition by its first statement, or by a branch at the end of the
//     same block
//   - a range over a function by its own line, by its label, or by the statement behind it.
//
// If a branch belongs to two loops, loop takes the inner one.
func (p *Program) loop(fn, line int) (int, bool) {
	found := 0
	for _, l := range p.loops {
		if p.funcs[l.fn] != fn {
			continue
		}
		if l.line == line || slices.Contains(l.head[:], line) {
			return l.line, true
		}
		if l.branch == line {
			found = max(found, l.line)
		}
	}
	return found, found > 0
}
