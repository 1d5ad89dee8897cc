package covered

// This file compares statements with the blocks of go test -cover.

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// A position is one in a file of the module.
type position struct {
	file      string
	line, col int
}

func (p position) String() string { return fmt.Sprintf("%s:%d:%d", p.file, p.line, p.col) }

func comparePositions(p, q position) int {
	return cmp.Or(cmp.Compare(p.file, q.file), cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col))
}

// A block is a line of a cover profile.
type block struct {
	position
	endLine, endCol int
	statements      int
}

func (b *block) contains(p position) bool {
	return b.file == p.file && comparePositions(b.position, p) <= 0 &&
		(p.line < b.endLine || p.line == b.endLine && p.col < b.endCol)
}

// readBlocks reads a cover profile of a module. Blocks of packages that several tests have are there several times.
func readBlocks(name, module string) (map[block]int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	blocks := make(map[block]int64)
	s := bufio.NewScanner(f)
	for s.Scan() {
		if strings.HasPrefix(s.Text(), "mode: ") {
			continue
		}
		var b block
		var count int64
		file, numbers, ok := strings.Cut(s.Text(), ".go:")
		if ok {
			_, err = fmt.Sscanf(numbers, "%d.%d,%d.%d %d %d", &b.line, &b.col, &b.endLine, &b.endCol, &b.statements, &count)
		}
		below, in := strings.CutPrefix(file+".go", module+"/")
		if err != nil || !ok || !in {
			return nil, fmt.Errorf("%s: %q is no block of %s", name, s.Text(), module)
		}
		b.file = below
		blocks[b] += count
	}
	return blocks, s.Err()
}

// compareBlocks compares blocks with the statements that are in them. The tool cover counts two things as statements of
// the block that they end: a label, and a block of braces alone. So they are not in the block that has their position.
func (r *Report) compareBlocks(theirs map[block][]int64, ours *profiled, src *syntax,
	unreachable map[position]bool) error {
	in := make(map[block][]position)
	byFile := make(map[string][]block)
	for b := range theirs {
		byFile[b.file] = append(byFile[b.file], b)
	}
	for _, p := range slices.SortedFunc(maps.Keys(ours.statements), comparePositions) {
		f, err := src.file(p.file)
		if err != nil {
			return err
		}
		if f.braces[p] {
			continue
		}
		var best *block
		for _, b := range byFile[p.file] {
			if b.contains(p) && (best == nil || best.contains(b.position)) {
				best = &b
			}
		}
		if best == nil {
			r.differ(nil, Difference{What: "statement", Where: p.String(), Text: "is in no block"})
			continue
		}
		in[*best] = append(in[*best], p)
	}
	for _, b := range slices.SortedFunc(maps.Keys(theirs),
		func(a, b block) int { return comparePositions(a.position, b.position) }) {
		f, err := src.file(b.file)
		if err != nil {
			return err
		}
		statements, want := in[b], b.statements
		r.Statements += len(statements)
		end := position{b.file, b.endLine, b.endCol}
		switch {
		case f.braces[end]:
			want--
		case f.labels[end]:
			want--
			r.differ(nil, Difference{"label", end.String(), "go test -cover counts a statement more", causeLabel})
		}
		if len(statements) != want {
			d := Difference{What: "block", Where: b.String(),
				Text: fmt.Sprintf("has %d statements, and pep has %d", want, len(statements))}
			for p := range unreachable {
				if b.contains(p) && slices.Max(theirs[b]) == 0 {
					d.Cause = causeUnreachable
				}
			}
			r.differ(&r.Blocks, d)
			continue
		}
		worst := equal
		var at position
		for _, p := range statements {
			if v := judge(theirs[b], ours.statements[p]); v > worst {
				worst, at = v, p
			}
		}
		switch worst {
		case equal:
			r.Blocks.Equal++
		case varies:
			r.Blocks.vary(theirs[b], ours.statements[at])
		case different:
			d := Difference{"block", at.String(), fmt.Sprintf("%d, pep %d", theirs[b], ours.statements[at]),
				ours.leftAt(at, theirs[b])}
			if f.entered[at] {
				d.Cause = causeGoto
			}
			r.differ(&r.Blocks, d)
		}
	}
	return nil
}

// The causes of differences between blocks.
const (
	causeLabel       = "The tool cover counts a label as a statement, and pep does not."
	causeUnreachable = "The code cannot be reached, as go vet says too: it is in no site table."
	causeGoto        = "A goto leads to the label of a loop or switch. The tool cover counts only the ways that come from above."
	causeLeft        = "A panic, runtime.Goexit or the end of the program has left paths of the function, and nothing says how far they had come. The counts differ by no more than there are such paths."
)

// leftAt returns the cause of a count that differs by no more than there are paths of the function that have not ended.
func (p *profiled) leftAt(at position, theirs []int64) string {
	counts, unended := p.statements[at], p.unended[p.functions[at]]
	for i, n := range counts {
		if len(unended) <= i || max(theirs[i]-n, n-theirs[i]) > unended[i] {
			return ""
		}
	}
	return causeLeft
}
