package exactness

// This file prints reports.

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"
)

// A tally is the number of blocks of a kind and their executions.
type tally struct {
	blocks     int
	executions uint64
}

func (r *Report) tally(is func(*Block) bool) (t tally) {
	for i := range r.Blocks {
		if b := &r.Blocks[i]; is(b) {
			t.blocks++
			t.executions += uint64(b.Cover)
		}
	}
	return t
}

// Count returns the number of blocks of a kind.
func (r *Report) Count(k Kind) int {
	return r.tally(func(b *Block) bool { return b.Kind == k }).blocks
}

// OK reports whether all results agree with exact path counts.
func (r *Report) OK() bool {
	return r.Count(Failure) == 0 && r.Count(NotFound) == 0 && len(r.Wrong) == 0
}

// Summary writes one line per program. For each kind of result it has the number of blocks,
// and their share of all executions of blocks.
func Summary(w io.Writer, reports []*Report) {
	kinds := []Kind{Equal, Unended, Skipped, Unreachable, NotFound, Failure}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "program\tfunctions\tpaths\tblocks\texecutions\t")
	for _, k := range kinds {
		fmt.Fprintf(tw, "%s\tshare\t", k)
	}
	fmt.Fprintln(tw)
	for _, r := range reports {
		all := r.tally(func(*Block) bool { return true })
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t", filepath.Base(r.Program), r.Funcs, r.Paths, all.blocks, all.executions)
		for _, k := range kinds {
			t := r.tally(func(b *Block) bool { return b.Kind == k })
			fmt.Fprintf(tw, "%d\t%s\t", t.blocks, share(t.executions, all.executions))
		}
		fmt.Fprintln(tw)
	}
	tw.Flush()
}

func share(part, all uint64) string {
	if part == 0 {
		return "0"
	}
	return fmt.Sprintf("%.3g%%", 100*float64(part)/float64(all))
}

// Failures writes the failures.
func (r *Report) Failures(w io.Writer) {
	for _, msg := range r.Wrong {
		fmt.Fprintf(w, "%s\n", msg)
	}
	r.list(w, Failure)
	r.list(w, NotFound)
}

// Details writes the blocks whose counts need not be equal: those of skipped functions, by
// reason, and those of functions with paths that never ended.
func (r *Report) Details(w io.Writer) {
	byReason := map[string]tally{}
	for _, b := range r.Blocks {
		if b.Kind == Skipped {
			t := byReason[b.Reason]
			t.blocks++
			t.executions += uint64(b.Cover)
			byReason[b.Reason] = t
		}
	}
	var reasons []string
	for reason := range byReason {
		reasons = append(reasons, reason)
	}
	slices.Sort(reasons)
	for _, reason := range reasons {
		t := byReason[reason]
		fmt.Fprintf(w, "skipped: %s: %d blocks, %d executions\n", reason, t.blocks, t.executions)
	}
	for _, s := range r.Unended {
		fmt.Fprintf(w, "unended: %s\n", s)
	}
	for _, s := range r.Clear {
		fmt.Fprintf(w, "clears: %s: other paths than without coverage\n", s)
	}
}

func (r *Report) list(w io.Writer, k Kind) {
	for _, b := range r.Blocks {
		if b.Kind != k {
			continue
		}
		fmt.Fprintf(w, "%s:%d:%d: %s: %s: cover %d, paths %d", b.File, b.Line, b.Col, k, b.Func, b.Cover, b.Paths)
		if b.Bound > 0 {
			fmt.Fprintf(w, ", bound %d", b.Bound)
		}
		fmt.Fprintln(w)
	}
}
