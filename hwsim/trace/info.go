package trace

// This file summarizes a trace.

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/internal/listing"
)

// An InfoTable says where a trace comes from, and how many tuples each stream and each
// tag has.
type InfoTable struct {
	Program       string        `json:"program"`
	Build         string        `json:"build"`
	Comment       string        `json:"comment"`
	HasTables     bool          `json:"has_site_tables"`
	Taps          int           `json:"taps" unit:"taps"`         // in these
	Packages      int           `json:"packages" unit:"packages"` // in these
	Names         int           `json:"names" unit:"names"`       // of types and functions
	Tuples        uint64        `json:"tuples" unit:"tuples"`
	Dropped       uint64        `json:"dropped" unit:"tuples"`
	Sites         int           `json:"sites" unit:"sites"` // that tuples are of
	Bytes         int64         `json:"bytes" unit:"bytes"`
	Blocks        int           `json:"blocks" unit:"blocks"`
	BytesPerTuple float64       `json:"bytes_per_tuple" unit:"bytes/tuple"`
	Tags          []TagCount    `json:"tags"`
	Streams       []StreamCount `json:"streams"`
}

// A TagCount says how many tuples have a tag.
type TagCount struct {
	Tag    string `json:"tag"`
	Tuples uint64 `json:"tuples" unit:"tuples"`
}

// A StreamCount says how many tuples a stream has.
type StreamCount struct {
	Stream uint32 `json:"stream" unit:"number"`
	Tuples uint64 `json:"tuples" unit:"tuples"`
}

// Info reads a trace and summarizes it. If there is an error, the table covers the part of
// the trace before it.
func Info(r *Reader) (*InfoTable, error) {
	streams, tags := map[uint32]uint64{}, map[tuple.Tag]uint64{}
	sites := map[uint64]bool{}
	t := &InfoTable{Program: r.Header.Exe, Build: fmt.Sprintf("%x", r.Header.Build), Comment: r.Header.Comment}
	err := (&Filter{}).Each(r, func(b Block) error {
		streams[b.Stream] += uint64(len(b.Tuples))
		t.Tuples += uint64(len(b.Tuples))
		for _, x := range b.Tuples {
			tags[x.Tag()]++
			sites[x.PC] = true
		}
		return nil
	})
	t.HasTables, t.Packages = r.Sites != nil, len(r.Sites.Packages())
	for _, p := range r.Sites.Packages() {
		t.Taps += len(p.Taps)
	}
	t.Names, t.Dropped, t.Sites, t.Bytes, t.Blocks = len(r.Names), r.End.Dropped, len(sites), int64(r.off), r.blocks
	t.BytesPerTuple = math.NaN()
	if t.Tuples > 0 {
		t.BytesPerTuple = float64(t.Bytes) / float64(t.Tuples)
	}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		t.Tags = append(t.Tags, TagCount{TagName(tag), tags[tag]})
	}
	for _, s := range slices.Sorted(maps.Keys(streams)) {
		t.Streams = append(t.Streams, StreamCount{s, streams[s]})
	}
	return t, err
}

// Name implements listing.Listing.
func (t *InfoTable) Name() string { return "trace info" }

// Print implements listing.Listing.
func (t *InfoTable) Print(p *listing.Page) {
	table := &listing.Table{}
	table.Row("program", oneLine(t.Program))
	table.Row("build", t.Build)
	if t.Comment != "" {
		table.Row("comment", oneLine(t.Comment))
	}
	tables := "none"
	if t.HasTables {
		tables = fmt.Sprintf("%d taps in %d packages", t.Taps, t.Packages)
	}
	table.Row("site tables", tables)
	table.Row("names", fmt.Sprint(t.Names))
	table.Row("tuples", fmt.Sprintf("%d, %d dropped, at %d sites", t.Tuples, t.Dropped, t.Sites))
	if t.Tuples > 0 {
		table.Row("size", fmt.Sprintf("%d bytes in %d blocks, %.2f bytes a tuple", t.Bytes, t.Blocks, t.BytesPerTuple))
	}
	for _, c := range t.Tags {
		table.Row("tag "+c.Tag, fmt.Sprint(c.Tuples))
	}
	for _, c := range t.Streams {
		table.Row(fmt.Sprintf("stream %d", c.Stream), fmt.Sprint(c.Tuples))
	}
	p.Table("", table)
}
