package image

// This file has what depends on the Go release that built an executable. Not here are the format of the function
// table, which package pclntab has and knows by its first bytes, the same from Go 1.20 to 1.27; and what
// DWARF has since some release, which its readers see: isPart, and the dictionaries in package abi.

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// A release has the offsets and sizes that an executable of a release does not say, if it is stripped.
type release struct {
	module moduleWords
	// The size of abi.MapType. An UncommonType follows it, with the package of a named map type.
	// It depends on the implementation of maps in the release.
	mapType uint64
	// Fields of runtime.g and runtime.m move when the runtime gets a field before them.
	goroutine Goroutine
}

// releases are the known ones, by the second number of the release. TestReleaseTable compares that of
// the tests' toolchain with DWARF. The others were read in the same way from a program built by
// the first patch of the release.
var releases = map[int]release{
	20: {until26, buckets, Goroutine{}},
	21: {until26, buckets, Goroutine{StackHi: 8, M: 48, Goid: 152, Labels: 344, Curg: 192, Procid: 72}},
	22: {until26, buckets, Goroutine{StackHi: 8, M: 48, Goid: 152, Labels: 344, Curg: 192, Procid: 72}},
	23: {until26, buckets, Goroutine{StackHi: 8, M: 48, Goid: 160, Labels: 352, Curg: 192, Procid: 72}},
	24: {until26, swiss, Goroutine{StackHi: 8, M: 48, Goid: 160, Labels: 352, Curg: 192, Procid: 72}},
	25: {until26, swiss, Goroutine{StackHi: 8, M: 48, Goid: 152, Labels: 344, Curg: 184, Procid: 64}},
	26: {until26, swiss, Goroutine{StackHi: 8, M: 48, Goid: 152, Labels: 352, Curg: 184, Procid: 64}},
	27: {since27, swissStrides, Goroutine{StackHi: 8, M: 48, Goid: 152, Labels: 352, Curg: 184, Procid: 64}},
}

// moduleWords are the numbers of words in runtime.moduledata, which the linker writes. A slice has
// three words: address, length, capacity.
type moduleWords struct {
	names     int // the slice funcnametab
	functions int // the slice pclntable
	index     int // the slice ftab
	text      int
	etext     int
	types     int
	etypes    int
	gofunc    int
}

var (
	until26 = moduleWords{names: 1, functions: 13, index: 16, text: 22, etext: 23, types: 37, etypes: 38, gofunc: 40}
	// Since Go 1.27 the length of the descriptors is in front of etypes, and where the itabs are
	// is behind it: the linker puts both between types and etypes.
	since27 = moduleWords{names: 1, functions: 13, index: 16, text: 22, etext: 23, types: 37, etypes: 39, gofunc: 43}
)

// size is how many words must be read.
func (w moduleWords) size() int { return max(w.functions+2, w.index+2, w.etypes+1, w.gofunc+1) }

// Sizes of abi.MapType.
const (
	buckets      = typeSize + 40
	swiss        = typeSize + 64 // since Go 1.24, but not with GOEXPERIMENT=noswissmap
	swissStrides = typeSize + 88 // since Go 1.27, which has offsets and strides of keys and elements
)

var version = regexp.MustCompile(`^(?:devel )?go1\.(\d+)`)

// minor returns the second number of the release, 0 if the executable does not say it.
func (im *Image) minor() int {
	m := version.FindStringSubmatch(im.GoVersion)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// possibleReleases returns the release that built the executable. One that is not in the table is read from
// DWARF. If the executable does not say its release, it may be any: moduleOf finds out which.
func (im *Image) possibleReleases() ([]release, error) {
	known := slices.Sorted(maps.Keys(releases))
	minor := im.minor()
	if minor == 0 {
		var list []release
		for _, n := range slices.Backward(known) {
			list = append(list, releases[n])
		}
		return list, nil
	}
	if r, ok := releases[minor]; ok {
		return []release{r}, nil
	}
	r, err := im.releaseFromDWARF()
	if err != nil {
		return nil, fmt.Errorf("peptrace knows Go 1.%d to 1.%d, and reads what it must know of other releases from DWARF: %w",
			known[0], known[len(known)-1], err)
	}
	return []release{r}, nil
}

// labelList says how the labels of goroutines are kept, which types do not tell: since Go 1.24 in a
// slice, before that in a map.
func (im *Image) labelList() bool { return im.minor() >= 24 }

func (im *Image) findGoroutine() (Goroutine, error) {
	g, err := im.goroutineFromDWARF()
	if err == nil {
		return g, nil
	}
	minor := im.minor()
	g = releases[minor].goroutine
	switch {
	case minor == 0:
		return g, fmt.Errorf("fields of goroutines: %w; and the executable does not say which Go release built it", err)
	case g == Goroutine{}:
		return g, fmt.Errorf("fields of goroutines: %w; and there is no table for %s", err, im.GoVersion)
	}
	g.LabelList = im.labelList()
	g.Source = fmt.Sprintf("go1.%d", minor)
	return g, nil
}

func (im *Image) goroutineFromDWARF() (g Goroutine, err error) {
	types, err := im.structs("runtime.g", "runtime.m")
	if err != nil {
		return g, err
	}
	err = errors.Join(
		offset(types, &g.StackLo, "runtime.g", "stack", "lo"),
		offset(types, &g.StackHi, "runtime.g", "stack", "hi"),
		offset(types, &g.M, "runtime.g", "m"),
		offset(types, &g.Goid, "runtime.g", "goid"),
		offset(types, &g.Labels, "runtime.g", "labels"),
		offset(types, &g.Curg, "runtime.m", "curg"),
		offset(types, &g.Procid, "runtime.m", "procid"),
	)
	g.LabelList = im.labelList()
	g.Source = "DWARF"
	return g, err
}

// releaseFromDWARF reads all but the offsets of goroutines, which goroutineFromDWARF reads.
func (im *Image) releaseFromDWARF() (r release, err error) {
	types, err := im.structs("runtime.moduledata", "internal/abi.MapType")
	if err != nil {
		return r, err
	}
	word := func(to *int, path ...string) error {
		var off int64
		err := offset(types, &off, "runtime.moduledata", path...)
		*to = int(off / 8)
		return err
	}
	w := &r.module
	err = errors.Join(
		word(&w.names, "funcnametab"), word(&w.functions, "pclntable"), word(&w.index, "ftab"),
		word(&w.text, "text"), word(&w.etext, "etext"),
		word(&w.types, "types"), word(&w.etypes, "etypes"), word(&w.gofunc, "gofunc"),
	)
	if t := types["internal/abi.MapType"]; t != nil {
		r.mapType = uint64(t.ByteSize)
	} else {
		err = errors.Join(err, errors.New("DWARF has no type internal/abi.MapType"))
	}
	if w.size() > maxModuleWords {
		err = errors.Join(err, fmt.Errorf("DWARF says that runtime.moduledata has %d words", w.size()))
	}
	return r, err
}

// maxModuleWords is more words than runtime.moduledata has, for damaged DWARF.
const maxModuleWords = 1 << 10

// offset sets *to to the offset of a field, or of a field of a field, of a struct.
func offset(types map[string]*dwarf.StructType, to *int64, typ string, path ...string) error {
	off, ok := fieldOffset(types[typ], path)
	if !ok || off < 0 {
		return fmt.Errorf("DWARF has no field %v of %s", path, typ)
	}
	*to = off
	return nil
}

// fieldOffset returns the offset of a field, or of a field of a field, of a struct.
func fieldOffset(t *dwarf.StructType, path []string) (int64, bool) {
	if t == nil {
		return 0, false
	}
	for _, f := range t.Field {
		if f.Name != path[0] {
			continue
		}
		if len(path) == 1 {
			return f.ByteOffset, true
		}
		inner, ok := underlying(f.Type).(*dwarf.StructType)
		if !ok {
			return 0, false
		}
		off, ok := fieldOffset(inner, path[1:])
		return f.ByteOffset + off, ok
	}
	return 0, false
}

// underlying removes the names of a type.
func underlying(t dwarf.Type) dwarf.Type {
	for {
		td, ok := t.(*dwarf.TypedefType)
		if !ok {
			return t
		}
		t = td.Type
	}
}
