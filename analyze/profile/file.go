package profile

// This file reads, identifies, merges and writes whole files.

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	pprof "github.com/google/pprof/profile"
)

// A Kind is what a file counts.
type Kind string

// The kinds of files. A file of kind "paths" is named x.paths.pb.gz.
const (
	KindPaths       Kind = "paths"
	KindEdges       Kind = "edges"
	KindValues      Kind = "values"
	KindTypes       Kind = "types"
	KindCallTargets Kind = "calltargets"
)

// kinds has the kinds by the sample types of their files.
var kinds = map[string]Kind{
	"paths/count branch_flow/count": KindPaths,
	"edges/count":                   KindEdges,
	"values/count messages/count":   KindValues,
	"types/count messages/count":    KindTypes,
	"calls/count messages/count":    KindCallTargets,
}

// readable says what this package reads.
const readable = "pep reads the .paths.pb.gz, .edges.pb.gz, .values.pb.gz, .types.pb.gz and .calltargets.pb.gz files of programs built with pepbuild"

// A File is a loaded profile. Its Paths, Edges or Words method gives the samples.
type File struct {
	Name     string   // as given to Open or Parse, for messages
	Kind     Kind     //
	Comments []string // lines for people: how the profile was taken
	Binary   string   // path of the profiled program
	BuildID  string   // identifies the program's site tables; may be empty
	Period   Period   //

	pprof *pprof.Profile
}

// A Period says how often the profiled program recorded.
type Period struct {
	Type, Unit string // cpu/nanoseconds when paths were sampled, paths/count when exact; events/count of taps
	Value      int64  // ns of CPU time between ticks, or events per message; 1 when exact
}

// Exact reports whether everything was counted.
func (f *File) Exact() bool { return f.Period.Unit == "count" && f.Period.Value == 1 }

// Open loads a file. Errors name it and are fit for users.
func Open(name string) (*File, error) {
	r, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file (a program built with pepbuild writes its profiles when it exits, to $PEPDIR or else its working directory)", name)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return Parse(name, r)
}

// Parse is Open for data from elsewhere; name serves messages.
func Parse(name string, r io.Reader) (*File, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, pathless(err))
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("%s: the file is empty: the program was stopped before it wrote, or the copy went wrong", name)
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		data, err = gunzip(data)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("%s: the file ends early: the program was stopped while writing it, or the copy is incomplete", name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: the file is damaged: %w", name, err)
		}
	}
	// Not pprof.ParseData: it tries half a dozen older text formats too, and
	// then what it says about damaged files misleads.
	p, err := pprof.ParseUncompressed(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: not a pprof profile: %s", name, readable)
	}
	return newFile(name, p)
}

// pathless strips the file name that the caller's message has already.
func pathless(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

func gunzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func newFile(name string, p *pprof.Profile) (*File, error) {
	f := &File{Name: name, Comments: p.Comments, pprof: p}
	types := sampleTypes(p)
	f.Kind = kinds[strings.Join(types, " ")]
	if f.Kind == "" {
		return nil, fmt.Errorf("%s: a profile of another kind (%q): %s; for this one use go tool pprof", name, strings.Join(types, ", "), readable)
	}
	if len(p.Mapping) > 0 {
		f.Binary, f.BuildID = p.Mapping[0].File, p.Mapping[0].BuildID
	}
	if p.PeriodType != nil {
		f.Period = Period{p.PeriodType.Type, p.PeriodType.Unit, p.Period}
	}
	return f, nil
}

func sampleTypes(p *pprof.Profile) []string {
	var types []string
	for _, t := range p.SampleType {
		types = append(types, t.Type+"/"+t.Unit)
	}
	return types
}

// Sibling returns the name of the file of the other kind that the same run
// of the program wrote: app.71.edges.pb.gz for app.71.paths.pb.gz, and back.
func (f *File) Sibling() (string, error) {
	if f.Kind == KindEdges {
		return f.named(KindPaths)
	}
	return f.named(KindEdges)
}

// named returns the name of the file of a kind that the same run wrote.
func (f *File) named(other Kind) (string, error) {
	dir, base := filepath.Split(f.Name)
	mark := "." + string(f.Kind) + "."
	i := strings.LastIndex(base, mark)
	if i < 0 {
		return "", fmt.Errorf("%s: cannot tell its %s file, because its name does not contain %q: rename the two files as the program named them", f.Name, other, mark)
	}
	return dir + base[:i] + "." + string(other) + "." + base[i+len(mark):], nil
}

// SameProgram returns an error if a and b are known to come from programs
// of different source.
func SameProgram(a, b *File) error {
	if a.BuildID == "" || b.BuildID == "" || a.BuildID == b.BuildID {
		return nil
	}
	return fmt.Errorf("%s and %s are profiles of different programs (build IDs %q and %q): profile builds of the same source",
		a.Name, b.Name, a.BuildID, b.BuildID)
}

// Merge adds up files, at least one, of one kind, one program and one way of
// recording. The result has the name of the first.
func Merge(files []*File) (*File, error) {
	var sources []*pprof.Profile
	for i, f := range files {
		for _, before := range files[:i] {
			if err := mergeable(before, f); err != nil {
				return nil, err
			}
		}
		sources = append(sources, f.pprof)
	}
	p, err := pprof.Merge(sources)
	if err != nil {
		return nil, fmt.Errorf("merging %s and %d more: %w", files[0].Name, len(files)-1, err)
	}
	return newFile(files[0].Name, p)
}

func mergeable(a, b *File) error {
	if a.Kind != b.Kind {
		return fmt.Errorf("%s is of kind %s and %s of kind %s: merge files of one kind", a.Name, a.Kind, b.Name, b.Kind)
	}
	if a.Exact() != b.Exact() {
		exact, sampled := a, b
		if b.Exact() {
			exact, sampled = b, a
		}
		return fmt.Errorf("%s is exact and %s is sampled: their counts do not add up", exact.Name, sampled.Name)
	}
	return SameProgram(a, b)
}

// Save writes the file to a name, all of it or nothing.
func (f *File) Save(name string) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return fmt.Errorf("creating %s: %w", name, pathless(err))
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	err = errors.Join(f.pprof.Write(tmp), tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}
