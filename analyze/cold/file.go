package cold

// This file reads and writes files. A file is the magic, and records: a byte for the kind, the length of the
// content as a varint, the content, and the CRC-32C of kind and content in four bytes. What follows the last whole
// record was being written when the process or the machine died. Numbers are varints, as of package encoding/binary.
//
//	P  the program, packed by DEFLATE, as encode writes it: build ID, path, release, module and scope; functions of
//	   the source; functions of the executable, each with a hash of its code without addresses, and its blocks; of
//	   each block the branch at its end, whether one way leads to it, and the lines with their bytes, whether a
//	   statement begins, and of which inlined call they are. It is the first record, and the only one of its kind
//	S  blocks that were seen for the first time: seconds since 1970, seconds since the start of the process, and
//	   the numbers of the blocks in their order, each as the distance from the one before, less 1
//	R  numbers of blocks that the kernel did not let probe
//	G  numbers of functions of the source that were on the stacks of goroutines when the probes came
//	W  a time of watching: beginning and end, in ms since 1970. It replaces the record before if that has the same
//	   beginning
//
// A file has one writer at a time, which locks it. Functions of two builds are equal if name and hash are.

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"
)

// magic begins a file. The last byte is the version.
const magic = "pepcold2"

// The kinds of records.
const (
	recordProgram = 'P'
	recordSights  = 'S'
	recordWatch   = 'W'
	recordRefused = 'R'
	recordRunning = 'G'
)

// maxRecord bounds the size of a record, and maxProgram that of a program when it is unpacked.
const (
	maxRecord  = 1 << 28
	maxProgram = 1 << 30
)

var table = crc32.MakeTable(crc32.Castagnoli)

// ErrNotCold means that a file does not begin as a file of this package.
var ErrNotCold = errors.New("not a file of peptrace cold")

// Is reports whether a file begins as one of this package.
func Is(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(magic))
	_, err = io.ReadFull(f, b)
	return err == nil && bytes.HasPrefix(b, []byte(magic[:len(magic)-1]))
}

// Read reads a file. What follows the last whole record is what a writer had not finished when it was killed.
func Read(name string) (*Data, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	d, _, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

// parse returns the data of a file, and the size of its whole records.
func parse(b []byte) (d *Data, size int, err error) {
	switch {
	case bytes.HasPrefix(b, []byte(magic)):
	case len(b) >= len(magic) && bytes.HasPrefix(b, []byte(magic[:len(magic)-1])):
		return nil, 0, errors.New("another version of peptrace wrote it: use that one, or record again")
	default:
		return nil, 0, ErrNotCold
	}
	size = len(magic)
	for {
		kind, payload, n := record(b[size:])
		if n == 0 {
			break
		}
		r := &reader{b: payload}
		switch {
		case kind == recordProgram && d == nil:
			p, err := readProgram(payload)
			if err != nil {
				return nil, 0, err
			}
			d = New(p)
		case kind == recordSights && d != nil:
			s := Sight{r.signed(), r.signed()}
			for _, id := range r.blocks(len(d.Seen)) {
				if s.before(d.Seen[id]) {
					d.Seen[id] = s
				}
			}
		case kind == recordRefused && d != nil:
			for _, id := range r.blocks(len(d.Seen)) {
				d.Refused[id] = true
			}
		case kind == recordRunning && d != nil:
			for _, i := range r.blocks(len(d.Program.Sources)) {
				d.Running[i] = true
			}
		case kind == recordWatch && d != nil:
			w := Watch{r.signed(), r.signed()}
			// A record of the same beginning replaces the one before.
			if i := len(d.Watches) - 1; i >= 0 && d.Watches[i].From == w.From {
				d.Watches = d.Watches[:i]
			}
			d.Watches = append(d.Watches, w)
		default:
			return nil, 0, fmt.Errorf("damaged: a record of kind %q at %d", kind, size)
		}
		if r.bad {
			return nil, 0, fmt.Errorf("damaged: the record at %d does not fit its program", size)
		}
		size += n
	}
	if d == nil {
		return nil, 0, errors.New("damaged: it does not describe a program")
	}
	d.Lost = len(b) - size
	return d, size, nil
}

// record returns the first record of b and its size with the frame, 0 if it is not whole.
func record(b []byte) (kind byte, payload []byte, size int) {
	if len(b) < 1 {
		return 0, nil, 0
	}
	n, k := binary.Uvarint(b[1:])
	if k <= 0 || n > maxRecord || uint64(len(b)-1-k) < n+4 {
		return 0, nil, 0
	}
	payload = b[1+k:][:n]
	sum := binary.LittleEndian.Uint32(b[1+k+int(n):])
	if crc32.Update(crc32.Checksum(b[:1], table), table, payload) != sum {
		return 0, nil, 0
	}
	return b[0], payload, 1 + k + int(n) + 4
}

// frame makes a record.
func frame(kind byte, payload []byte) []byte {
	b := binary.AppendUvarint([]byte{kind}, uint64(len(payload)))
	b = append(b, payload...)
	return binary.LittleEndian.AppendUint32(b, crc32.Update(crc32.Checksum([]byte{kind}, table), table, payload))
}

// A Writer adds to a file. All that it has written survives the end of its process.
type Writer struct{ f *os.File }

// ErrBusy means that another process writes the file.
var ErrBusy = errors.New("another process writes this file")

// Open opens a file to add what of a program runs, and makes it if it is not there. The data are those of the file.
func Open(name string, p *Program) (*Writer, *Data, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, err
	}
	w := &Writer{f}
	d, err := w.open(p)
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return w, d, nil
}

func (w *Writer) open(p *Program) (*Data, error) {
	if err := lock(w.f); err != nil {
		return nil, err
	}
	b, err := io.ReadAll(w.f)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		_, err := w.f.Write(append([]byte(magic), frame(recordProgram, p.encode())...))
		return New(p), err
	}
	d, size, err := parse(b)
	if err != nil {
		return nil, err
	}
	same := *d.Program
	same.Path = p.Path // it may have another name now
	if !bytes.Equal(same.plain(), p.plain()) {
		return nil, otherBuild(d.Program, p)
	}
	d.Lost = 0
	if err := w.f.Truncate(int64(size)); err != nil {
		return nil, err
	}
	_, err = w.f.Seek(int64(size), io.SeekStart)
	return d, err
}

// otherBuild is the error of a file that describes another program.
func otherBuild(have, want *Program) error {
	switch {
	case have.BuildID == want.BuildID && have.Scope != want.Scope:
		return fmt.Errorf("it has the blocks of -pkg=%s: give that, or another file", have.Scope)
	case have.BuildID == want.BuildID:
		return errors.New("it describes the blocks of this program in another way, as another version of peptrace does: give another file")
	}
	c := compare(want, have)
	return fmt.Errorf("it is of another build, in which %.1f %% of the blocks are in functions that are equal: give another file, and pep merge unites the two",
		100*c.share())
}

// Sights adds blocks that were seen for the first time.
func (w *Writer) Sights(s Sight, blocks []int) error {
	_, err := w.f.Write(frame(recordSights, sights(s, blocks)))
	return err
}

func sights(s Sight, blocks []int) []byte {
	return appendBlocks(binary.AppendVarint(binary.AppendVarint(nil, s.At), s.Age), blocks)
}

// appendBlocks appends the numbers of blocks.
func appendBlocks(b []byte, blocks []int) []byte {
	blocks = slices.Compact(slices.Sorted(slices.Values(blocks)))
	last := -1
	for _, id := range blocks {
		b = binary.AppendUvarint(b, uint64(id-last-1))
		last = id
	}
	return b
}

// Refused adds blocks that the kernel did not let probe.
func (w *Writer) Refused(blocks []int) error {
	_, err := w.f.Write(frame(recordRefused, appendBlocks(nil, blocks)))
	return err
}

// Running adds functions that were on stacks when the probes came.
func (w *Writer) Running(sources []int) error {
	_, err := w.f.Write(frame(recordRunning, appendBlocks(nil, sources)))
	return err
}

// Watch adds a time of watching. A longer one with the same beginning replaces it.
func (w *Writer) Watch(x Watch) error {
	b := binary.AppendVarint(nil, x.From)
	_, err := w.f.Write(frame(recordWatch, binary.AppendVarint(b, x.To)))
	return err
}

// Close closes the file.
func (w *Writer) Close() error { return w.f.Close() }

// WriteTo writes a file.
func (d *Data) WriteTo(out io.Writer) (int64, error) {
	b := append([]byte(magic), frame(recordProgram, d.Program.encode())...)
	var part bytes.Buffer
	part.Write(b)
	at := make(map[Sight][]int)
	for id, s := range d.Seen {
		if s.At != 0 {
			at[s] = append(at[s], id)
		}
	}
	for _, s := range slices.SortedFunc(maps.Keys(at),
		func(a, b Sight) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Age, b.Age)) }) {
		part.Write(frame(recordSights, sights(s, at[s])))
	}
	if len(d.Refused) > 0 {
		part.Write(frame(recordRefused, appendBlocks(nil, slices.Collect(maps.Keys(d.Refused)))))
	}
	if len(d.Running) > 0 {
		part.Write(frame(recordRunning, appendBlocks(nil, slices.Collect(maps.Keys(d.Running)))))
	}
	for _, w := range d.Watches {
		part.Write(frame(recordWatch, binary.AppendVarint(binary.AppendVarint(nil, w.From), w.To)))
	}
	return part.WriteTo(out)
}

// encode packs a program.
func (p *Program) encode() []byte { return packed(p.plain()) }

func packed(b []byte) []byte {
	var out bytes.Buffer
	z, _ := flate.NewWriter(&out, flate.BestSpeed)
	z.Write(b)
	z.Close()
	return out.Bytes()
}

func (p *Program) plain() []byte {
	e := &encoder{index: make(map[string]int)}
	e.text(p.BuildID, p.Path, p.Go, p.Module, string(p.Scope))
	e.flag(p.DWARF)
	e.number(p.LeftOut.Padding, p.LeftOut.Growth, p.LeftOut.Barrier)
	e.number(len(p.Unprobed))
	for _, u := range p.Unprobed {
		e.text(u.Func, u.Reason)
	}
	e.number(len(p.Sources))
	for _, s := range p.Sources {
		e.text(s.Name, s.Package, s.File)
		e.number(s.Line)
	}
	e.number(len(p.Functions))
	for i := range p.Functions {
		f := &p.Functions[i]
		e.text(f.Name)
		e.b = binary.LittleEndian.AppendUint64(e.b, f.Hash)
		e.number(int(f.Size), len(f.Blocks))
		at, source, line := uint32(0), int32(0), int32(0)
		for j := range f.Blocks {
			b := &f.Blocks[j]
			e.number(int(b.Start-at), int(b.End-b.Start))
			e.flag(b.Probed)
			e.flag(b.One)
			if e.flag(b.Branch != 0); b.Branch != 0 {
				e.number(int(b.End-b.Branch), int(b.Taken))
			}
			e.number(len(b.Pieces))
			for _, x := range b.Pieces {
				e.b = binary.AppendVarint(e.b, int64(x.Source-source))
				e.b = binary.AppendVarint(e.b, int64(x.Line-line))
				e.number(int(x.Body), int(x.Size))
				e.flag(x.Statement)
				source, line = x.Source, x.Line
			}
			at = b.End
		}
	}
	return e.b
}

// An encoder writes texts in full once.
type encoder struct {
	b     []byte
	index map[string]int
}

func (e *encoder) number(list ...int) {
	for _, n := range list {
		e.b = binary.AppendUvarint(e.b, uint64(n))
	}
}

func (e *encoder) flag(f bool) {
	n := 0
	if f {
		n = 1
	}
	e.number(n)
}

func (e *encoder) text(list ...string) {
	for _, s := range list {
		i, ok := e.index[s]
		if !ok {
			i = len(e.index)
			e.index[s] = i
			e.number(i, len(s))
			e.b = append(e.b, s...)
			continue
		}
		e.number(i)
	}
}

func readProgram(packed []byte) (*Program, error) {
	b, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxProgram))
	if err != nil {
		return nil, fmt.Errorf("damaged: its program cannot be unpacked: %w", err)
	}
	r := &reader{b: b}
	p := &Program{BuildID: r.text(), Path: r.text(), Go: r.text(), Module: r.text(), Scope: Scope(r.text()),
		DWARF: r.flag()}
	p.LeftOut = LeftOut{r.number(), r.number(), r.number()}
	for range r.count() {
		p.Unprobed = append(p.Unprobed, Unprobed{r.text(), r.text()})
	}
	for range r.count() {
		p.Sources = append(p.Sources, Source{r.text(), r.text(), r.text(), r.number()})
	}
	for range r.count() {
		f := Function{Name: r.text(), Hash: r.word(), Size: uint32(r.number())}
		at, source, line := uint32(0), int32(0), int32(0)
		for range r.count() {
			start := at + uint32(r.number())
			b := Block{Start: start, End: start + uint32(r.number()), Probed: r.flag(), One: r.flag()}
			if r.flag() {
				b.Branch, b.Taken = b.End-uint32(r.number()), uint32(r.number())
			}
			for range r.count() {
				x := Piece{Source: source + int32(r.signed()), Line: line + int32(r.signed()), Body: int32(r.number()),
					Size: int32(r.number()), Statement: r.flag()}
				if int(x.Source) >= len(p.Sources) || x.Source < 0 {
					r.bad = true
					break
				}
				source, line = x.Source, x.Line
				b.Pieces = append(b.Pieces, x)
			}
			at = b.End
			f.Blocks = append(f.Blocks, b)
		}
		p.Functions = append(p.Functions, f)
	}
	if r.bad {
		return nil, errors.New("damaged: the description of its program is too short")
	}
	return p, nil
}

// A reader reads what an encoder has written. Behind the end all numbers are 0, and bad is true.
type reader struct {
	b     []byte
	texts []string
	bad   bool
}

func (r *reader) number() int {
	n, k := binary.Uvarint(r.b)
	if k <= 0 || n > 1<<62 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[k:]
	return int(n)
}

// count reads a number of things, of which each takes a byte or more.
func (r *reader) count() int {
	n := r.number()
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return 0
	}
	return n
}

// blocks reads the numbers of blocks up to the end.
func (r *reader) blocks(all int) (list []int) {
	id := -1
	for len(r.b) > 0 {
		n := r.number()
		if r.bad || n >= all || id+n+1 >= all {
			r.bad = true
			return nil
		}
		id += n + 1
		list = append(list, id)
	}
	return list
}

func (r *reader) signed() int64 {
	n, k := binary.Varint(r.b)
	if k <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[k:]
	return n
}

func (r *reader) flag() bool { return r.number() != 0 }

func (r *reader) word() uint64 {
	if len(r.b) < 8 {
		r.bad, r.b = true, nil
		return 0
	}
	n := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return n
}

func (r *reader) text() string {
	i := r.number()
	switch {
	case r.bad || i > len(r.texts):
		r.bad = true
		return ""
	case i == len(r.texts):
		n := r.count()
		r.texts = append(r.texts, string(r.b[:n]))
		r.b = r.b[n:]
	}
	return r.texts[i]
}
