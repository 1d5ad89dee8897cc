package database

// This file reads and writes files.
//
// A file is one of package chunk with the name "pepVHOTL", version 2, and chunks with these
// bodies:
//
//	H  header     build ID: string; path: string; interval, interrupts, lost;
//	              number of comments, per comment: string; number of kinds, per kind: string
//	G  group      labels of the goroutines: string, see package capture; interrupts
//	L  locations  number of locations, per location: instruction as in recordings, interrupts,
//	              number of lists, per list: kind, level, total, number of values,
//	              per value: context, word, count
//	E  end        number of locations, number of lists, of all groups
//
// The header is first. A group is followed by its locations, in the order of their addresses.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim/hotlist"
	"github.com/pepgo/pep/internal/input"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/chunk"
)

const (
	fileName    = "pepVHOTL"
	fileVersion = 2

	flushBytes = 64 << 10

	// maxLists and maxKept bound the memory and time that a file can cost: a list takes 450
	// bytes, and merging tosses coins for every occurrence that lists have kept. The
	// largest programs have 10 million instructions, of which a sampler sees a hundredth.
	maxLists = 1 << 20
	maxKept  = 1 << 38
)

// Write writes a binary as a file.
func (b *Binary) Write(w io.Writer) error {
	kinds := map[string]uint64{}
	for _, g := range b.groups {
		for _, l := range g.locations {
			for kind := range l.Lists {
				kinds[kind] = 0
			}
		}
	}
	body := chunk.AppendString(chunk.AppendString(nil, b.Image.BuildID), b.Image.Path)
	body = appendNumbers(body, b.Interval, b.Interrupts, b.Lost, uint64(len(b.Comments)))
	for _, c := range b.Comments {
		body = chunk.AppendString(body, c)
	}
	body = appendNumbers(body, uint64(len(kinds)))
	for i, kind := range slices.Sorted(maps.Keys(kinds)) {
		kinds[kind] = uint64(i)
		body = chunk.AppendString(body, kind)
	}
	c := chunk.NewWriter(w, fileName, fileVersion)
	c.Write('H', body)

	body = body[:0]
	n, locations, lists := uint64(0), uint64(0), uint64(0)
	flush := func() {
		if n > 0 {
			c.Write('L', append(appendNumbers(nil, n), body...))
		}
		body, n = body[:0], 0
	}
	for _, g := range b.Groups() {
		c.Write('G', appendNumbers(chunk.AppendString(nil, string(g.Labels)), g.Interrupts))
		for _, l := range g.Locations() {
			body = capture.AppendInstruction(body, l.Insn)
			body = appendNumbers(body, l.Interrupts, uint64(len(l.Lists)))
			for _, kind := range slices.Sorted(maps.Keys(l.Lists)) {
				list := l.Lists[kind]
				top := list.Top()
				body = appendNumbers(body, kinds[kind], uint64(list.Level()), list.Total(), uint64(len(top)))
				for _, e := range top {
					body = appendNumbers(body, e.Value.Context, e.Value.Word, e.Count)
				}
				lists++
			}
			locations++
			if n++; len(body) > flushBytes {
				flush()
			}
		}
		flush()
	}
	c.Write(chunk.End, appendNumbers(nil, locations, lists))
	return c.Err()
}

func appendNumbers(b []byte, list ...uint64) []byte {
	for _, u := range list {
		b = binary.AppendUvarint(b, u)
	}
	return b
}

// Read reads a file.
func Read(r io.Reader) (*Database, error) {
	db := New()
	if err := db.read(r); err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	return db, nil
}

// A reader holds what is known of a file while it is read.
type reader struct {
	b         *Binary
	g         *Group
	insns     map[uint64]*capture.Instruction // of all groups
	kinds     []string
	locations uint64
	lists     uint64
	kept      uint64
}

func (db *Database) read(r io.Reader) error {
	c, err := chunk.NewReader(r, fileName, fileVersion)
	if err != nil {
		return err
	}
	kind, body, err := c.Next()
	if err == nil && kind != 'H' {
		err = fmt.Errorf("the first chunk is %q, want the header 'H'", kind)
	}
	if err != nil {
		return err
	}
	d := chunk.NewDecoder(body)
	f := &reader{b: db.binary(&capture.Image{BuildID: d.String(), Path: d.String()}),
		insns: map[uint64]*capture.Instruction{}}
	f.b.Interval, f.b.Interrupts, f.b.Lost = d.Uint(), d.Uint(), d.Uint()
	for range d.Count(1) {
		f.b.Comments = append(f.b.Comments, d.String())
	}
	for range d.Count(1) {
		f.kinds = append(f.kinds, d.String())
	}
	if err := d.Finish(); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	for {
		kind, body, err := c.Next()
		if err != nil {
			return err
		}
		d := chunk.NewDecoder(body)
		switch kind {
		case 'G':
			f.group(d)
		case 'L':
			if f.g == nil {
				return errors.New("locations that belong to no group")
			}
			for range d.Count(10) {
				f.location(d)
			}
		case chunk.End:
			if l := d.Uint(); l != f.locations {
				d.Fail(fmt.Errorf("the file has %d locations, its end says %d", f.locations, l))
			}
			if l := d.Uint(); l != f.lists {
				d.Fail(fmt.Errorf("the file has %d lists, its end says %d", f.lists, l))
			}
			return d.Finish()
		default:
			d.Fail(fmt.Errorf("a chunk of the kind %q, which databases do not have", kind))
		}
		if err := d.Finish(); err != nil {
			return err
		}
	}
}

func (f *reader) group(d *chunk.Decoder) {
	labels := capture.Labels(d.String())
	if _, err := labels.List(); err != nil {
		d.Fail(err)
	}
	n := len(f.b.groups)
	if labels == OtherLabels || f.b.groups[OtherLabels] != nil {
		n-- // which does not count
	}
	if f.b.groups[labels] != nil || n >= MaxGroups-1 {
		d.Fail(fmt.Errorf("two groups with the labels %q, or more than %d groups", labels, MaxGroups))
	}
	f.g = newGroup(labels)
	f.g.Interrupts = d.Uint()
	f.b.groups[labels] = f.g
}

func (f *reader) location(d *chunk.Decoder) {
	in := capture.ReadInstruction(d)
	in.Image = f.b.Image
	if f.g.locations[in.PC] != nil {
		d.Fail(fmt.Errorf("two locations at %#x", in.PC))
	}
	if first := f.insns[in.PC]; first == nil {
		f.insns[in.PC] = in
	} else if bytes.Equal(first.Code, in.Code) {
		in = first
	} else {
		d.Fail(fmt.Errorf("two instructions at %#x", in.PC))
	}
	if !d.OK() {
		return
	}
	l := f.g.location(in)
	f.locations++
	l.Interrupts = d.Uint()
	for range d.Count(4) {
		kind := d.Max(uint64(len(f.kinds)), "kind of value")
		level, total := d.Max(1<<20, "level"), d.Uint()
		var entries []hotlist.Entry[capture.Value]
		for range d.Count(3) {
			if len(entries) > hotlist.Slots { // Restore refuses so many
				break
			}
			e := hotlist.Entry[capture.Value]{Value: capture.Value{Context: d.Uint(), Word: d.Uint()}, Count: d.Uint()}
			entries = append(entries, e)
			f.kept += min(e.Count, maxKept)
		}
		if f.lists++; f.lists > maxLists || f.kept > maxKept {
			d.Fail(fmt.Errorf("more than %d lists or %d occurrences in them", maxLists, uint64(maxKept)))
		}
		if kind == uint64(len(f.kinds)) {
			d.Fail(fmt.Errorf("kind of value %d, and there are %d", kind, len(f.kinds)))
		}
		if !d.OK() {
			return
		}
		if l.Lists[f.kinds[kind]] != nil {
			d.Fail(fmt.Errorf("two lists of %s at %#x", f.kinds[kind], in.PC))
			return
		}
		list, err := hotlist.Restore(f.b.seed(f.g.Labels, in.PC, f.kinds[kind]), int(level), total, entries)
		if err != nil {
			d.Fail(fmt.Errorf("%s at %#x: %w", f.kinds[kind], in.PC, err))
			return
		}
		l.Lists[f.kinds[kind]] = list
	}
}

// Open reads files, and all files of directories, and merges them.
func Open(names ...string) (*Database, error) {
	db := New()
	for _, name := range names {
		files := []string{name}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(escape(name), "*"+Suffix)); err != nil {
				return nil, err
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("%s: has no files *%s", name, Suffix)
			}
		}
		for _, file := range files {
			one, err := open(file)
			if err == nil {
				err = db.Merge(one)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return db, nil
}

// escape makes a pattern that matches only name.
func escape(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

func open(name string) (*Database, error) {
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Save writes a file for each binary into a directory, which it makes if there is none. If
// there is a file of the binary, it is merged: afterwards the file has the sum, and db is
// unchanged. While another program saves into the directory, Save waits, for
// less than a second as a rule; on systems without flock, two programs must not do so
// at the same time. Save returns the names of the files. Only their user can read them: values
// can be secrets.
func (db *Database) Save(dir string) (files []string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, b := range db.Binaries() {
		name := filepath.Join(dir, b.FileName())
		sum, err := open(name)
		if errors.Is(err, fs.ErrNotExist) {
			sum, err = New(), nil
		}
		if err == nil {
			err = sum.Merge(&Database{binaries: map[string]*Binary{id(b.Image): b}})
		}
		if err == nil {
			err = replace(name, sum.Binaries()[0])
		}
		if err != nil {
			return files, fmt.Errorf("%s: %w", name, err)
		}
		files = append(files, name)
	}
	return files, nil
}

// replace writes a file under another name and renames it, so nobody sees half of one.
func replace(name string, b *Binary) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".hotlists-")
	if err != nil {
		return err
	}
	err = b.Write(f)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
