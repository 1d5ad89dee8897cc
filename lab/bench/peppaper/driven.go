package peppaper

// This file builds programs with profiles of edges that the compiler lays them out by.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/bench/beginnings"
	"github.com/pepgo/pep/lab/bench/programs"
)

// drive builds p without a profile and with three. These are exact profiles of edges of a run with the whole workload:
// of the first tenth of its CPU time, of all of it, and of all of it with the outcomes flipped.
func drive(p *programs.Program) error {
	if err := errors.Join(p.BuildByProfile(programs.Plain, 1, "off", ""),
		p.BuildInstrumented(programs.Exact, "-pepmode=exact")); err != nil {
		return err
	}
	full := p.Scaled(100)
	_, whole, err := full.EdgesFile(programs.Exact, programs.Defaults)
	if err != nil {
		return err
	}
	all, err := os.ReadFile(whole)
	if err != nil {
		return err
	}
	first, err := beginnings.First(full, 0.1)
	if err != nil {
		return err
	}
	flipped, err := flip(all)
	if err != nil {
		return err
	}
	for _, b := range []struct {
		build string
		edges []byte
	}{{onceBuild, first}, {wholeBuild, all}, {flippedBuild, flipped}} {
		name := filepath.Join(p.Work, b.build+".edges.pb.gz")
		if err := os.WriteFile(name, b.edges, 0o666); err != nil {
			return err
		}
		p.Logf("%s: building, %s", p.Name, b.build)
		if err := p.BuildByProfile(b.build, 1, "off", name); err != nil {
			return err
		}
	}
	return nil
}

// opposite are the outcomes of branches that have two.
var opposite = map[string]string{"true": "false", "false": "true", "body": "done", "done": "body"}

// flip gives each outcome of a profile of edges the count of the opposite one. Of a branch with more of them, the
// outcome with the k-th highest count gets the k-th lowest of those that the profile has.
func flip(edges []byte) ([]byte, error) {
	f, err := pprof.ParseData(edges)
	if err != nil {
		return nil, err
	}
	branches := make(map[string][]*pprof.Sample)
	for _, s := range f.Sample {
		if o, ok := opposite[strings.Join(s.Label[schema.Outcome], "")]; ok {
			s.Label[schema.Outcome] = []string{o}
			continue
		}
		name := fmt.Sprint(s.Location[0].Line[0].Function.ID, s.Label[schema.Branch])
		branches[name] = append(branches[name], s)
	}
	for _, list := range branches {
		slices.SortStableFunc(list, func(a, b *pprof.Sample) int { return cmp.Compare(a.Value[0], b.Value[0]) })
		for i, last := 0, len(list)-1; i < last; i, last = i+1, last-1 {
			list[i].Value, list[last].Value = list[last].Value, list[i].Value
		}
	}
	var b bytes.Buffer
	err = f.Write(&b)
	return b.Bytes(), err
}
