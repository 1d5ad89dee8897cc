// Package guides measures what a guide brings that pepbuild numbers paths by.
//
//	all, err := guides.Measure(cfg)
//	fmt.Print(guides.Tables(all))
//
// prints, without a guide and with each of three, how often a run takes edges that cost an addition.
package guides

// This file measures what a guide brings: how often the program then comes over edges with a value.

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/instrument/placement"
	"github.com/pepgo/pep/lab/bench/programs"
	"github.com/pepgo/pep/lab/markdown"
	"github.com/pepgo/pep/machine/executable"
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
		return markdown.None
	}
	return markdown.Percent(s.of / s.all)
}

// A Guided has the numberings of a program, without a guide and with several.
type Guided struct {
	Program  string
	Numbered []Numbered
}

// Measure has every program built without a guide and with the exact edges of a run, the sampled
// edges of a run, and the CPU profile of a run as its guide, all with the same workload.
func Measure(cfg *programs.Config) (all []Guided, err error) {
	err = cfg.Each(func(p *programs.Program) error {
		p.Logf("%s: building and profiling", p.Name)
		cpu := filepath.Join(p.Work, "cpu.pprof")
		if err := errors.Join(p.BuildInstrumented(programs.Exact, "-pepmode=exact"), p.BuildInstrumented(programs.Polls),
			p.ProfileCPU(cpu)); err != nil {
			return err
		}
		paths, exact, err := p.EdgesFile(programs.Exact, "PEPOPTS=")
		if err != nil {
			return err
		}
		_, sampled, err := p.EdgesFile(programs.Polls, programs.PEP.Env())
		if err != nil {
			return err
		}
		g, err := graphsOf(p.Exe(programs.Exact))
		if err != nil {
			return err
		}
		counts, err := g.edgeCounts(paths)
		if err != nil {
			return err
		}
		r := Guided{Program: p.Name}
		for _, way := range []struct{ name, file string }{{"none", ""}, {"exact edges", exact}, {"sampled edges", sampled},
			{"CPU profile", cpu}} {
			build := programs.Polls
			if way.file != "" {
				build = programs.Guided
				p.Logf("%s: building with %s", p.Name, way.name)
				if err := p.BuildInstrumented(build, "-pepguide="+way.file); err != nil {
					if strings.Contains(err.Error(), "samples or more") {
						p.Logf("%s: the run was too short for a CPU profile that guides: %v", p.Name, err)
						continue
					}
					return err
				}
			}
			n, err := numbered(p.Exe(build), counts)
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

// Tables returns the results as a Markdown table.
func Tables(all []Guided) string {
	t := markdown.NewTable("program", "guide", "branches", "switches", "increments")
	for _, g := range all {
		for _, n := range g.Numbered {
			t.Row(g.Program, n.Guide, n.Branches.String(), n.Switches.String(), fmt.Sprintf("%.3f", n.Adds))
		}
	}
	return markdown.Section("Numbering with a guide",
		"Executions of branches and of switches whose hottest edge has Val 0, and increments of a register whose value the compiler does not know, for each execution of either.", t)
}
