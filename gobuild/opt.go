package gobuild

// This file reads the profiles that -pepopt names, and hands each package what they say of it and of the packages that
// it imports: the compiler may inline functions of those.

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/gobuild/internal/plan"
	"github.com/pepgo/pep/instrument/counted"
	"github.com/pepgo/pep/instrument/guide"
)

// randomCounts begins values of -pepopt that ask for counts of nothing: wrong ones must make no program wrong.
const randomCounts = "random:"

// A weighted is a profile that -pepopt names.
type weighted struct {
	name   string
	weight float64
}

// weightedProfiles parses the value of -pepopt.
func weightedProfiles(value string) (list []weighted, err error) {
	for name := range strings.SplitSeq(value, ",") {
		w := weighted{name, 1}
		if times, rest, ok := strings.Cut(name, "*"); ok {
			if w.weight, err = strconv.ParseFloat(times, 64); err != nil || !(w.weight > 0) || w.weight > 1e9 {
				return nil, usagef("-pepopt=%s: %q is no weight: want a number above 0, as in 3*%s", value, times, rest)
			}
			w.name = rest
		}
		if w.name == "" {
			return nil, usagef("-pepopt=%s: a name of a profile is missing", value)
		}
		list = append(list, w)
	}
	return list, nil
}

// counts returns the tags of packages by import path, and writes what the profiles say to a temporary directory.
// Packages of which the profiles say nothing, and that import no others, have no tag.
func (b *build) counts() (tags map[string]plan.Tag, err error) {
	paths := b.selected
	if b.args.CountsDir, err = os.MkdirTemp("", "pepbuild-counts-"); err != nil {
		return nil, err
	}
	var own map[string]string
	if seed, ok := strings.CutPrefix(b.args.Opt, randomCounts); ok {
		if _, err := strconv.ParseUint(seed, 10, 64); err != nil {
			return nil, usagef("-pepopt=%s: %q is no seed: want a number, as in %s1", b.args.Opt, seed, randomCounts)
		}
		own = map[string]string{}
		name, err := writeHashed(b.args.CountsDir, []byte("random "+seed+"\n"))
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			own[p] = name
		}
	} else if own, err = b.ownCounts(paths); err != nil {
		return nil, fmt.Errorf("-pepopt: %w", err)
	}
	// The go command lists packages behind those that they import.
	all, byPath := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, p := range b.deps {
		set := map[string]bool{}
		if name := own[p.path()]; name != "" {
			set[name] = true
		}
		for _, name := range p.Imports {
			maps.Copy(set, all[cmp.Or(p.ImportMap[name], name)])
		}
		all[p.ImportPath] = set
		if byPath[p.path()] == nil {
			byPath[p.path()] = map[string]bool{}
		}
		maps.Copy(byPath[p.path()], set)
	}
	tags = map[string]plan.Tag{}
	for _, path := range paths {
		if len(byPath[path]) == 0 {
			continue
		}
		name, err := writeHashed(b.args.CountsDir, []byte(strings.Join(slices.Sorted(maps.Keys(byPath[path])), "\n")+"\n"))
		if err != nil {
			return nil, err
		}
		tags[path] = plan.Tag{Work: plan.Counts, Compiler: b.compiler.Key, Counts: name}
	}
	return tags, nil
}

// ownCounts returns the names of files with the counts of each package of paths.
func (b *build) ownCounts(paths []string) (map[string]string, error) {
	profiles, err := b.optProfiles()
	if err != nil {
		return nil, err
	}
	packages := map[string][]*guide.Package{}
	for _, funcs := range profiles {
		split, _ := b.split(funcs, paths)
		for path, p := range split {
			packages[path] = append(packages[path], p)
		}
	}
	var sum guide.Match
	for _, funcs := range profiles { // of packages that the program does not have, too
		sum.Add(guide.Match{FuncsOf: len(funcs)})
		for _, f := range funcs {
			for _, branch := range f.Branches {
				sum.BranchesOf++
				for _, n := range branch.Outcomes {
					sum.CountsOf += n
				}
			}
		}
	}
	own := map[string]string{}
	for path, list := range packages {
		i := slices.IndexFunc(b.deps, func(p *pkg) bool { return p.path() == path })
		p := b.deps[i]
		name := prefix(path)
		if p.Name == "main" && b.args.Verb != "test" {
			name = "main"
		}
		var files []string
		for _, f := range slices.Concat(p.GoFiles, p.CgoFiles) {
			files = append(files, filepath.Join(p.Dir, f))
		}
		text, match, err := counted.Text(name, list, files)
		if err != nil {
			return nil, err
		}
		sum.Add(guide.Match{Funcs: match.Funcs, Branches: match.Branches, Counts: match.Counts})
		if len(text) == 0 {
			continue
		}
		if own[path], err = writeHashed(b.args.CountsDir, text); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(b.stderr, "pepbuild: -pepopt=%s: %v\n", b.args.Opt, sum)
	return own, nil
}

// optProfiles returns the functions of each profile, with counts that make up for different lengths of the runs.
func (b *build) optProfiles() (list [][]*guide.Func, err error) {
	profiles, err := weightedProfiles(b.args.Opt)
	if err != nil {
		return nil, err
	}
	if b.args.Opt == "auto" {
		name, err := b.autoProfile()
		if err != nil {
			return nil, err
		}
		profiles = []weighted{{name, 1}}
	}
	totals, mean, weights := make([]float64, len(profiles)), 0.0, 0.0
	for i, p := range profiles {
		funcs, err := readFuncs(p.name)
		if err != nil {
			return nil, err
		}
		if len(funcs[0].Lines) > 0 {
			return nil, fmt.Errorf("%s: a profile of CPU time does not count branches: give the .edges.pb.gz file of a program built with pepbuild", p.name)
		}
		for _, f := range funcs {
			for _, branch := range f.Branches {
				for _, n := range branch.Outcomes {
					totals[i] += n
				}
			}
		}
		mean += totals[i] / float64(len(profiles))
		weights += p.weight / float64(len(profiles))
		list = append(list, funcs)
	}
	for i, funcs := range list {
		if len(list) == 1 {
			break
		}
		for _, f := range funcs {
			for _, branch := range f.Branches {
				for name := range branch.Outcomes {
					branch.Outcomes[name] *= profiles[i].weight / weights * mean / totals[i]
				}
			}
		}
	}
	return list, nil
}

// autoProfile returns the name of the profile in the directory of the main package.
func (b *build) autoProfile() (string, error) {
	var dirs []string
	for _, p := range b.deps {
		if !p.DepOnly && p.Name == "main" && !p.isTestMain() {
			dirs = append(dirs, p.Dir)
		}
	}
	if len(dirs) != 1 {
		return "", fmt.Errorf("auto looks for %s in the directory of the main package, and this command line names %d main packages: name one, or the profile", schema.DefaultEdges, len(dirs))
	}
	name := filepath.Join(dirs[0], schema.DefaultEdges)
	if _, err := os.Stat(name); err != nil {
		return "", fmt.Errorf("%w; pep pgo -o %s makes it of a profile", err, dirs[0])
	}
	return name, nil
}

// prefix returns the path of a package as the linker writes it in names of functions.
func prefix(path string) string {
	slash := strings.LastIndexByte(path, '/')
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c == '.' && i > slash || c == '%' || c == '"' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
