// Package pprofenc writes profiles in pprof's format: protocol buffers in gzip.
//
//	p := pprofenc.New(pprofenc.ValueType{"paths", "count"})
//	f := p.Function(pprofenc.Function{Name: "main.main", Filename: "main.go", StartLine: 3})
//	p.Sample([]uint64{p.Location(f, 5)}, []int64{7}, p.Labels(pprofenc.Label{"path", "p12"}))
//	file := pprofenc.Gzip(p.Encode())
//
// The package only writes profiles, and it has only those parts of the format that package
// report needs. In tests google/pprof reads the files. The package imports math/bits and
// crc32 only, because it is linked into instrumented programs.
//
// Source: github.com/google/pprof, proto/profile.proto.
package pprofenc

// A ValueType says what a value of a sample counts, and its unit.
type ValueType struct{ Type, Unit string }

// A Mapping is the program's file. Profiles say of it that functions, files, lines and
// inlined frames are known, so pprof does not look them up.
type Mapping struct {
	File    string
	BuildID string // hexadecimal, of at least two digits, or empty
}

// A Function is a function that samples refer to.
type Function struct {
	Name       string
	SystemName string // Name if empty
	Filename   string
	StartLine  int64
}

// A Label is a property of a sample.
type Label struct{ Key, Value string }

// A Profile is a profile under construction. Fields are optional.
type Profile struct {
	Mapping     Mapping
	PeriodType  ValueType
	Period      int64
	Comments    []string
	Time        int64 // ns since 1970
	Duration    int64 // ns
	DefaultType string

	types []ValueType
	// of samples, each about chunk bytes: memory that grows would be copied, and new memory costs a page fault per page
	full      []buffer
	samples   buffer // the last ones; encoded, field tags included
	locations buffer
	functions buffer
	message   buffer // one sample, location, …, and within it
	packed    buffer // one list of numbers, line or label: kept for their memory

	strings map[string]int64
	table   []string
	text    int // bytes that the strings take, or more
	funcIDs map[Function]uint64
	locIDs  map[line]uint64
}

type line struct {
	function uint64
	line     int64
}

// New returns a profile without samples whose samples have values of the given
// types.
func New(types ...ValueType) *Profile {
	p := &Profile{
		types:   types,
		strings: make(map[string]int64),
		funcIDs: make(map[Function]uint64),
		locIDs:  make(map[line]uint64),
	}
	p.str("")
	return p
}

// str returns the index of s in the string table.
func (p *Profile) str(s string) int64 {
	i, ok := p.strings[s]
	if !ok {
		i = int64(len(p.table))
		p.strings[s] = i
		p.table = append(p.table, s)
		p.text += len(s) + 4
	}
	return i
}

// Function returns the id of f.
func (p *Profile) Function(f Function) uint64 {
	if f.SystemName == "" {
		f.SystemName = f.Name
	}
	id, ok := p.funcIDs[f]
	if ok {
		return id
	}
	id = uint64(len(p.funcIDs)) + 1
	p.funcIDs[f] = id
	m := p.message[:0]
	m.uint(1, id)
	m.int(2, p.str(f.Name))
	m.int(3, p.str(f.SystemName))
	m.int(4, p.str(f.Filename))
	m.int(5, f.StartLine)
	p.functions.bytes(5, m)
	p.message = m
	return id
}

// Location returns the id of the location that is one line of a function.
func (p *Profile) Location(function uint64, lineNo int64) uint64 {
	l := line{function, lineNo}
	id, ok := p.locIDs[l]
	if ok {
		return id
	}
	id = uint64(len(p.locIDs)) + 1
	p.locIDs[l] = id
	m, lm := p.message[:0], p.packed[:0]
	lm.uint(1, function)
	lm.int(2, lineNo)
	m.uint(1, id)
	m.uint(2, lines)
	m.bytes(4, lm)
	p.locations.bytes(4, m)
	p.message, p.packed = m, lm
	return id
}

// Labels are labels as a profile stores them. Samples may share them.
type Labels buffer

// Labels returns labels for the samples of p.
func (p *Profile) Labels(labels ...Label) Labels {
	m, lm := p.message[:0], p.packed
	for _, l := range labels {
		lm = lm[:0]
		lm.int(1, p.str(l.Key))
		lm.int(2, p.str(l.Value))
		m.bytes(3, lm)
	}
	p.message, p.packed = m, lm
	return append(Labels(nil), m...)
}

// Number adds a label with a number to labels.
func (p *Profile) Number(labels Labels, key string, n int64, unit string) Labels {
	m, lm := buffer(labels), p.packed[:0]
	lm.int(1, p.str(key))
	lm.int(3, n)
	lm.int(4, p.str(unit))
	m.bytes(3, lm)
	p.packed = lm
	return Labels(m)
}

// Sample adds a sample. Locations are ids, the leaf first; values are as many
// as the profile has types; labels are nil or made by p.
func (p *Profile) Sample(locations []uint64, values []int64, labels Labels) {
	p.SampleOf(locations, nil, values, labels)
}

// A Stack is locations as a profile stores them. Samples may share it.
type Stack []byte

// Append appends a location to a stack, which may be nil.
func (s Stack) Append(location uint64) Stack {
	(*buffer)(&s).varint(location)
	return s
}

// SampleOf adds a sample as Sample does. The callers follow the leaves.
func (p *Profile) SampleOf(leaves []uint64, callers Stack, values []int64, labels Labels) {
	m, packed := p.message[:0], p.packed[:0]
	for _, l := range leaves {
		packed.varint(l)
	}
	packed = append(packed, callers...)
	m.bytes(1, packed)
	packed = packed[:0]
	for _, v := range values {
		packed.varint(uint64(v))
	}
	m.bytes(2, packed)
	m = append(m, labels...)
	if len(p.samples)+len(m) > chunk-16 {
		p.full = append(p.full, p.samples)
		p.samples = make(buffer, 0, max(chunk, len(m)+16))
	}
	p.samples.bytes(2, m)
	p.message, p.packed = m, packed
}

// chunk is how many bytes of samples are kept together.
const chunk = 1 << 16

// Encode returns the profile as a protocol buffer.
func (p *Profile) Encode() []byte {
	// All else is little.
	b := make(buffer, 0, len(p.full)*chunk+len(p.samples)+len(p.locations)+len(p.functions)+p.text+256)
	for _, t := range p.types {
		b.bytes(1, p.valueType(t))
	}
	for _, samples := range p.full {
		b = append(b, samples...)
	}
	b = append(b, p.samples...)
	b.bytes(3, p.mapping(program, p.Mapping))
	b.bytes(3, p.mapping(lines, Mapping{File: "[pep]"}))
	b = append(b, p.locations...)
	b = append(b, p.functions...)
	b.int(9, p.Time)
	b.int(10, p.Duration)
	if p.PeriodType != (ValueType{}) {
		b.bytes(11, p.valueType(p.PeriodType))
	}
	b.int(12, p.Period)
	for _, c := range p.Comments {
		b.varint(13 << 3)
		b.varint(uint64(p.str(c)))
	}
	b.int(14, p.str(p.DefaultType))
	for _, s := range p.table { // last, when every string is in it
		b.bytes(6, buffer(s))
	}
	return b
}

func (p *Profile) valueType(t ValueType) (m buffer) {
	m.int(1, p.str(t.Type))
	m.int(2, p.str(t.Unit))
	return m
}

// The mappings of a profile.
//
// Our locations are lines: they have no address. pprof makes up small addresses for such
// locations, and its source view disassembles the file of their mapping at these addresses,
// if there is such a file. The addresses are outside of the program's code, and pprof
// panics (golang/go#46636). So locations are in a mapping of no file. The program's mapping
// comes first, because pprof takes the name of the program from it.
const (
	program = iota + 1
	lines
)

func (p *Profile) mapping(id uint64, of Mapping) (m buffer) {
	m.uint(1, id)
	m.int(5, p.str(of.File))
	m.int(6, p.str(of.BuildID))
	for field := range 4 { // has_functions … has_inline_frames
		m.uint(7+field, 1)
	}
	return m
}

// A buffer is a protocol buffer message under construction.
type buffer []byte

// varint is called in 40 places. The compiler would put its two appends into each of them, 20 KB in all.
//
//go:noinline
func (b *buffer) varint(x uint64) {
	for x >= 0x80 {
		*b = append(*b, byte(x)|0x80)
		x >>= 7
	}
	*b = append(*b, byte(x))
}

// uint and int leave out zeros, which are the default.
func (b *buffer) uint(field int, x uint64) {
	if x != 0 {
		b.varint(uint64(field) << 3)
		b.varint(x)
	}
}

func (b *buffer) int(field int, x int64) { b.uint(field, uint64(x)) }

func (b *buffer) bytes(field int, x []byte) {
	b.varint(uint64(field)<<3 | 2)
	b.varint(uint64(len(x)))
	*b = append(*b, x...)
}
