package cover

// This file writes a cover profile.

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
)

// WriteProfile writes a profile as go test -coverprofile does, for go tool cover and editors: a block for each
// statement, where it is in the Go file. //line directives do not count.
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
			return cmp.Or(cmp.Compare(s.File, t.File), cmp.Compare(s.Line, t.Line), cmp.Compare(s.Col, t.Col),
				cmp.Compare(s.EndLine, t.EndLine))
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

func (b *Branch) count() (n int64) {
	for _, o := range b.Outcomes {
		n += o.Count
	}
	return n
}
