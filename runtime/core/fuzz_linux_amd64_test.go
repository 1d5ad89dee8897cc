package core

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/pepgo/pep/runtime/options"
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/poll"
	"github.com/pepgo/pep/runtime/sampler"
)

// FuzzFile: for all contents of a .pep file, reading the file gives an error or a profile
// without negative counts. The test corrects the header, because otherwise no file would
// pass the check of the header.
func FuzzFile(f *testing.F) {
	file := bytesOf(recorded(f))
	size := int(unsafe.Sizeof(pepfile.Entry{}))
	for i := range pepfile.Slots {
		if e := file[pepfile.PageSize+i*size:][:size]; e[0] != 0 {
			f.Add(append(append([]byte(nil), file[:pepfile.PageSize]...), e...), uint64(0))
		}
	}
	f.Add(file[:pepfile.PageSize], uint64(1<<63))
	f.Add([]byte{}, uint64(0))
	zeros, whole := newTable(), newTable()
	mapped := unsafe.Slice((*byte)(unsafe.Pointer(whole.Header)), len(file))
	f.Fuzz(func(t *testing.T, data []byte, counters uint64) {
		copy(mapped, bytesOf(zeros))
		copy(mapped, data)
		c := counted{pepfile.File{Table: whole, Size: uint64(len(mapped))}}
		read := func() {
			if c.Check() != "" {
				return
			}
			p := c.profile(nil, c.Build)
			for _, s := range p.Samples {
				if s.Count < 0 {
					t.Errorf("%d samples of path %d", s.Count, s.Number)
				}
			}
			p.Write()
			c.tapFiles(p)
			c.exactSamples(nil, new(damage))
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

// FuzzArea: for all contents of the header of the words, there is a comment, a period and a
// scale.
func FuzzArea(f *testing.F) {
	f.Add([]byte{1}, uint64(7), uint64(3))
	words := make([]uint64, pepfile.LayoutOf(0, 1).Size/8)
	c := counted{pepfile.File{Table: pepfile.TableAt(unsafe.Pointer(unsafe.SliceData(words)))}}
	c.Slots, c.Streams = pepfile.Slots, 1
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
		taps := c.taps()
		if taps.comment() == "" || taps.period() < 1 || !(a.Burst.Scale() >= 0) {
			t.Errorf("%s, period %d, scale %g", taps.comment(), taps.period(), a.Burst.Scale())
		}
		if len(taps.words) != 1 || taps.words[0].Count < 0 {
			t.Errorf("words %+v", taps.words)
		}
	})
}

// FuzzOptions: the program understands the settings, or prints one line that says what is
// wrong.
func FuzzOptions(f *testing.F) {
	for _, s := range []string{
		"", "samples=64,stride=17,tick=10ms,ag=simplified", "ag=jikes,tick=2s", "engine=H[P256]2048+A16@seed=3,deliver=service",
		"taps=burst,full=drop", "trace=a.trace", "deliver=ring,trace=x", "samples=0", "engine=H[P256", "tick=99999999999999999ms",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, problem := options.Parse(s, parseEngine)
		if problem != "" {
			if strings.Contains(problem, "\n") && !strings.Contains(s, "\n") {
				t.Errorf("%q: %q", s, problem)
			}
			return
		}
		if o.Samples == 0 || o.Stride == 0 || o.Stride > sampler.MaxStride || o.Tick < 100_000 || o.Form > sampler.AgJikes {
			t.Errorf("%q: %+v", s, o)
		}
	})
}
