package bench

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
	"syscall"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/schema"
)

// drive builds p without a profile and with three. These are exact profiles of edges of a run with the whole workload: of
// the first tenth of its CPU time, of all of it, and of all of it with the outcomes flipped.
func (p *program) drive() error {
	if err := errors.Join(p.inPGOLayouts(plainBuild, 1, "off", ""), p.pepbuild(exactBuild, "-pepmode=exact")); err != nil {
		return err
	}
	cfg := *p.Config
	cfg.Scale = 100
	full := &program{&cfg, p.name, p.dir, p.work}
	_, whole, err := full.edgesFile(exactBuild, defaults)
	if err != nil {
		return err
	}
	all, err := os.ReadFile(whole)
	if err != nil {
		return err
	}
	first, err := full.beginning(0.1)
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
		name := filepath.Join(p.work, b.build+".edges.pb.gz")
		if err := os.WriteFile(name, b.edges, 0o666); err != nil {
			return err
		}
		p.logf("%s: building, %s", p.name, b.build)
		if err := p.inPGOLayouts(b.build, 1, "off", name); err != nil {
			return err
		}
	}
	return nil
}

// opposite are the outcomes of branches that have two.
var opposite = map[string]string{"true": "false", "false": "true", "body": "done", "done": "body"}

// flip gives each outcome of a profile of edges the count of the opposite one. Of a branch with more of them, the outcome
// with the k-th highest count gets the k-th lowest of those that the profile has.
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

// beginning returns the profile of the edges of the first part of an exact run, by CPU time.
func (p *program) beginning(share float64) (edges []byte, err error) {
	r, _, err := p.runVariant(Variant{"", exactBuild, []string{defaults}}, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp(p.work, "out")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	cmd := p.command(out, exactBuild, defaults)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
	}()
	for edges == nil {
		used, state, err := status(cmd.Process.Pid)
		if err != nil {
			return nil, err
		}
		if state == ended {
			return nil, fmt.Errorf("the run ended before its first %s: raise -scale", whole(share))
		}
		if float64(used) < share*float64(r.CPU) {
			time.Sleep(time.Millisecond)
			continue
		}
		if edges, err = stopped(cmd.Process, "edges"); err != nil {
			return nil, err
		}
	}
	return edges, nil
}
