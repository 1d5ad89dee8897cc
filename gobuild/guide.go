package gobuild

// This file reads the profile that -pepguide names, and hands each package what the profile says
// of it.

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/guide"
)

// readGuide reads the profile for the selected packages, and writes what it says of them to files of a temporary
// directory. It returns the names of these files by import path. The name of a file is the hash of its content. It
// stands in the tag of the package, so that the go command compiles the package anew if the profile says something else
// of it, and only then.
func (b *build) readGuide() (names map[string]string, err error) {
	name := b.args.Guide
	funcs, err := readFuncs(name)
	if err != nil {
		return nil, fmt.Errorf("-pepguide: %w", err)
	}
	packages, others := b.split(funcs, b.selected)
	if len(packages) == 0 {
		return nil, fmt.Errorf("-pepguide: %s: %w", name, nonePackages(funcs, others))
	}
	if b.args.GuideDir, err = os.MkdirTemp("", "pepbuild-guide-"); err != nil {
		return nil, err
	}
	names = map[string]string{}
	for path, p := range packages {
		data, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		if names[path], err = writeHashed(b.args.GuideDir, data); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// writeHashed writes a file whose name is the hash of its content into a directory.
func writeHashed(dir string, data []byte) (name string, err error) {
	sum := sha256.Sum256(data)
	name = hex.EncodeToString(sum[:])[:16]
	return name, os.WriteFile(filepath.Join(dir, name), data, 0o666)
}

// removeFiles removes what tools had to read for this build.
func (b *build) removeFiles() (err error) {
	for _, dir := range []string{b.args.GuideDir, b.args.CountsDir} {
		if dir != "" {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}
	return err
}

// nonePackages is the error for a profile whose functions are all of other packages than those
// that are instrumented.
func nonePackages(funcs []*guide.Func, others []string) error {
	if len(funcs[0].Lines) > 0 {
		return fmt.Errorf("its functions with %d samples or more are of %s, and of none of the packages that are instrumented: profile a longer run of this program, or instrument these packages with -peppkg", guide.MinSamples, listed(others))
	}
	return fmt.Errorf("it has functions of %s, and none of the packages that are instrumented: give a profile of this program, or instrument these packages with -peppkg", listed(others))
}

// listed names some packages.
func listed(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more packages", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// readFuncs returns what a profile says of functions, with their whole names, in order.
func readFuncs(name string) ([]*guide.Func, error) {
	memory, err := profile.MemoryFrom(os.Getenv)
	if err != nil {
		return nil, err
	}
	r := &profile.Reader{Memory: memory}
	f, err := r.Open(name)
	if _, ok := errors.AsType[*profile.KindError](err); ok {
		return readLines(name, r)
	}
	if err != nil {
		return nil, err
	}
	edges, err := f.Edges()
	if err != nil {
		return nil, err
	}
	return branchesOf(name, edges, f.Estimated())
}

// unitOfSamples is what a sample counts in profiles that are estimated.
const unitOfSamples = 1000

// branchesOf adds up the edges of each function.
func branchesOf(name string, edges []profile.Edge, estimated bool) ([]*guide.Func, error) {
	type branch struct {
		profile.BranchID
		kind string
	}
	counts := map[branch]map[string]float64{}
	total := 0.0
	for _, e := range edges {
		if e.Outcome == wire.OutUntold {
			continue
		}
		n := float64(e.Count)
		if estimated {
			n /= unitOfSamples
		}
		k := branch{e.Branch, e.Kind}
		if counts[k] == nil {
			counts[k] = map[string]float64{}
		}
		counts[k][e.Outcome] += n
		total += n
	}
	if total == 0 {
		return nil, fmt.Errorf("%s: it counts no branch at all: the program ended before anything was counted; let it run longer, or count with -pepmode=exact", name)
	}
	list := newFuncList()
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b branch) int {
		return cmp.Or(a.Compare(b.BranchID), cmp.Compare(a.kind, b.kind))
	})
	for _, k := range keys {
		f := list.of(k.Func)
		file := filepath.Base(k.Pos.File)
		if file == f.File {
			file = ""
		}
		f.Branches = append(f.Branches, guide.Branch{File: file, Line: int(k.Pos.Line), Col: int(k.Pos.Col), Kind: k.kind,
			Outcomes: counts[k]})
	}
	return list.funcs, nil
}

// readLines reads a CPU profile.
func readLines(name string, r *profile.Reader) ([]*guide.Func, error) {
	lines, err := r.OpenCPU(name)
	if kind, ok := errors.AsType[*profile.KindError](err); ok {
		return nil, fmt.Errorf("%s: a profile of %s: give the .edges.pb.gz file of a program built with pepbuild, or a CPU profile", name, strings.Join(kind.Types, ", "))
	}
	if err != nil {
		return nil, err
	}
	most := map[profile.Func]int64{}
	counts := map[profile.Line]int64{}
	for _, l := range lines {
		most[l.Func] += l.Samples
		counts[profile.Line{Func: l.Func, Line: l.Line}] += l.Samples
	}
	list := newFuncList()
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b profile.Line) int {
		return cmp.Or(a.Func.Compare(b.Func), cmp.Compare(a.Line, b.Line))
	})
	for _, k := range keys {
		if most[k.Func] < guide.MinSamples {
			continue
		}
		f := list.of(k.Func)
		f.Lines = append(f.Lines, guide.Line{Line: int(k.Line), Samples: float64(counts[k])})
	}
	if len(list.funcs) == 0 {
		return nil, fmt.Errorf("%s: no function has %d samples or more, the least of which lines tell something: profile a longer run", name, guide.MinSamples)
	}
	return list.funcs, nil
}

// A funcList has functions in the order in which they were asked for.
type funcList struct {
	funcs []*guide.Func
	index map[profile.Func]*guide.Func
}

func newFuncList() *funcList { return &funcList{index: map[profile.Func]*guide.Func{}} }

func (l *funcList) of(f profile.Func) *guide.Func {
	if l.index[f] == nil {
		l.index[f] = &guide.Func{Name: f.Name, File: filepath.Base(f.File), Line: int(f.StartLine)}
		l.funcs = append(l.funcs, l.index[f])
	}
	return l.index[f]
}

// split gives each package of paths its functions, without the package in their names. It also
// returns the names of other packages, as far as they can be told.
func (b *build) split(funcs []*guide.Func, paths []string) (packages map[string]*guide.Package, others []string) {
	// In profiles a main package is called main. A test of it has its import path.
	programs := map[string][]string{}
	for _, p := range b.deps {
		if path := p.path(); slices.Contains(paths, path) && !slices.Contains(programs[path], path) {
			programs[path] = append(programs[path], path)
			if p.Name == "main" {
				programs["main"] = append(programs["main"], path)
			}
		}
	}
	packages = map[string]*guide.Package{}
	known := map[string]bool{} // packages that others already has
	for _, f := range funcs {
		pkg, name := cutPackage(f.Name, programs)
		if programs[pkg] == nil {
			if !known[pkg] {
				others, known[pkg] = append(others, pkg), true
			}
			continue
		}
		short := *f
		short.Name = name
		for _, path := range programs[pkg] {
			if packages[path] == nil {
				packages[path] = new(guide.Package)
			}
			packages[path].Funcs = append(packages[path].Funcs, &short)
		}
	}
	return packages, others
}

// cutPackage cuts the linker's name of a function behind the package. The last element of an
// import path may have dots, which the linker writes as %2e and some profiles do not. So the
// longest package that is known is taken.
//
// The element is the name of a folder, which has 255 bytes at most. A damaged profile may have longer ones.
func cutPackage(name string, known map[string][]string) (pkg, rest string) {
	head, _, _ := strings.Cut(name, "[")
	slash := strings.LastIndex(head, "/") + 1
	for i := min(len(head)-1, slash+len("%2e")*255); i > slash; i-- {
		if head[i] == '.' {
			pkg := head[:slash] + strings.ReplaceAll(head[slash:i], "%2e", ".")
			if known[pkg] != nil || !strings.Contains(head[slash:i], ".") {
				return pkg, name[i+1:]
			}
		}
	}
	return head, ""
}
