// Package pepfiletest makes .pep files in memory, for tests of what reads them.
//
//	f := pepfiletest.Recorded(golink.TextStart(), golink.CodeOf(TestX))
//	c := pepfile.File{Table: f, Size: uint64(len(pepfiletest.Bytes(f)))}
package pepfiletest

import (
	"context"
	labels "runtime/pprof"
	"strconv"
	"unsafe"

	"github.com/pepgo/pep/runtime/golink"
	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pace"
	"github.com/pepgo/pep/runtime/pepfile"
)

// New returns the table of a file without a header.
func New() pepfile.Table {
	t := memory(pepfile.TableSize(pepfile.Slots))
	t.Slots = pepfile.Slots
	return t
}

// Noted returns the table of a file whose windows have space for so many notes.
func Noted(notes uint32) pepfile.Table {
	t := memory(pepfile.LayoutOf(0, 0, notes).Size)
	t.Slots, t.Notes = pepfile.Slots, notes
	return t
}

// Tapped returns the table of a program with taps, on so many streams, that has tapped nothing.
func Tapped(streams uint32) pepfile.Table {
	t := memory(pepfile.LayoutOf(0, streams, 0).Size)
	t.Streams = streams
	return t
}

func memory(size uint64) pepfile.Table {
	return pepfile.TableAt(unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8)))).WithIndex(new(pepfile.Index))
}

// Recorded returns the table of a file as a program leaves it. Its five entries are of the
// function at code; entry i has 3i+1 samples. PCs are relative to text.
func Recorded(text, code uintptr) pepfile.Table {
	opts := options.Default
	opts.Samples, opts.Budget = 8, pace.Budget{}
	f := New()
	f.Fill(opts)
	f.Pid, f.Text, f.Start = 4711, uint64(text), 1e18
	f.ExeLen = uint32(copy(f.Exe[:], "/bin/app"))
	f.Build = [8]byte{1, 2, 3, 4, 5, 6, 7, 8}
	f.Publish()
	here := uint32(code - text)
	for i := range uint32(5) {
		for range 3*i + 1 {
			f.BeginBurst()
			for take := false; !take; take, _ = f.Poll() {
			}
			var number uint32
			if i >= 3 {
				labels.Do(context.Background(), labels.Labels("key", "value", "n", strconv.Itoa(int(i))), func(context.Context) {
					number = f.NumberOfLabels((*golink.Labels)(golink.ProfLabels()))
				})
			}
			f.LogSample(f.Add(&pepfile.Key{Path: i, PC: here + i, N: 2, Labels: number,
				Callers: [pepfile.MaxCallers]uint32{here + 2*i, here + 3}}))
		}
	}
	return f
}

// Bytes returns what is in a file.
func Bytes(f pepfile.Table) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(f.Header)), f.Layout().Size)
}
