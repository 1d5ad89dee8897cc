package bench

// This file builds programs with profiles of calls for go build -pgo.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/pepgo/pep/analyze/pgo"
	"github.com/pepgo/pep/analyze/profile"
)

// drive builds p without a profile and with three. These are what pep pgo makes of a sampled run with the whole workload: of
// the first tenth of its CPU time, of all of it, and of all of it with the weights flipped.
func (p *program) drive() error {
	if err := errors.Join(p.plain(plainBuild, "-pgo=off"), p.pepbuild(sampleBuild)); err != nil {
		return err
	}
	cfg := *p.Config
	cfg.Scale = 100 // a tenth of a shorter run has few ticks
	full := &program{&cfg, p.name, p.dir, p.work}
	c, err := full.profile(sampleBuild, PEP.env())
	if err != nil {
		return err
	}
	all, _, err := pgo.Calls(c.file)
	if err != nil {
		return err
	}
	first, err := full.beginning(0.1)
	if err != nil {
		return err
	}
	some, _, err := pgo.Calls(first)
	if err != nil {
		return err
	}
	for _, b := range []struct {
		build string
		calls []pgo.Call
	}{{onceBuild, some}, {wholeBuild, all}, {flippedBuild, flippedCalls(all)}} {
		hot, cold := pgo.Hot(b.calls, pgo.Share)
		name := filepath.Join(p.work, b.build+".pgo")
		if err := c.file.SaveStacks(name, pgo.Types, pgo.Stacks(hot, cold)); err != nil {
			return err
		}
		p.logf("%s: building with %d calls, %s", p.name, len(hot), b.build)
		if err := p.plain(b.build, "-pgo="+name); err != nil {
			return err
		}
	}
	return nil
}

// flippedCalls gives each call the weight of the one that is as far from the other end of the
// list, which is sorted by weight.
func flippedCalls(calls []pgo.Call) []pgo.Call {
	r := slices.Clone(calls)
	for i := range r {
		other := calls[len(calls)-1-i]
		r[i].Count, r[i].Weight = other.Count, other.Weight
	}
	slices.Reverse(r)
	return r
}

// beginning returns the profile of the first part of a sampled run, by CPU time.
func (p *program) beginning(share float64) (*profile.File, error) {
	r, _, err := p.runVariant(Variant{"", sampleBuild, []string{PEP.env()}}, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp(p.work, "out")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	cmd := p.command(out, sampleBuild, PEP.env())
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
	}()
	var f *profile.File
	for f == nil {
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
		if f, err = stopped(cmd.Process); err != nil {
			return nil, err
		}
	}
	return f, nil
}
