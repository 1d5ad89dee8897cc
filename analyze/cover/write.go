package cover

// This file writes coverage for other tools.

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
)

// WriteLCOV writes a tracefile of LCOV, for genhtml, Coverage Gutters and the like: functions, lines and
// outcomes of branches.
func (c *Coverage) WriteLCOV(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, name := range c.files() {
		fmt.Fprintf(b, "TN:\nSF:%s\n", name)
		lines := make(map[int]int64)
		var functions, called, outcomes, taken int
		c.each(name, func(f *Function) {
			if f.File != name {
				return
			}
			functions++
			fmt.Fprintf(b, "FN:%d,%s\nFNDA:%d,%s\n", f.Line, f.Name, f.calls(), f.Name)
			if f.calls() > 0 {
				called++
			}
		})
		fmt.Fprintf(b, "FNF:%d\nFNH:%d\n", functions, called)
		c.each(name, func(f *Function) {
			for _, s := range f.Statements {
				for l := s.Line; l <= s.EndLine && s.File == name; l++ {
					lines[l] = max(lines[l], s.Count)
				}
			}
			for i, x := range f.Branches {
				if x.File != name {
					continue
				}
				decided := x.count() > 0
				for j, o := range x.Outcomes {
					count := "-" // never decided
					if decided {
						count = fmt.Sprint(o.Count)
					}
					fmt.Fprintf(b, "BRDA:%d,%d,%d,%s\n", x.Line, i, j, count)
					outcomes++
					if o.Count > 0 {
						taken++
					}
				}
			}
		})
		fmt.Fprintf(b, "BRF:%d\nBRH:%d\n", outcomes, taken)
		hit := 0
		for _, l := range slices.Sorted(maps.Keys(lines)) {
			fmt.Fprintf(b, "DA:%d,%d\n", l, lines[l])
			if lines[l] > 0 {
				hit++
			}
		}
		fmt.Fprintf(b, "LF:%d\nLH:%d\nend_of_record\n", len(lines), hit)
	}
	return b.Flush()
}

// WriteProfile writes a profile as go test -coverprofile does, for go tool cover and editors: a block for each
// statement.
func (c *Coverage) WriteProfile(w io.Writer) error {
	b := bufio.NewWriter(w)
	mode := "count"
	if c.Set {
		mode = "set"
	}
	fmt.Fprintln(b, "mode:", mode)
	for _, p := range c.Packages {
		var list []Statement
		for _, f := range p.Functions {
			list = append(list, f.Statements...)
		}
		slices.SortStableFunc(list, func(s, t Statement) int {
			return cmp.Or(cmp.Compare(s.File, t.File), cmp.Compare(s.Line, t.Line), cmp.Compare(s.Col, t.Col), cmp.Compare(s.EndLine, t.EndLine))
		})
		for _, s := range list {
			name := path.Join(p.Path, filepath.Base(s.File))
			if p.Path == "main" {
				name = s.File // go tool cover reads files with absolute names, too
			}
			fmt.Fprintf(b, "%s:%d.%d,%d.%d 1 %d\n", name, s.Line, s.Col, s.EndLine, s.EndCol, s.Count)
		}
	}
	return b.Flush()
}

func (f *Function) calls() (n int64) {
	for _, s := range f.Statements {
		n = max(n, s.Count)
	}
	return n
}

func (b *Branch) count() (n int64) {
	for _, o := range b.Outcomes {
		n += o.Count
	}
	return n
}

// files returns the names of all files with code.
func (c *Coverage) files() []string {
	set := make(map[string]bool)
	for _, p := range c.Packages {
		for _, f := range p.Functions {
			set[f.File] = true
			for _, s := range f.Statements {
				set[s.File] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// each calls do for the functions that have code in a file.
func (c *Coverage) each(name string, do func(*Function)) {
	for _, p := range c.Packages {
		for _, f := range p.Functions {
			if f.File == name || slices.ContainsFunc(f.Statements, func(s Statement) bool { return s.File == name }) {
				do(f)
			}
		}
	}
}
