// Package proftest makes profiles for tests from a text that people can
// read, the text that pep dump prints:
//
//	profile paths
//	comment "#pep.version=1 mode=exact"
//	binary /bin/app
//	build 5eed
//	period 1 paths/count
//	path func=main.sign at=sign.go:10 path=p0 end=12 count=7 flow=7 from=entry lines=10-12 branches="11:2 if true" callers="main.main main.go:9"
//
// Blank lines and lines that begin with # are left out. So may be any value of a sample but func and at; then it is 0,
// or its label is missing. Parse makes whatever is asked for, right or wrong. Without a comment with facts, the profile
// gets one with the version alone.
//
// A path may have a symbol, the linker's name of its function. A caller may have its
// function's first line and its symbol, which pep dump does not print:
//
//	callers="main.main main.go:9 start=5; main.each[...] each.go:7 start=4 symbol=main.each[go.shape.int]"
package proftest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
)

// Parse makes a profile of a text.
func Parse(text string) (*pprof.Profile, error) {
	b := builder{
		p: &pprof.Profile{Mapping: []*pprof.Mapping{{ID: 1, HasFunctions: true, HasFilenames: true,
			HasLineNumbers: true, HasInlineFrames: true}}},
		functions: make(map[pprof.Function]*pprof.Function),
		locations: make(map[pprof.Line]*pprof.Location),
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := b.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w: %s", i+1, err, line)
		}
	}
	if b.ours && !slices.ContainsFunc(b.p.Comments, facts.In) {
		b.p.Comments = append(b.p.Comments, facts.List{}.Encode())
	}
	return b.p, nil
}

// Read reads a file as package pprof does, which knows nothing of package profile.
func Read(t testing.TB, name string) *pprof.Profile {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pprof.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Encode makes the content of a .pb.gz file of a text.
func Encode(text string) ([]byte, error) {
	p, err := Parse(text)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Raw is Encode without compression.
func Raw(text string) ([]byte, error) {
	data, err := Encode(text)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

type builder struct {
	ours      bool // it is of a kind that has facts
	p         *pprof.Profile
	functions map[pprof.Function]*pprof.Function
	locations map[pprof.Line]*pprof.Location
}

func (b *builder) line(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "profile":
		switch rest {
		case "paths":
			b.p.SampleType = valueTypes("paths/count branch_flow/count")
			b.p.DefaultSampleType = "paths"
		case "edges":
			b.p.SampleType = valueTypes("edges/count")
		case "paths estimated":
			b.p.SampleType = valueTypes("paths/count branch_flow/count samples/count variance/count cpu/nanoseconds")
			b.p.DefaultSampleType = "paths"
		case "edges estimated":
			b.p.SampleType = valueTypes("edges/count samples/count variance/count independent/count")
		case "values", "types", "deps", "contexts":
			b.p.SampleType = valueTypes(rest + "/count messages/count")
		case "calltargets":
			b.p.SampleType = valueTypes("calls/count messages/count")
		case "loads":
			b.p.SampleType = valueTypes("loads/count timed/count wait/nanoseconds")
		default: // of another kind, for tests of errors
			b.p.SampleType = valueTypes(rest)
			return nil
		}
		b.ours = true
		return nil
	case "comment":
		text, err := unquote(rest)
		b.p.Comments = append(b.p.Comments, text)
		return err
	case "binary":
		text, err := unquote(rest)
		b.p.Mapping[0].File = text
		return err
	case "build":
		text, err := unquote(rest)
		b.p.Mapping[0].BuildID = text
		return err
	case "period":
		n, types, _ := strings.Cut(rest, " ")
		period, err := strconv.ParseInt(n, 10, 64)
		b.p.Period, b.p.PeriodType = period, valueTypes(types)[0]
		return err
	case "path", "edge", "word", "unended", "tick":
		fields, err := parseFields(rest)
		if err != nil {
			return err
		}
		return b.sample(verb, fields)
	}
	return fmt.Errorf("unknown verb %q", verb)
}

func valueTypes(list string) []*pprof.ValueType {
	var types []*pprof.ValueType
	for _, text := range strings.Fields(list) {
		typ, unit, _ := strings.Cut(text, "/")
		types = append(types, &pprof.ValueType{Type: typ, Unit: unit})
	}
	return types
}

func (b *builder) sample(verb string, f fields) error {
	s := &pprof.Sample{Label: make(map[string][]string)}
	file, start, err := fileLine(f.text["at"])
	if err != nil {
		return err
	}
	fn := pprof.Function{Name: f.text["func"], SystemName: cmp.Or(f.text["symbol"], f.text["func"]), Filename: file,
		StartLine: start}
	switch verb {
	case "path":
		path := fn
		path.Name += ".·" + f.text["path"]
		s.Location = append(s.Location, b.location(path, f.int("end")), b.location(fn, f.int("end")))
		s.Value = []int64{f.int("count"), f.int("flow")}
		if len(b.p.SampleType) > 2 {
			s.Value = append(s.Value, f.int("samples"), f.int("variance"), 0)
		}
		f.start(s, file)
		f.label(s, "lines", "branches")
		if number, ok := strings.CutPrefix(f.text["path"], "p"); ok {
			f.text["path"] = number
			f.number(s, "path", "number")
		}
	case "edge":
		s.Location = append(s.Location, b.location(fn, f.int("line")))
		s.Value = []int64{f.int("count")}
		if len(b.p.SampleType) > 1 {
			s.Value = append(s.Value, f.int("samples"), f.int("variance"), f.int("independent"))
		}
		f.label(s, "branch", "kind", "outcome")
	case "unended":
		f.text["path"] = "unended"
		unended := fn
		unended.Name += ".·unended"
		s.Location = append(s.Location, b.location(unended, f.int("line")), b.location(fn, f.int("line")))
		s.Value = make([]int64, len(b.p.SampleType))
		s.Value[0] = f.int("count")
		f.start(s, file)
		f.label(s, "path")
	case "tick":
		f.text["path"] = "tick"
		s.Location = append(s.Location, b.location(fn, f.int("line")))
		s.Value = make([]int64, len(b.p.SampleType))
		s.Value[len(s.Value)-1] = f.int("cpu")
		f.label(s, "path")
	case "word":
		if err := b.word(s, fn, f); err != nil {
			return err
		}
	}
	if list := f.text["callers"]; list != "" {
		for text := range strings.SplitSeq(list, "; ") {
			l, err := b.caller(text)
			if err != nil {
				return err
			}
			s.Location = append(s.Location, l)
		}
	}
	if list := f.text["labels"]; list != "" {
		for _, m := range labelText.FindAllStringSubmatch(list, -1) {
			key, err := unquote(m[1])
			if err != nil {
				return err
			}
			value, err := unquote(m[2])
			if err != nil {
				return err
			}
			s.Label[key] = append(s.Label[key], value)
		}
	}
	b.p.Sample = append(b.p.Sample, s)
	return f.err
}

// caller makes a location of a text such as "main.main main.go:9 start=5".
func (b *builder) caller(text string) (*pprof.Location, error) {
	words := strings.Fields(text)
	if len(words) < 2 {
		return nil, fmt.Errorf("caller %q, want function file:line", text)
	}
	file, line, err := fileLine(words[1])
	if err != nil {
		return nil, err
	}
	fn := pprof.Function{Name: words[0], SystemName: words[0], Filename: file}
	for _, word := range words[2:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "symbol":
			fn.SystemName = value
		case "start":
			if fn.StartLine, err = strconv.ParseInt(value, 10, 64); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("caller %q: unknown key %q", text, key)
		}
	}
	return b.location(fn, line), nil
}

// word makes a sample of a values, types or call targets profile: which, the
// sample types tell.
func (b *builder) word(s *pprof.Sample, fn pprof.Function, f fields) error {
	var line int64
	var err error
	if f.text["line"] != "" { // of a pool
		line = f.int("line")
	}
	if i := strings.LastIndex(f.text["site"], ":"); i > 0 {
		if _, line, err = fileLine(f.text["site"][:i]); err != nil {
			return err
		}
	}
	s.Location = append(s.Location, b.location(fn, line))
	s.Value = []int64{f.int("count"), f.int("messages")}
	switch b.p.SampleType[0].Type {
	case "values":
		f.text["value"] = f.text["expr"] + "=" + f.text["value"]
	case "loads":
		f.text["value"] = "latency=" + f.text["value"]
		s.Value = append(s.Value, f.int("wait"))
	case "types":
		f.text["static"], f.text["type"] = f.text["type"], f.text["value"]
		delete(f.text, "value")
	case "calls":
		target := pprof.Function{Name: f.text["value"], SystemName: f.text["value"]}
		if at := f.text["target"]; at != "" {
			if target.Filename, target.StartLine, err = fileLine(at); err != nil {
				return err
			}
		}
		s.Location = append([]*pprof.Location{b.location(target, target.StartLine)}, s.Location...)
		delete(f.text, "value")
	}
	f.label(s, "pool", "site", "kind", "expr", "type", "value", "static", "words", "low", "high", "form", "low_function",
		"high_function", "high_file", "seen")
	for key, unit := range map[string]string{
		"count_error": "count", "share_error": "ppm", "share_below": "ppm",
		"wait_error": "nanoseconds", "wait_below": "nanoseconds",
		"tap_events": "count", "low_line": "line", "high_line": "line", "whole_count_error": "count",
		"whole_share_error": "ppm", "whole_share_below": "ppm",
	} {
		if _, ok := f.text[key]; ok {
			f.number(s, key, unit)
		}
	}
	return nil
}

func (b *builder) location(fn pprof.Function, line int64) *pprof.Location {
	f := b.functions[fn]
	if f == nil {
		f = &pprof.Function{}
		*f = fn
		f.ID = uint64(len(b.p.Function) + 1)
		b.functions[fn] = f
		b.p.Function = append(b.p.Function, f)
	}
	key := pprof.Line{Function: f, Line: line}
	l := b.locations[key]
	if l == nil {
		l = &pprof.Location{ID: uint64(len(b.p.Location) + 1), Mapping: b.p.Mapping[0], Line: []pprof.Line{key}}
		b.locations[key] = l
		b.p.Location = append(b.p.Location, l)
	}
	return l
}

func fileLine(text string) (string, int64, error) {
	i := strings.LastIndex(text, ":")
	if i < 0 {
		return "", 0, fmt.Errorf("%q, want file:line", text)
	}
	line, err := strconv.ParseInt(text[i+1:], 10, 64)
	return text[:i], line, err
}

// fields are the values of a sample's line. err is the first error of int.
type fields struct {
	text map[string]string
	err  error
}

var fieldText = regexp.MustCompile(`^(\w+)=("(?:[^"\\]|\\.)*"|\S*)\s*`)

var labelText = regexp.MustCompile(`("(?:[^"\\]|\\.)*"|[^\s"]+?)=("(?:[^"\\]|\\.)*"|\S*)`)

func parseFields(rest string) (fields, error) {
	f := fields{text: make(map[string]string)}
	for rest != "" {
		m := fieldText.FindStringSubmatch(rest)
		if m == nil {
			return fields{}, fmt.Errorf("want key=value at %q", rest)
		}
		value, err := unquote(m[2])
		if err != nil {
			return fields{}, err
		}
		f.text[m[1]] = value
		rest = rest[len(m[0]):]
	}
	return f, nil
}

func unquote(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	text, err := strconv.Unquote(s)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s, err)
	}
	return text, nil
}

func (f *fields) int(key string) int64 {
	text, ok := f.text[key]
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && f.err == nil {
		f.err = err
	}
	return n
}

// start adds where a path of a function in a file begins: "loop x.go:15".
func (f *fields) start(s *pprof.Sample, file string) {
	how, at, ok := strings.Cut(f.text["from"], " ")
	if how != "" {
		s.Label["from"] = []string{how}
	}
	if !ok {
		return
	}
	i := strings.LastIndexByte(at, ':')
	if name := at[:max(i, 0)]; name != file[strings.LastIndexByte(file, '/')+1:] {
		s.Label["from_file"] = []string{name}
	}
	f.text["from_line"] = at[i+1:]
	f.number(s, "from_line", "line")
}

// number adds the label of a key, with a number.
func (f *fields) number(s *pprof.Sample, key, unit string) {
	if s.NumLabel == nil {
		s.NumLabel, s.NumUnit = map[string][]int64{}, map[string][]string{}
	}
	s.NumLabel[key], s.NumUnit[key] = []int64{f.int(key)}, []string{unit}
}

func (f *fields) label(s *pprof.Sample, keys ...string) {
	for _, key := range keys {
		if value, ok := f.text[key]; ok {
			s.Label[key] = []string{value}
		}
	}
}
