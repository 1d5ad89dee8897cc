package image

// This file finds where the runtime keeps what is known about a goroutine.

import (
	"debug/dwarf"
	"fmt"
	"regexp"
	"strconv"
)

// A Goroutine has offsets of fields in runtime.g and runtime.m, in bytes. In Go code, R14
// is the address of the current g, and so is the word at FS-8.
type Goroutine struct {
	// Fields of runtime.g.
	StackLo, StackHi int64 // bounds of the stack; StackHi - SP names a frame even if the stack moves
	M                int64 // address of the runtime.m that runs the goroutine
	Goid             int64 // number of the goroutine
	Labels           int64 // pprof labels, see LabelList
	// Fields of runtime.m.
	Curg   int64 // address of the g whose code m runs, while SP is on another stack
	Procid int64 // number of the thread, in the PID namespace of the process
	// LabelList says what Labels points to: since Go 1.24 a slice of pairs of strings, sorted
	// by key, before that a map.
	LabelList bool
	Source    string // "DWARF", or the release from whose table the offsets are
}

// Goroutine returns where the fields are. It takes the offsets from DWARF, and for
// stripped executables from a table of releases. For releases that are not in the table
// there is an error.
func (im *Image) Goroutine() (Goroutine, error) { return im.layout() }

// releases has the offsets for stripped programs, by the second number of the release.
// TestGoroutineTable compares the last one with DWARF. The others were read in the same
// way from a program built by the first patch of the release.
var releases = map[int]Goroutine{
	21: {StackHi: 8, M: 48, Goid: 152, Labels: 344, Curg: 192, Procid: 72},
	22: {StackHi: 8, M: 48, Goid: 152, Labels: 344, Curg: 192, Procid: 72},
	23: {StackHi: 8, M: 48, Goid: 160, Labels: 352, Curg: 192, Procid: 72},
	24: {StackHi: 8, M: 48, Goid: 160, Labels: 352, Curg: 192, Procid: 72},
	25: {StackHi: 8, M: 48, Goid: 152, Labels: 344, Curg: 184, Procid: 64},
	26: {StackHi: 8, M: 48, Goid: 152, Labels: 352, Curg: 184, Procid: 64},
}

var release = regexp.MustCompile(`^(?:devel )?go1\.(\d+)`)

func (im *Image) findGoroutine() (Goroutine, error) {
	g, err := im.goroutineFromDWARF()
	if err == nil {
		return g, nil
	}
	m := release.FindStringSubmatch(im.GoVersion)
	if m == nil {
		return g, fmt.Errorf("fields of goroutines: %w; and the executable does not say which Go release built it", err)
	}
	minor, _ := strconv.Atoi(m[1])
	g, ok := releases[minor]
	if !ok {
		return g, fmt.Errorf("fields of goroutines: %w; and there is no table for %s", err, im.GoVersion)
	}
	g.LabelList = minor >= 24
	g.Source = fmt.Sprintf("go1.%d", minor)
	return g, nil
}

func (im *Image) goroutineFromDWARF() (g Goroutine, err error) {
	types, err := im.structs("runtime.g", "runtime.m")
	if err != nil {
		return g, err
	}
	for _, f := range []struct {
		typ  string
		path []string
		to   *int64
	}{
		{"runtime.g", []string{"stack", "lo"}, &g.StackLo},
		{"runtime.g", []string{"stack", "hi"}, &g.StackHi},
		{"runtime.g", []string{"m"}, &g.M},
		{"runtime.g", []string{"goid"}, &g.Goid},
		{"runtime.g", []string{"labels"}, &g.Labels},
		{"runtime.m", []string{"curg"}, &g.Curg},
		{"runtime.m", []string{"procid"}, &g.Procid},
	} {
		off, ok := fieldOffset(types[f.typ], f.path)
		if !ok {
			return g, fmt.Errorf("DWARF has no field %v of %s", f.path, f.typ)
		}
		*f.to = off
	}
	m := release.FindStringSubmatch(im.GoVersion)
	if m != nil {
		minor, _ := strconv.Atoi(m[1])
		g.LabelList = minor >= 24
	}
	g.Source = "DWARF"
	return g, nil
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
