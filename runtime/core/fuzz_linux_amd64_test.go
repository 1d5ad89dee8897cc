package core

import (
	"strings"
	"testing"
	"unsafe"
)

// FuzzFile: whatever a .pep file has, reading it is an error or a profile with no
// negative counts. The header is made right, or nothing would get past it.
func FuzzFile(f *testing.F) {
	file := bytesOf(recorded(f))
	size := int(unsafe.Sizeof(entry{}))
	for i := range slots {
		if e := file[pageSize+i*size:][:size]; e[0] != 0 {
			f.Add(append(append([]byte(nil), file[:pageSize]...), e...), uint64(0))
		}
	}
	f.Add(file[:pageSize], uint64(1<<63))
	f.Add([]byte{}, uint64(0))
	zeros, whole := newTable(), newTable()
	mapped := unsafe.Slice((*byte)(unsafe.Pointer(whole.header)), len(file))
	f.Fuzz(func(t *testing.T, data []byte, counters uint64) {
		copy(mapped, bytesOf(zeros))
		copy(mapped, data)
		c := counted{whole, uint64(len(mapped))}
		read := func() {
			if c.check() != "" {
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
		c.size = uint64(len(data))
		read()
		c.size = uint64(len(mapped))
		read()
		c.Version, c.Mode, c.Slots, c.Pid, c.Counters, c.Streams = version, mode, slots, 0, counters, 0
		c.publish()
		read()
		// As if the files had no counters, and every key were the one that its hash
		// is of.
		c.Counters = 0
		c.publish()
		for i := range uint32(len(data)/size + 1) {
			e := c.entry(min(i, slots-1))
			e.N %= maxCallers + 1
			e.State, e.Count, e.Hash = entryReady, e.Count%maxPlausible, e.key.hash()
		}
		read()
	})
}

// FuzzArea: whatever the header of the words has, there is a comment, a period and
// a scale.
func FuzzArea(f *testing.F) {
	f.Add([]byte{1}, uint64(7), uint64(3))
	words := make([]uint64, layoutOf(0, 1).size/8)
	c := counted{table: tableAt(unsafe.Pointer(unsafe.SliceData(words)))}
	c.Slots, c.Streams = slots, 1
	a := c.area()
	header := unsafe.Slice((*byte)(unsafe.Pointer(a.areaHeader)), unsafe.Sizeof(areaHeader{}))
	f.Fuzz(func(t *testing.T, data []byte, w, count uint64) {
		clear(header)
		copy(header, data)
		x := a.word(w % wordSlots)
		x.PC, x.W, x.Count, x.Messages, x.Hash = 1, w, count%maxPlausible, count%7, wordHash(1, w, 0)
		defer func() { *x = word{} }()
		taps := c.taps()
		if taps.comment() == "" || taps.period() < 1 || !(a.Burst.scale() >= 0) {
			t.Errorf("%s, period %d, scale %g", taps.comment(), taps.period(), a.Burst.scale())
		}
		if len(taps.words) != 1 || taps.words[0].Count < 0 {
			t.Errorf("words %+v", taps.words)
		}
	})
}

// FuzzOptions: settings are understood, or one line says what is wrong.
func FuzzOptions(f *testing.F) {
	for _, s := range []string{
		"", "samples=64,stride=17,tick=10ms,ag=simplified", "ag=jikes,tick=2s", "engine=H[P256]2048+A16@seed=3,deliver=service",
		"taps=burst,full=drop", "trace=a.trace", "deliver=ring,trace=x", "samples=0", "engine=H[P256", "tick=99999999999999999ms",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, problem := parseOptions(s)
		if problem != "" {
			if strings.Contains(problem, "\n") && !strings.Contains(s, "\n") {
				t.Errorf("%q: %q", s, problem)
			}
			return
		}
		if o.samples == 0 || o.stride == 0 || o.stride > maxStride || o.tick < 100_000 || o.form > agJikes {
			t.Errorf("%q: %+v", s, o)
		}
	})
}
