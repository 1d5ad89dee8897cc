package bench

// This file measures what a guide brings: how often the program then comes over edges with a value.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/placement"
)

// Numbered says how good the numbering of a build is for a run: what the executions of its
// branches were.
type Numbered struct {
	Guide              string
	Branches, Switches share   // executions in nodes whose hottest edge has Val 0
	Adds               float64 // executed increments of the register for each execution of a branch
}

// A share is a part of something, in executions.
type share struct{ of, all float64 }

func (s share) String() string {
	if s.all == 0 {
		return none
	}
	return percent(s.of / s.all)
}

// A Guided has the numberings of a program, without a guide and with several.
type Guided struct {
	Program  string
	Numbered []Numbered
}

// Guides has every program built without a guide and with the exact edges of a run, the sampled
// edges of a run, and the CPU profile of a run as its guide, all with the same workload.
func Guides(cfg *Config) (all []Guided, err error) {
	err = cfg.each(func(p *program) error {
		p.logf("%s: building and profiling", p.name)
		cpu := filepath.Join(p.work, "cpu.pprof")
		if err := errors.Join(p.pepbuild(exactBuild, "-pepmode=exact"), p.pepbuild(pollsBuild), p.profileCPU(cpu)); err != nil {
			return err
		}
		paths, exact, err := p.edgesFile(exactBuild, "PEPOPTS=")
		if err != nil {
			return err
		}
		_, sampled, err := p.edgesFile(pollsBuild, PEP.env())
		if err != nil {
			return err
		}
		g, err := graphsOf(p.exe(exactBuild))
		if err != nil {
			return err
		}
		counts, err := g.edgeCounts(paths)
		if err != nil {
			return err
		}
		r := Guided{Program: p.name}
		for _, way := range []struct{ name, file string }{{"none", ""}, {"exact edges", exact}, {"sampled edges", sampled}, {"CPU profile", cpu}} {
			build := pollsBuild
			if way.file != "" {
				build = guidedBuild
				p.logf("%s: building with %s", p.name, way.name)
				if err := p.pepbuild(build, "-pepguide="+way.file); err != nil {
					if strings.Contains(err.Error(), "samples or more") {
						p.logf("%s: the run was too short for a CPU profile that guides: %v", p.name, err)
						continue
					}
					return err
				}
			}
			n, err := numbered(p.exe(build), counts)
			if err != nil {
				return err
			}
			n.Guide = way.name
			r.Numbered = append(r.Numbered, n)
		}
		all = append(all, r)
		return nil
	})
	return all, err
}

// edgesFile runs a build, and returns its paths and a file with its edges.
func (p *program) edgesFile(build string, env ...string) (paths []profile.Path, name string, err error) {
	out, err := os.MkdirTemp(p.work, "guide")
	if err != nil {
		return nil, "", err
	}
	r, err := start(out, append(env, "PEPDIR="+out), p.exe(build), p.scale())
	if err == nil && r.Code != 0 {
		err = fmt.Errorf("%s exits with code %d", p.exe(build), r.Code)
	}
	if err != nil {
		return nil, "", err
	}
	names, err := filepath.Glob(filepath.Join(out, "*.edges.pb.gz"))
	if err != nil || len(names) != 1 {
		return nil, "", errors.Join(err, fmt.Errorf("%d profiles of edges of one run, want 1", len(names)))
	}
	f, err := profile.Open(strings.Replace(names[0], ".edges.", ".paths.", 1))
	if err != nil {
		return nil, "", err
	}
	paths, err = f.Paths()
	return paths, names[0], err
}

// numbered judges the numbering of an executable by how often each edge was taken.
func numbered(exe string, counts map[profile.Func][][]uint64) (n Numbered, err error) {
	f, err := executable.Open(exe)
	if err != nil {
		return n, err
	}
	for _, pkg := range f.Packages {
		for i := range pkg.Funcs {
			fn := &pkg.Funcs[i]
			if c := counts[profile.Func{Name: fn.Name, File: pkg.Files[fn.File], StartLine: int64(fn.Line)}]; c != nil {
				n.add(fn, c)
			}
		}
	}
	if all := n.Branches.all + n.Switches.all; all > 0 {
		n.Adds /= all
	}
	return n, nil
}

// add adds a function whose edges were taken as often as counts say, by node and out-edge.
func (n *Numbered) add(fn *wire.Func, counts [][]uint64) {
	adds := placement.Adds(&fn.Graph)
	for i, block := range fn.Blocks {
		edges := fn.Graph.Nodes[i].Out
		if len(edges) < 2 {
			continue
		}
		var all, zero, most uint64
		for j, c := range counts[i] {
			all += c
			most = max(most, c)
			if edges[j].Val == 0 && !edges[j].Dead {
				zero = max(zero, c)
			}
			if adds[i][j] {
				n.Adds += float64(c)
			}
		}
		s := &n.Branches
		if strings.HasSuffix(block.Branch.Kind, "switch") {
			s = &n.Switches
		}
		s.all += float64(all)
		if zero == most {
			s.of += float64(all)
		}
	}
}

// GuideTables returns the results as a Markdown table.
func GuideTables(all []Guided) string {
	t := newTable("program", "guide", "branches", "switches", "increments")
	for _, g := range all {
		for _, n := range g.Numbered {
			t.row(g.Program, n.Guide, n.Branches.String(), n.Switches.String(), fmt.Sprintf("%.3f", n.Adds))
		}
	}
	return section("Numbering with a guide", "Executions of branches and of switches whose hottest edge has Val 0, and increments of a register whose value the compiler does not know, for each execution of either.", t)
}
