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
	return b.file == p.file && comparePositions(b.position, p) <= 0 && (p.line < b.endLine || p.line == b.endLine && p.col < b.endCol)
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

// compareBlocks compares blocks with the statements that are in them.
func (r *Report) compareBlocks(theirs map[block][]int64, ours *profiled) {
	in := make(map[block][]position)
	byFile := make(map[string][]block)
	for b := range theirs {
		byFile[b.file] = append(byFile[b.file], b)
	}
	for _, p := range slices.SortedFunc(maps.Keys(ours.statements), comparePositions) {
		var best *block
		for _, b := range byFile[p.file] {
			if b.contains(p) && (best == nil || best.contains(b.position)) {
				best = &b
			}
		}
		if best == nil {
			r.Others = append(r.Others, Difference{What: "statement", Where: p.String(), Text: "is in no block"})
			continue
		}
		in[*best] = append(in[*best], p)
	}
	for _, b := range slices.SortedFunc(maps.Keys(theirs), func(a, b block) int { return comparePositions(a.position, b.position) }) {
		statements := in[b]
		r.Statements += len(statements)
		if len(statements) != b.statements {
			r.differ(&r.Blocks, Difference{What: "block", Where: b.String(), Text: fmt.Sprintf("has %d statements, and pep has %d", b.statements, len(statements))})
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
			r.Blocks.Varies++
		case different:
			r.differ(&r.Blocks, Difference{"block", at.String(), fmt.Sprintf("%d, pep %d", theirs[b], ours.statements[at]), ours.leftAt(at, theirs[b])})
		}
	}
}

// leftAt returns the cause of a count that is too low: paths of the function have not ended.
func (p *profiled) leftAt(at position, theirs []int64) string {
	f, ok := p.functions[at]
	counts := p.statements[at]
	if !ok || len(theirs) != len(counts) {
		return ""
	}
	for i, n := range counts {
		if theirs[i] < n || theirs[i] > n+p.unended[f][i] {
			return ""
		}
	}
	return causeLeft
}

const causeLeft = "A panic, runtime.Goexit or the end of the program has left paths of the function. Statements in the function ran at most so many times more often than pep counts."
