package pepfile

// This file computes the offsets of the parts of a .pep file. The file gets its whole size
// when the program starts, and all of it is mapped, so polls and taps never need to make
// space. The file is sparse: pages that are never written take no space on disk.

import "github.com/pepgo/pep/runtime/poll"

// pages rounds n up to whole pages.
func pages(n uint64) uint64 { return (n + PageSize - 1) &^ (PageSize - 1) }

// A Layout is the offsets of a file's parts, which follow each other:
//
//	header, slots of sampled paths, label sets (labels.go), and the log of bursts (bursts.go) or of windows (windows.go)
//	the notes of these windows (notes.go)
//	in exact programs instead: header, and in those with taps that report label sets
//	the counters of exact programs: for each package, in the order of the site tables, one for
//	each path and one for the calls of each function
//	in programs with taps that report:
//	the words that taps have reported (words.go)
//	the streams of the Ps (stream.go)
//	the chunks of the goroutines (chunk.go)
type Layout struct {
	Counters uint64 // offset of the counters
	words    uint64
	streams  uint64
	Chunks   uint64
	Size     uint64 // of the file
}

// LayoutOf returns the layout of a file with so many counters and streams, and slots for so many notes. Files
// without streams have no space for taps.
func LayoutOf(counters uint64, streams, notes uint32) (l Layout) {
	slots := SlotsOf(poll.Mode)
	l.Counters = TableSize(slots) + notesSize(notes)
	if slots == 0 && streams > 0 {
		l.Counters += labelSetsSize
	}
	l.words = l.Counters + pages(8*counters)
	l.streams, l.Chunks, l.Size = l.words, l.words, l.words
	if streams > 0 {
		l.streams += WordsSize
		l.Chunks = l.streams + uint64(streams)*streamSize
		l.Size = l.Chunks + MaxChunks*ChunkSize
	}
	return l
}

func (t Table) Layout() Layout { return LayoutOf(t.Counters, t.Streams, t.Notes) }

// Words returns the words that taps have reported. They have no header if the file has no
// space for taps.
func (t Table) Words() (a Words) {
	if t.Streams > 0 {
		a = WordsAt(t.At(t.Layout().words))
	}
	return a
}

// Stream returns the stream of a P.
func (t Table) Stream(p uint32) *Stream {
	return (*Stream)(t.At(t.Layout().streams + uint64(p)*streamSize))
}

// Chunk returns a chunk.
func (t Table) Chunk(i uint32) *Chunk {
	return (*Chunk)(t.At(t.Layout().Chunks + uint64(i)*ChunkSize))
}
