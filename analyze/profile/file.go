package profile

// This file reads, identifies, merges and writes whole files.

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/input"
	"github.com/pepgo/pep/machine/executable"
)

// kindOf returns the kind of the profiles that have the given sample types, "" if programs
// write no such profiles, and whether their counts are estimated from samples.
func kindOf(types []*pprof.ValueType) (kind schema.Kind, estimated bool) {
	are := func(names []string) bool {
		return slices.EqualFunc(names, types, func(name string, t *pprof.ValueType) bool {
			return t.Type == name &&
				t.Unit == schema.UnitOf(name)
		})
	}
	for _, k := range schema.Kinds {
		switch sampled := k.SampledTypes(); {
		case are(k.Types()):
			return k, false
		case sampled != nil && are(append(k.Types(), sampled...)):
			return k, true
		}
	}
	return "", false
}

// readable lists the files that this package reads, for errors.
const readable = "pep reads the .paths.pb.gz, .edges.pb.gz, .values.pb.gz, .types.pb.gz, .calltargets.pb.gz, .deps.pb.gz, .contexts.pb.gz and .loads.pb.gz files of programs built with pepbuild"

// A KindError is the error for a profile that no program built with pepbuild writes.
type KindError struct {
	Name  string   // of the file
	Types []string // its sample types: "cpu/nanoseconds"
}

func (e *KindError) Error() string {
	return fmt.Sprintf("%s: a profile of another kind (%q): %s; for this one use go tool pprof", e.Name,
		strings.Join(e.Types, ", "), readable)
}

// others are files that programs write and that are not profiles, by their first
// bytes, with what to do about them.
var others = map[string]string{
	"pepdata\n": "not a profile yet, but the counts of a program that is running or was killed: PEP_WRITE=THIS_FILE PROGRAM makes profiles of them",
	"pepTRACE":  "not a profile, but a trace: read it with pepsim trace info or pepsim run",
}

// A File is a loaded profile. Its Paths, Edges or Words method gives the samples.
type File struct {
	Name     string // as given to Open or Parse, for messages
	Kind     schema.Kind
	Comments []string // of other tools, for people; peptrace writes some
	Facts    []facts.List
	Binary   string // path of the profiled program
	BuildID  string // identifies the program's site tables; may be empty
	Period   Period //

	pprof  *pprof.Profile
	totals []int64 // of every sample type, over all samples
	weight int64   // estimated bytes of memory that it takes

	estimated bool

	joined *executable.File // the programs of a file that was merged of several programs; else nil
}

// A Period says how often the profiled program recorded.
type Period struct {
	Type, Unit string // cpu/nanoseconds when paths were sampled, paths/count when exact; events/count of taps
	Value      int64  // ns of CPU time between ticks, or events per message; 1 when exact
}

// Exact reports whether everything was counted, and nothing sampled.
func (f *File) Exact() bool { return f.Period.Unit == schema.Unit && f.Period.Value == 1 }

// Windows reports whether counts are of windows: at ticks, the next instructions of the program were interpreted.
func (f *File) Windows() bool {
	return slices.ContainsFunc(f.Facts, func(l facts.List) bool { return l.Text(facts.Form) == facts.FormWindows })
}

// Estimated reports whether counts of paths or edges are estimated from samples, which the
// file has beside them, with variances.
func (f *File) Estimated() bool { return f.estimated }

// A Reader loads files, as many as fit into its memory. The zero Reader is ready
// for use.
type Reader struct {
	Memory int64     // how many bytes it may use, by an estimate; 0 is DefaultMemory
	Stdin  io.Reader // what Open("-") reads; nil if that is a file like others

	used int64 // for the files that are loaded
}

// Open loads a file with a Reader of its own.
func Open(name string) (*File, error) { return new(Reader).Open(name) }

// Parse is Open for data from elsewhere; name serves messages.
func Parse(name string, r io.Reader) (*File, error) { return new(Reader).Parse(name, r) }

// Open loads a file. Errors name it and are fit for users.
func (r *Reader) Open(name string) (*File, error) {
	if name == "-" && r.Stdin != nil {
		return r.Parse("standard input", r.Stdin)
	}
	f, err := input.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such file (a program built with pepbuild writes its profiles when it exits, to $PEPDIR or else its working directory)", name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return r.Parse(name, f)
}

// Parse is Open for data from elsewhere; name serves messages.
func (r *Reader) Parse(name string, in io.Reader) (*File, error) {
	p, raw, err := r.decode(name, in)
	if err != nil {
		return nil, err
	}
	f, err := newFile(name, p)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(r.Memory, DefaultMemory)
	f.weight = raw + listedBytes(p, limit)
	if r.used += f.weight; r.used > limit {
		return nil, fmt.Errorf("%s: %w", name, tooLarge(limit, "long stacks and labels of samples"))
	}
	return f, nil
}

// decode reads a pprof profile of any kind, and estimates how much memory its undecoded
// form stands for.
func (r *Reader) decode(name string, in io.Reader) (p *pprof.Profile, raw int64, err error) {
	limit := cmp.Or(r.Memory, DefaultMemory)
	data, err := readAll(in, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("reading %s: %w", name, input.Cause(err))
	}
	if len(data) == 0 {
		return nil, 0, fmt.Errorf("%s: the file is empty: the program was stopped before it wrote anything, or the copy is incomplete", name)
	}
	for magic, advice := range others {
		if bytes.HasPrefix(data, []byte(magic)) {
			return nil, 0, fmt.Errorf("%s: %s", name, advice)
		}
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		data, err = gunzip(data, limit)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, 0, fmt.Errorf("%s: the file ends early: the program was stopped while writing it, or the copy is incomplete", name)
		case errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || isCorrupt(err):
			return nil, 0, fmt.Errorf("%s: the file is damaged: %w", name, err)
		case err != nil:
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
	}
	if r.used+weighRaw(data, limit-r.used) > limit {
		return nil, 0, fmt.Errorf("%s: %w", name, tooLarge(limit, "many samples, labels and lines"))
	}
	// This code does not call pprof.ParseData, because that also tries half a dozen
	// older text formats. Its messages about damaged files are then misleading.
	p, err = pprof.ParseUncompressed(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: not a pprof profile: %s", name, readable)
	}
	return p, weighRaw(data, limit), nil
}

func gunzip(data []byte, limit int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return readAll(r, limit)
}

func isCorrupt(err error) bool {
	_, ok := errors.AsType[flate.CorruptInputError](err)
	return ok
}

func newFile(name string, p *pprof.Profile) (*File, error) {
	f := &File{Name: name, pprof: p}
	if err := f.splitComments(); err != nil { // first of all: other versions may have other sample types
		return nil, err
	}
	if f.Kind, f.estimated = kindOf(p.SampleType); f.Kind == "" {
		return nil, &KindError{name, sampleTypes(p)}
	}
	if len(f.Facts) == 0 {
		return nil, fmt.Errorf("%s: no comment of the profile begins with %s, so another tool has made this file of a profile: give the profile itself", name, facts.Mark)
	}
	if len(p.Mapping) > 0 {
		f.Binary, f.BuildID = p.Mapping[0].File, p.Mapping[0].BuildID
	}
	if p.PeriodType != nil {
		f.Period = Period{p.PeriodType.Type, p.PeriodType.Unit, p.Period}
	}
	if err := f.addUp(); err != nil {
		return nil, err
	}
	return f, nil
}

// addUp computes the totals. It refuses negative counts and totals that overflow;
// so no report can overflow, because each of its sums adds up part of the counts.
func (f *File) addUp() error {
	f.totals = make([]int64, len(f.pprof.SampleType))
	for i, s := range f.pprof.Sample {
		for j, v := range s.Value {
			if v < 0 {
				return fmt.Errorf("%s: sample %d of %d: negative count %d: pep does not read differences of profiles", f.Name, i+1,
					len(f.pprof.Sample), v)
			}
			if v > math.MaxInt64-f.totals[j] {
				return fmt.Errorf("%s: its %s add up to more than 2^63-1: the file is damaged, or something other than pep made it",
					f.Name, f.pprof.SampleType[j].Type)
			}
			f.totals[j] += v
		}
	}
	return nil
}

// maxLists is how many lists of facts a file may have. pep merge writes one for all profiles with the same settings.
const maxLists = 100

// splitComments reads the facts in the comments.
func (f *File) splitComments() error {
	known := make(map[string]bool)
	for _, c := range f.pprof.Comments {
		if !facts.In(c) {
			f.Comments = append(f.Comments, c)
			continue
		}
		if known[c] {
			continue // as for pprof, which keeps one of equal comments
		}
		known[c] = true
		if len(known) > maxLists {
			return fmt.Errorf("%s: the profile has the facts of more than %d profiles whose settings differ: merge fewer",
				f.Name, maxLists)
		}
		list, problem := facts.Decode(c)
		if problem != "" {
			return fmt.Errorf("%s: the profile is %s", f.Name, problem)
		}
		f.Facts = append(f.Facts, list)
	}
	return nil
}

// FuncNames returns the names of all functions in the file.
func (f *File) FuncNames() (names []string) {
	for _, fn := range f.pprof.Function {
		names = append(names, fn.Name)
	}
	return names
}

// Fact returns the number of a fact. A merged file has the sum of its parts.
func (f *File) Fact(k facts.Key) (sum uint64) {
	for _, list := range f.Facts {
		sum += list.Number(k)
	}
	return sum
}

// Whole reports whether the profile is of all packages and names the main module, as those by windows.
func (f *File) Whole() bool {
	return slices.ContainsFunc(f.Facts, func(list facts.List) bool { return list.Text(facts.Module) != "" })
}

// Own reports whether a package is of the main module. In profiles that are not Whole, all packages are.
func (f *File) Own(pkg string) bool {
	return !f.Whole() || slices.ContainsFunc(f.Facts, func(list facts.List) bool {
		module := list.Text(facts.Module)
		return module != "" && (pkg == "main" || pkg == module || strings.HasPrefix(pkg, module+"/"))
	})
}

// mergedComments returns the facts of all files, and the comments of others than pep.
func mergedComments(files []*File) (list []string, err error) {
	var all []facts.List
	for _, f := range files {
		all = append(all, f.Facts...)
	}
	all, problem := facts.Merge(all)
	if problem != "" {
		return nil, fmt.Errorf("%s and %d more: %s", files[0].Name, len(files)-1, problem)
	}
	for _, x := range all {
		list = append(list, x.Encode())
	}
	had := make(map[string]bool)
	for _, f := range files {
		for _, c := range f.Comments {
			if !had[c] {
				had[c] = true
				list = append(list, c)
			}
		}
	}
	return list, nil
}

func sampleTypes(p *pprof.Profile) []string {
	var types []string
	for _, t := range p.SampleType {
		types = append(types, t.Type+"/"+t.Unit)
	}
	return types
}

// Beside returns the name of the file of another kind that the same run of the program wrote:
// app.71.edges.pb.gz for app.71.paths.pb.gz.
func (f *File) Beside(kind schema.Kind) (string, error) {
	dir, base := filepath.Split(f.Name)
	mark := "." + string(f.Kind) + "."
	i := strings.LastIndex(base, mark)
	if i < 0 {
		return "", fmt.Errorf("%s: cannot tell its %s file, because its name does not contain %q: rename the two files as the program named them", f.Name, kind, mark)
	}
	return dir + base[:i] + "." + string(kind) + "." + base[i+len(mark):], nil
}

// SameProgram returns an error if a and b are known to come from programs
// of different source.
func SameProgram(a, b *File) error {
	if a.BuildID == "" || b.BuildID == "" || a.BuildID == b.BuildID {
		return nil
	}
	const tests = ".test" // ends the names of programs that go test builds
	if p, q := filepath.Base(a.Binary), filepath.Base(b.Binary); p != q && strings.HasSuffix(p, tests) &&
		strings.HasSuffix(q, tests) {
		return fmt.Errorf("%s is of the program %s and %s of %s: the tests of each package are a program of their own; give files of one", a.Name, p, b.Name, q)
	}
	return fmt.Errorf("%s and %s are of different programs, or of builds of one whose paths have other numbers (build IDs %q and %q): give files of one build, or of builds of the same source that differ in -pepmode alone",
		a.Name, b.Name, a.BuildID, b.BuildID)
}

// OpenMerged loads files, at least one, and adds them up. It adds as soon as the
// files in memory take an eighth of it, so that many files fit. They may be of several programs if the site
// tables of these can be read and agree. Files of site tables add packages that are in no program.
func (r *Reader) OpenMerged(names ...string) (*File, error) {
	var all, pending []*File // pending are those that are not added up yet
	var programs joiner
	names = slices.DeleteFunc(slices.Clone(names), programs.isTables)
	if len(names) == 0 {
		return nil, fmt.Errorf("no profile beside the site tables: pepbuild test -pepmode=cover ./... makes some")
	}
	for i, name := range names {
		f, err := r.Open(name)
		if err != nil {
			return nil, err
		}
		if err := mergeable(all, f); err != nil {
			return nil, err
		}
		if err := programs.add(f); err != nil {
			return nil, err
		}
		pending = append(pending, f)
		more := r.used - pending[0].weight
		if len(pending) > 1 && (i == len(names)-1 || more > cmp.Or(r.Memory, DefaultMemory)/rawPart) {
			sum, err := merge(pending)
			if err != nil {
				return nil, err
			}
			pending, r.used = []*File{sum}, sum.weight
		}
		header := *f
		header.pprof = nil
		all = append(all, &header)
	}
	return pending[0], programs.finish(pending[0])
}

// Merge adds up files, at least one, of one kind, one program and one way of
// recording. The result has the name of the first.
func Merge(files []*File) (*File, error) {
	for i, f := range files {
		if err := mergeable(files[:i], f); err != nil {
			return nil, err
		}
		for _, before := range files[:i] {
			if err := SameProgram(before, f); err != nil {
				return nil, err
			}
		}
	}
	return merge(files)
}

// merge adds up files. If they are of several programs, the result is of none.
func merge(files []*File) (*File, error) {
	var sources []*pprof.Profile
	totals := make([]int64, len(files[0].totals))
	var weight int64
	if slices.ContainsFunc(files, func(f *File) bool { return f.BuildID != files[0].BuildID }) {
		for _, f := range files {
			f.setProgram("", "") // else each program would have its own samples, as each has a mapping
		}
	}
	for _, f := range files {
		for j, n := range f.totals {
			if n > math.MaxInt64-totals[j] {
				return nil, fmt.Errorf("%s: the %s of the files up to this one add up to more than 2^63-1: merge fewer", f.Name,
					f.pprof.SampleType[j].Type)
			}
			totals[j] += n
		}
		sources = append(sources, f.pprof)
		weight += f.weight
	}
	p, err := pprof.Merge(sources)
	if err != nil {
		return nil, fmt.Errorf("merging %s and %d more: %w", files[0].Name, len(files)-1, err)
	}
	if p.Comments, err = mergedComments(files); err != nil {
		return nil, err
	}
	merged, err := newFile(files[0].Name, p)
	if err != nil {
		return nil, err
	}
	before := 0
	for _, p := range sources {
		before += len(p.Sample)
	}
	// Equal samples are one now.
	merged.weight = int64(float64(weight) * float64(len(p.Sample)) / float64(max(before, 1)))
	return merged, nil
}

// mergeable returns an error if the counts of a file do not add up with those of the files before it.
func mergeable(before []*File, b *File) error {
	for _, a := range before {
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
		if a.estimated != b.estimated {
			return fmt.Errorf("%s and %s have different sample types: they are of programs built by different versions of pepbuild", a.Name, b.Name)
		}
	}
	return nil
}

// Save writes the file to a name, all of it or nothing. If it was merged of several programs, it writes their site
// tables beside it.
func (f *File) Save(name string) error {
	if f.joined != nil {
		named := *f
		named.Name = name
		beside, err := named.Beside(schema.Sites)
		if err != nil {
			return err
		}
		tables, err := f.joined.Bytes()
		if err != nil {
			return err
		}
		if err := os.WriteFile(strings.TrimSuffix(beside, ".pb.gz"), tables, 0o644); err != nil {
			return err
		}
	}
	return save(name, f.pprof)
}

func save(name string, p *pprof.Profile) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return fmt.Errorf("creating %s: %w", name, input.Cause(err))
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	err = errors.Join(p.Write(tmp), tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}
