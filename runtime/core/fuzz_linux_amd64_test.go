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
	f.Add(file, uint32(16))
	f.Add(append(append([]byte(nil), file[:pageSize]...), sectionsText...), uint32(0))
	f.Add(file[:pageSize], uint32(1<<31))
	f.Add([]byte{}, uint32(0))
	f.Fuzz(func(t *testing.T, data []byte, slots uint32) {
		if len(data) > 1<<20 {
			return
		}
		// Files are mapped: so they begin on a page, and there are zeros behind.
		words := make([]uint64, (pages(uint64(len(data)))+2*pageSize)/8)
		p := unsafe.Pointer(unsafe.SliceData(words))
		mapped := unsafe.Slice((*byte)(p), 8*len(words))
		copy(mapped, data)
		c := counted{tableAt(p), uint64(len(data))}
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
			c.exactSamples(new(damage))
		}
		read()
		copy(c.Magic[:], magic)
		c.Version, c.Mode, c.Slots, c.Pid = version, mode, slots, 0
		c.seal()
		read()
		// As if every key were the one that its hash is of.
		for i := range min(slots, uint32(len(data)/int(unsafe.Sizeof(entry{})))) {
			e := c.entry(i)
			if uintptr(unsafe.Pointer(e))+unsafe.Sizeof(*e) > uintptr(p)+uintptr(len(mapped)) {
				break
			}
			e.N %= maxCallers + 1
			e.State, e.Count, e.Hash = entryReady, e.Count%maxPlausible, e.key.hash()
		}
		read()
	})
}

// sectionsText is a file of exact counts behind its header: one package.
var sectionsText = func() []byte {
	b := make([]byte, 2*pageSize)
	s := (*section)(unsafe.Pointer(unsafe.SliceData(b)))
	s.N, s.Size, s.Kind = 7, 2*pageSize, sectionCounters
	s.PathLen = uint32(copy(s.Path[:], "main"))
	return b
}()

// FuzzArea: whatever the header of the words has, there is a comment, a period and
// a scale.
func FuzzArea(f *testing.F) {
	const slots = 8
	f.Add([]byte{slots}, uint64(7), uint64(3))
	f.Fuzz(func(t *testing.T, data []byte, w, count uint64) {
		words := make([]uint64, (pageSize+slots*unsafe.Sizeof(word{}))/8)
		p := unsafe.Pointer(unsafe.SliceData(words))
		copy(unsafe.Slice((*byte)(p), unsafe.Sizeof(areaHeader{})), data)
		a := areaAt(p)
		a.Slots = slots
		x := a.word(w % slots)
		x.PC, x.W, x.Count, x.Messages, x.Hash = 1, w, count%maxPlausible, count%7, wordHash(1, w)
		taps := tapsOf(a, nil, nil)
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
