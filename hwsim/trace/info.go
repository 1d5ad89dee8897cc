package trace

// This file says what is in a trace.

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/pepgo/pep/runtime/tuple"
)

// Info prints what is in a trace: where it comes from, and how much it has of
// which streams and tags. It prints what was read before an error, too.
func Info(out io.Writer, r *Reader) error {
	streams, tags := map[uint32]uint64{}, map[tuple.Tag]uint64{}
	sites := map[uint64]bool{}
	total := uint64(0)
	err := (&Filter{}).Each(r, func(b Block) error {
		streams[b.Stream] += uint64(len(b.Tuples))
		total += uint64(len(b.Tuples))
		for _, t := range b.Tuples {
			tags[t.Tag()]++
			sites[t.PC] = true
		}
		return nil
	})
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "program\t%s\n", oneLine(r.Header.Exe))
	fmt.Fprintf(w, "build\t%x\n", r.Header.Build)
	if r.Header.Comment != "" {
		fmt.Fprintf(w, "comment\t%s\n", oneLine(r.Header.Comment))
	}
	fmt.Fprintf(w, "site tables\t%s\n", r.Sites.summary())
	fmt.Fprintf(w, "names\t%d\n", len(r.Names))
	fmt.Fprintf(w, "tuples\t%d, %d dropped, at %d sites\n", total, r.End.Dropped, len(sites))
	if total > 0 {
		fmt.Fprintf(w, "size\t%d bytes in %d blocks, %.2f bytes a tuple\n", r.off, r.blocks, float64(r.off)/float64(total))
	}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		fmt.Fprintf(w, "tag %s\t%d\n", TagName(tag), tags[tag])
	}
	for _, s := range slices.Sorted(maps.Keys(streams)) {
		fmt.Fprintf(w, "stream %d\t%d\n", s, streams[s])
	}
	return errors.Join(err, w.Flush())
}

func (s *Sites) summary() string {
	if s == nil {
		return "none"
	}
	taps := 0
	for _, p := range s.packages {
		taps += len(p.Taps)
	}
	return fmt.Sprintf("%d taps in %d packages", taps, len(s.packages))
}
