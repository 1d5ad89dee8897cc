package report

// This file writes profiles.

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/internal/values/database"
)

// Profile returns a binary's values as a profile of values in the format of pprof, in gzip.
//
// A sample is a value of a hotlist. The first number is the estimate of how often the
// value was sampled, the second how often it is in the hotlist, so pep values computes bounds
// from them as for taps. The values that a hotlist does not have are one sample, with the value
// (other). The stack is the functions at the instruction. The instruction with its address
// is the expression. Labels of goroutines are labels of the samples, too.
func Profile(b *database.Binary, names Names, secrets bool) []byte {
	types := schema.Values.Types()
	p := pprofenc.New(pprofenc.ValueType{Type: types[0], Unit: schema.Unit},
		pprofenc.ValueType{Type: types[1], Unit: schema.Unit})
	p.Mapping = pprofenc.Mapping{File: b.Image.Path, BuildID: hexadecimal(b.Image.BuildID)}
	p.PeriodType, p.Period = pprofenc.ValueType{Type: "cpu", Unit: "nanoseconds"}, int64(b.Interval)
	p.DefaultType = types[0]
	p.Comments = append([]string{fmt.Sprintf("peptrace: values of instructions, %d interrupts, %d lost", b.Interrupts,
		b.Lost)}, b.Comments...)
	p.Comments = append(p.Comments, facts.List{}.Encode())
	m := newMask(secrets)
	for _, g := range b.Groups() {
		var labels []pprofenc.Label
		for _, l := range m.list(g.Labels) {
			labels = append(labels, sampleLabel(l))
		}
		for _, f := range functions(g.Locations(), names) {
			f.samples(p, labels, names, secrets)
		}
	}
	return pprofenc.Gzip(p.Encode())
}

// samples adds the samples of a function in goroutines with some labels.
func (f *function) samples(p *pprofenc.Profile, labels []pprofenc.Label, names Names, secrets bool) {
	for i, l := range f.locations {
		var stack []uint64
		for _, x := range f.frames[i] {
			id := p.Function(pprofenc.Function{Name: x.name, Filename: x.file, StartLine: int64(x.startLine)})
			stack = append(stack, p.Location(id, int64(x.line)))
		}
		at := f.frames[i][0]
		insn := fmt.Sprintf("%#x %s", l.Insn.PC, instruction(l.Insn, names))
		for _, kind := range slices.Sorted(maps.Keys(l.Lists)) {
			list := l.Lists[kind]
			sample := func(value string, estimate, count int64) {
				p.Sample(stack, []int64{estimate, count}, p.Labels(append([]pprofenc.Label{
					{Key: schema.TapKind, Value: kind},
					{Key: schema.Site, Value: fmt.Sprintf("%s:%d:0", path.Base(at.file), at.line)},
					{Key: schema.Expr, Value: insn},
					{Key: schema.Value, Value: schema.ValueText(insn, value)},
				}, labels...)...))
			}
			rest := int64(list.Total())
			for _, v := range values(list, l.Insn, kind, names, secrets) {
				estimate := min(int64(math.Round(list.Estimate(v.Count))), rest)
				sample(v.Value, estimate, int64(v.Count))
				rest -= estimate
			}
			if rest > 0 {
				sample(schema.Other, rest, 0)
			}
		}
	}
}

// hexadecimal returns a build ID if it is a hexadecimal number, as profiles want it, and ""
// otherwise.
func hexadecimal(id string) string {
	if strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return id
}

// One returns the binary of a database that has one, for a profile, which is of one binary.
// Code that is in no file, such as the kernel's part of each process, is no second one: a comment
// says how much of it is left out.
func One(db *database.Database) (*database.Binary, error) {
	list := db.Binaries()
	if len(list) == 1 {
		return list[0], nil
	}
	var files []*database.Binary
	var names, left []string
	for _, b := range list {
		if b.Image.InFile() {
			files, names = append(files, b), append(names, b.FileName())
			continue
		}
		left = append(left, fmt.Sprintf("%s in %s left out", listing.Count(b.Interrupts, "interrupt"), b.Image.Path))
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("there are samples of %d programs or shared objects, and a profile is of one: choose a file of %s, which peptrace merge writes", len(files), strings.Join(names, ", "))
	}
	one := *files[0]
	one.Comments = slices.Concat(one.Comments, left)
	return &one, nil
}
