package profile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/schema"
)

// A message is one in the protobuf encoding.
type message []byte

func (m message) number(field, n uint64) message {
	return binary.AppendUvarint(binary.AppendUvarint(m, field<<3), n)
}

func (m message) bytes(field uint64, b []byte) message {
	return append(binary.AppendUvarint(binary.AppendUvarint(m, field<<3|2), uint64(len(b))), b...)
}

func (m message) strings(list ...string) message {
	for _, s := range list {
		m = m.bytes(6, []byte(s))
	}
	return m
}

// with returns a copy of m followed by more.
func (m message) with(more ...message) message {
	return slices.Concat(append([]message{m}, more...)...)
}

func (m message) times(n int) message { return bytes.Repeat(m, n) }

// Strings, in this order, of the profiles below, which are of paths.
var pathStrings = message{}.strings("", "paths", "count", "branch_flow", "path", "number", "branches", "#pep.version=1")

// manyFacts has as many facts as there may be.
var manyFacts = func() string {
	text := "#pep.version=1"
	for i := range 150 {
		text += fmt.Sprintf(" ticks_outside_in/%d=1", i)
	}
	return text
}()

var pathTypes = message{}.
	bytes(1, message{}.number(1, 1).number(2, 2)).
	bytes(1, message{}.number(1, 3).number(2, 2)).
	number(13, 7)

// stack is a location 1 with so many lines, all of function 1, and that function,
// whose name is string 8.
func stack(lines int) message {
	line := message{}.bytes(4, message{}.number(1, 1))
	return message{}.
		bytes(5, message{}.number(1, 1).number(2, 8)).
		bytes(4, append(message{}.number(1, 1), line.times(lines)...))
}

// sample has location 1 so many times, the values 1 and 1 and these labels.
func sample(locations int, labels message) message {
	return message{}.bytes(2, append(message{}.
		bytes(1, bytes.Repeat([]byte{1}, locations)).
		bytes(2, []byte{1, 1}), labels...))
}

func label(key, str uint64) message {
	return message{}.bytes(3, message{}.number(1, key).number(2, str))
}

// path is the label of path 0.
var path = message{}.bytes(3, message{}.number(1, 4).number(4, 5))

// shapes are profiles that need much memory compared with their size. The larger n is, the
// more memory they need. Not all of them are valid.
var shapes = []struct {
	name  string
	valid bool
	make  func(n int) message
}{
	{"empty samples", false, func(n int) message { return pathStrings.with(message{}.bytes(2, nil).times(n)) }},
	{"samples of zeros", false, func(n int) message {
		return append(pathTypes.with(pathStrings), message{}.bytes(2, message{}.bytes(2, []byte{0, 0})).times(n)...)
	}},
	{"samples with one label", false, func(n int) message {
		return append(pathStrings.with(), message{}.bytes(2, label(4, 5)).times(n)...)
	}},
	{"samples with a label of each kind", false, func(n int) message {
		unit := message{}.bytes(3, message{}.number(1, 4).number(3, 7).number(4, 5))
		return append(pathStrings.with(), message{}.bytes(2, append(label(4, 5), unit...)).times(n)...)
	}},
	{"a sample with empty labels", false, func(n int) message {
		return pathStrings.with().bytes(2,
			message{}.bytes(3, nil).times(n))
	}},
	{"a sample with the same label again and again", false, func(n int) message {
		return append(pathStrings.with(), message{}.bytes(2, label(4, 5).times(n))...)
	}},
	{"a sample with different labels", false, func(n int) message {
		names, labels := pathStrings.with(), message{}
		for i := range n {
			names = names.strings(string(binary.AppendUvarint(nil, uint64(i))))
			labels = append(labels, label(uint64(i), 1)...)
		}
		return append(names, message{}.bytes(2, labels)...)
	}},
	{"locations of a sample, packed", false, func(n int) message { return pathStrings.with(sample(n, nil)) }},
	{"locations of a sample, one by one", false,
		func(n int) message { return pathStrings.with().bytes(2, message{}.number(1, 1).times(n)) }},
	{"values of a sample, one by one", false,
		func(n int) message { return pathStrings.with().bytes(2, message{}.number(2, 1).times(n)) }},
	{"empty locations", false, func(n int) message { return pathStrings.with(message{}.bytes(4, nil).times(n)) }},
	{"empty lines", false, func(n int) message { return pathStrings.with().bytes(4, message{}.bytes(4, nil).times(n)) }},
	{"empty functions", false, func(n int) message { return pathStrings.with(message{}.bytes(5, nil).times(n)) }},
	{"empty mappings", false, func(n int) message { return pathStrings.with(message{}.bytes(3, nil).times(n)) }},
	{"empty sample types", false, func(n int) message { return pathStrings.with(message{}.bytes(1, nil).times(n)) }},
	{"empty strings", false, func(n int) message { return pathStrings.with(message{}.strings("").times(n)) }},
	{"a long string", false, func(n int) message { return pathStrings.with().strings(strings.Repeat("x", n)) }},
	{"comments, one by one", false, func(n int) message { return pathStrings.with(message{}.number(13, 0).times(n)) }},
	{"comments, packed", false, func(n int) message { return pathStrings.with().bytes(13, make([]byte, n)) }},
	{"the same facts again and again", true, func(n int) message {
		return append(pathTypes.with(pathStrings).strings(manyFacts), message{}.number(13, 8).times(n)...)
	}},
	{"facts that differ", false, func(n int) message {
		m := pathTypes.with(pathStrings)
		for i := range n {
			m = m.strings(fmt.Sprintf("%s tick=%d", manyFacts, i)).number(13, uint64(8+i))
		}
		return m
	}},
	{"paths", true, func(n int) message {
		m := pathTypes.with(pathStrings)
		m = append(m.strings("main.f"), stack(2)...)
		return append(m, sample(1, path).times(n)...)
	}},
	{"many paths with one long stack", true, func(n int) message {
		m := pathTypes.with(pathStrings)
		m = append(m.strings("main.f"), stack(n)...)
		return append(m, sample(1, path).times(n)...)
	}},
	{"many paths of a function with a long name", true, func(n int) message {
		m := pathTypes.with(pathStrings)
		m = append(m.strings(strings.Repeat("f", n)), stack(2)...)
		return append(m, sample(1, path).times(n)...)
	}},
	{"many paths with one long list of branches", true, func(n int) message {
		m := pathTypes.with(pathStrings)
		m = append(m.strings(strings.Repeat("1:1 if a; ", n)+"1:1 if a"), stack(2)...)
		return append(m, sample(1, path.with(label(6, 8))).times(n)...)
	}},
	{"one path with a long list of branches", true, func(n int) message {
		m := pathTypes.with(pathStrings)
		m = append(m.strings(strings.Repeat("1:1 if a; ", n)+"1:1 if a"), stack(2)...)
		return append(m, sample(1, path.with(label(6, 8)))...)
	}},
}

// load loads a profile as a command does, keeping everything.
func load(data []byte, memory int64) (kept []any, err error) {
	f, err := (&Reader{Memory: memory}).Parse("bomb", bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	paths, err := f.Paths()
	return []any{f, paths, SumPaths(paths)}, err
}

// written returns a profile as a program writes it, without compression: so many samples, at taps or
// paths of many functions, of goroutines with many labels. The names of closures are long, and the types
// of taps have many semicolons.
func written(t *testing.T, kind schema.Kind, samples int) []byte {
	p := &pprof.Profile{
		Comments:   []string{"#pep.version=1"},
		PeriodType: &pprof.ValueType{Type: "events", Unit: "count"}, Period: 1,
		Mapping: []*pprof.Mapping{{ID: 1, File: "/bin/app", BuildID: "5eed"}},
	}
	types := kind.Types()
	if kind == schema.Paths || kind == schema.Edges {
		types = append(types, kind.SampledTypes()...)
	}
	for _, name := range types {
		p.SampleType = append(p.SampleType, &pprof.ValueType{Type: name, Unit: schema.UnitOf(name)})
	}
	for i := range 400 {
		name := fmt.Sprintf("example.com/server/handlers.(*Server).Route%d", i) + strings.Repeat(".func1.2.Middleware.func3",
			i%5)
		f := &pprof.Function{ID: uint64(i + 1), Name: name, SystemName: name,
			Filename: fmt.Sprintf("example.com/server/handlers/file%d.go", i/20), StartLine: int64(i)}
		p.Function = append(p.Function, f)
		p.Location = append(p.Location, &pprof.Location{ID: uint64(i + 1), Mapping: p.Mapping[0],
			Line: []pprof.Line{{Function: f, Line: int64(i)}}})
	}
	captured := "struct{F uintptr; " + strings.Repeat("X0 *example.com/server.T; ", 300) + "Y int}"
	for i := range samples {
		at := i * 7919 % 400
		s := &pprof.Sample{Location: p.Location[at : at+1], Label: map[string][]string{}}
		for j := range types {
			s.Value = append(s.Value, int64(i%1000+j+1))
		}
		switch kind {
		case schema.Paths:
			s.Location = append(p.Location[at:at+1:at+1], p.Location[min(at, 380):][:12]...)
			s.Label = map[string][]string{
				schema.From: {"entry"}, schema.Lines: {"12-14,17"},
				schema.Branches: {strings.Repeat("12:5 if true; ", at%8) + "14:2 for body"},
			}
			s.NumLabel = map[string][]int64{schema.Path: {int64(i)}}
			s.NumUnit = map[string][]string{schema.Path: {schema.Number}}
		case schema.Edges:
			s.Location = append(p.Location[at:at+1:at+1], p.Location[min(at, 380):][:12]...)
			s.Label = map[string][]string{schema.Branch: {fmt.Sprintf("file%d.go:%d:3", at/20, i%5000)},
				schema.BranchKind: {"if"}, schema.Outcome: {[]string{"true", "false"}[i%2]}}
		default:
			s.Label = map[string][]string{
				schema.Site: {fmt.Sprintf("file%d.go:%d:3", at/20, at)}, schema.TapKind: {"load"}, schema.Expr: {"s.next"},
				schema.Value: {fmt.Sprintf("s.next=%d", i)}, schema.Type: {captured},
			}
			s.NumLabel = map[string][]int64{schema.CountError: {int64(i + 1)}, schema.ShareError: {7}, schema.ShareBelow: {8}}
			s.NumUnit = map[string][]string{schema.CountError: {schema.Unit}, schema.ShareError: {schema.PartsPerMillion},
				schema.ShareBelow: {schema.PartsPerMillion}}
		}
		for j := range 3 {
			s.Label[fmt.Sprintf("request%d", j)] = []string{fmt.Sprint(i % (100 << j))}
		}
		p.Sample = append(p.Sample, s)
	}
	var buf bytes.Buffer
	if err := p.WriteUncompressed(&buf); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// The estimate for a profile as programs write it is not less than what it takes, and at most twice as
// much.
func TestEstimates(t *testing.T) {
	for _, kind := range []schema.Kind{schema.Values, schema.Paths, schema.Edges} {
		data := written(t, kind, 12_000)
		before := live()
		f, err := Parse("x", bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s of %d bytes: %v", kind, len(data), err)
			continue
		}
		kept := []any{f}
		switch kind {
		case schema.Paths:
			list, _ := f.Paths()
			kept = append(kept, list, SumPaths(list))
		case schema.Edges:
			list, _ := f.Edges()
			kept = append(kept, list, SumEdges(list))
		default:
			list, _ := f.Words()
			kept = append(kept, list, SumSites(list))
		}
		used := live() - before
		t.Logf("%s: %.1f MB take %.1f MB; estimate %.1f MB", kind, float64(len(data))/(1<<20), float64(used)/(1<<20),
			float64(f.weight)/(1<<20))
		if f.weight < used || f.weight > 2*used {
			t.Errorf("%s: the estimate is %d bytes, and %d are used", kind, f.weight, used)
		}
		runtime.KeepAlive(kept)
		runtime.KeepAlive(data)
	}
}

// live returns how many bytes of the heap are in use.
func live() int64 {
	runtime.GC()
	runtime.GC() // what has finalizers
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// For every shape, a profile that the weights let through takes no more memory than
// allowed, neither when it is decoded nor for the samples that are made of it.
func TestMemory(t *testing.T) {
	const memory = 12 << 20
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			n := 1
			for {
				data := shape.make(n * 5 / 4)
				if len(data) > memory/rawPart || weighRaw(data, memory) > memory {
					break
				}
				if _, err := load(data, memory); err != nil && strings.Contains(err.Error(), memoryVariable) {
					break
				}
				n = n*5/4 + 1
			}
			data := shape.make(n)
			before := live()
			p, _ := pprof.ParseUncompressed(data)
			decoded := live() - before
			if p == nil {
				t.Fatal("not decoded")
			}
			p = nil
			if decoded > memory {
				t.Errorf("%d: decoding %d bytes takes %d bytes, more than %d", n, len(data), decoded, memory)
			}
			before = live()
			kept, err := load(data, memory)
			if shape.valid != (err == nil) {
				t.Errorf("%d: got error %v", n, err)
			}
			all := live() - before
			runtime.KeepAlive(kept)
			if all > memory {
				t.Errorf("%d: %d bytes take %d bytes, more than %d", n, len(data), all, memory)
			}
			t.Logf("%d: %d bytes of which decoding makes %.1f MB, loading %.1f MB; weights %.1f MB", n, len(data),
				float64(decoded)/(1<<20), float64(all)/(1<<20), float64(weighRaw(data, math.MaxInt64))/(1<<20))
			runtime.KeepAlive(data)
		})
	}
}

// A bomb is refused without having been unpacked in memory, with an error that
// says what to do.
func TestBombs(t *testing.T) {
	const memory = 16 << 20
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			n := 1
			data := shape.make(n)
			for ; weighRaw(data, math.MaxInt64) < 4*memory && n < 1<<26; n *= 2 {
				data = shape.make(n)
			}
			var buf bytes.Buffer
			w := gzip.NewWriter(&buf)
			w.Write(data)
			w.Close()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := load(buf.Bytes(), memory)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.HasPrefix(err.Error(), "bomb: ") || !strings.Contains(err.Error(), "set PEPMEMORY=32MB") {
				t.Errorf("%d bytes, %d of gzip: got error %v", len(data), buf.Len(), err)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 2*memory {
				t.Errorf("%d bytes, %d of gzip: %d bytes allocated, want at most %d", len(data), buf.Len(), got, 2*memory)
			}
		})
	}
	// These profiles are large only when the samples are listed.
	for _, shape := range shapes[len(shapes)-4 : len(shapes)-1] {
		data := shape.make(4000)
		if w := weighRaw(data, math.MaxInt64); w > memory/2 {
			t.Errorf("%s: the bytes weigh %d", shape.name, w)
		}
		if _, err := load(data, memory); err == nil || !strings.Contains(err.Error(), "long stacks and labels") {
			t.Errorf("%s: got error %v", shape.name, err)
		}
	}
	t.Run("a device without end", func(t *testing.T) {
		_, err := (&Reader{Memory: memory}).Open("/dev/zero")
		if os.IsNotExist(err) {
			t.Skip(err)
		}
		if err == nil || !strings.Contains(err.Error(), "PEPMEMORY") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("gzip of zeros", func(t *testing.T) {
		var buf bytes.Buffer
		w := gzip.NewWriter(&buf)
		io.CopyN(w, zeros{}, 8*memory)
		w.Close()
		if _, err := load(buf.Bytes(), memory); err == nil ||
			!strings.Contains(err.Error(), "more than the 16MB of memory that pep allows itself, because of its size") {
			t.Errorf("got %v", err)
		}
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Many files that fit one by one are added up within the same memory.
func TestMergeWithinMemory(t *testing.T) {
	m := pathTypes.with(pathStrings)
	m = append(append(m.strings("main.f"), stack(2)...), sample(1, label(4, 5)).times(100)...)
	var names []string
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
		name = filepath.Join(dir, name+".paths.pb.gz")
		names = append(names, name)
		if err := os.WriteFile(name, m, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	one, err := Open(names[0])
	if err != nil {
		t.Fatal(err)
	}
	r := &Reader{Memory: 5 * one.weight}
	sum, err := r.OpenMerged(names...)
	if err != nil {
		t.Fatal(err)
	}
	if sum.totals[0] != 900 || r.used > one.weight {
		t.Errorf("got a total of %d, want 900; %d bytes in use", sum.totals[0], r.used)
	}
	if _, err := (&Reader{Memory: one.weight / 2}).OpenMerged(names...); err == nil ||
		!strings.HasPrefix(err.Error(), names[0]+": ") {
		t.Errorf("half the memory of one: got %v", err)
	}
}

func TestMemoryFrom(t *testing.T) {
	for text, want := range map[string]int64{"": DefaultMemory, "1": 1, "512MB": 512 << 20, "8GB": 8 << 30,
		"7K": 7 << 10} {
		if got, err := MemoryFrom(func(string) string { return text }); got != want || err != nil {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"0", "-1", "GB", "8TB", "8 GB", "9999999999999999999", "99999999999GB", "8gb"} {
		if got, err := MemoryFrom(func(string) string { return text }); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}
