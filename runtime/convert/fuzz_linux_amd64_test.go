package convert

import (
	"testing"
	"unsafe"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pepfile/pepfiletest"
	"github.com/pepgo/pep/runtime/poll"
)

// FuzzFile: for all contents of a .pep file, reading the file gives an error or a profile
// without negative counts. The test corrects the header, because otherwise no file would
// pass the check of the header.
func FuzzFile(f *testing.F) {
	file := pepfiletest.Bytes(recorded())
	size := int(unsafe.Sizeof(pepfile.Entry{}))
	for i := range pepfile.Slots {
		if e := file[pepfile.PageSize+i*size:][:size]; e[0] != 0 {
			f.Add(append(append([]byte(nil), file[:pepfile.PageSize]...), e...), uint64(0))
		}
	}
	f.Add(file[:pepfile.PageSize], uint64(1<<63))
	f.Add([]byte{}, uint64(0))
	zeros, whole := pepfiletest.New(), pepfiletest.New()
	mapped := unsafe.Slice((*byte)(unsafe.Pointer(whole.Header)), len(file))
	f.Fuzz(func(t *testing.T, data []byte, counters uint64) {
		copy(mapped, pepfiletest.Bytes(zeros))
		copy(mapped, data)
		c := countsOf(whole)
		read := func() {
			if c.Check() != "" {
				return
			}
			p := c.Profile(nil, c.Build)
			for _, s := range p.Samples {
				if s.Count < 0 {
					t.Errorf("%d samples of path %d", s.Count, s.Number)
				}
			}
			p.Write()
			c.TapFiles(p)
			c.exactCounts(nil, new(damage))
		}
		c.Size = uint64(len(data))
		read()
		c.Size = uint64(len(mapped))
		read()
		c.Version, c.Mode, c.Slots, c.Pid, c.Counters, c.Streams = pepfile.Version, poll.Mode, pepfile.Slots, 0, counters, 0
		c.Publish()
		read()
		// Make the file one without counters, whose entries all have the right hash of their
		// key.
		c.Counters = 0
		c.Publish()
		for i := range uint32(len(data)/size + 1) {
			e := c.Entry(min(i, pepfile.Slots-1))
			e.N %= pepfile.MaxCallers + 1
			e.State, e.Count, e.Hash = pepfile.EntryReady, e.Count%pepfile.MaxPlausible, e.Key.Hash()
		}
		read()
	})
}

// FuzzArea: for all contents of the header of the words, there is a comment and a period.
func FuzzArea(f *testing.F) {
	f.Add([]byte{1}, uint64(7), uint64(3))
	c := countsOf(pepfiletest.Tapped(1))
	c.Slots = pepfile.Slots
	a := c.Words()
	header := unsafe.Slice((*byte)(unsafe.Pointer(a.WordsHeader)), unsafe.Sizeof(pepfile.WordsHeader{}))
	f.Fuzz(func(t *testing.T, data []byte, w, count uint64) {
		clear(header)
		copy(header, data)
		x := a.Word(w % pepfile.WordSlots)
		x.PC, x.W, x.Count, x.Sent = 1, w, count%pepfile.MaxPlausible, count%7
		k := x.Key()
		x.Hash = k.Hash()
		defer func() { *x = pepfile.Word{} }()
		taps := c.Taps()
		text := taps.Facts().Encode()
		if _, problem := facts.Decode(text); problem != "" || taps.period() < 1 {
			t.Errorf("%s: %s, period %d", text, problem, taps.period())
		}
		if len(taps.Words) != 1 || taps.Words[0].Count < 0 {
			t.Errorf("words %+v", taps.Words)
		}
	})
}
