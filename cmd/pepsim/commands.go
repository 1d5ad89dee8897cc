package main

// This file holds the commands that run engines.

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"strings"

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/figure"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/strat"
	"github.com/pepgo/pep/hwsim/trace"
)

func replayTraces(c *call) error {
	config := replay.Config{Overhead: cost.Default}
	c.flags.Func("engine", "", func(spec string) error {
		config.Engines = append(config.Engines, spec)
		return nil
	})
	c.flags.Float64Var(&config.Overhead.PerEvent, "cycles", config.Overhead.PerEvent, "")
	c.flags.Uint64Var(&config.Limit, "n", 0, "")
	top := c.flags.Int("top", 10, "")
	asCSV := c.flags.Bool("csv", false, "")
	if err := c.parse(1, -1); err != nil {
		return err
	}
	if config.Engines == nil {
		config.Engines = []string{"R256", "H[P256]2048"}
	}
	for _, e := range config.Engines {
		if _, err := strat.ParseSpec(e); err != nil {
			return usagef("run: %w", err)
		}
	}
	if config.Overhead.PerEvent <= 0 {
		return usagef("run: -cycles %v: want a positive number", config.Overhead.PerEvent)
	}
	traces, err := c.open(c.args)
	if err != nil {
		return err
	}
	if err := trace.SameBuild(traces); err != nil {
		return err
	}
	results, err := replay.Run(replay.Of(traces...), config)
	if *asCSV {
		return errors.Join(err, replay.CSV(c.stdout, results))
	}
	if len(results) > 0 && results[0].Events > 0 {
		err = errors.Join(err, replay.Table(c.stdout, results))
		names := trace.Names{}
		for _, t := range traces {
			maps.Copy(names, t.Names)
		}
		for _, r := range results {
			if *top > 0 {
				fmt.Fprintln(c.stdout)
				err = errors.Join(err, replay.Top(c.stdout, r, *top, traces[0].Sites, names))
			}
		}
	}
	return err
}

func figures(c *call) error {
	env := &figure.Env{Overhead: cost.Default}
	dir := c.flags.String("traces", "build/traces", "")
	out := c.flags.String("o", "docs/figures", "")
	c.flags.Uint64Var(&env.Events, "n", 16_000_000, "")
	c.flags.IntVar(&env.Permutations, "permutations", 2500, "")
	c.flags.Uint64Var(&env.Seed, "seed", 1, "")
	c.flags.Float64Var(&env.Overhead.PerEvent, "cycles", env.Overhead.PerEvent, "")
	command := strings.Join(append([]string{"pepsim figure"}, c.args...), " ")
	if err := c.parse(1, 1); err != nil {
		return err
	}
	env.Source = figure.Files(*dir)
	chosen := figure.All
	if id := c.args[0]; id != "all" {
		f, ok := figure.Find(id)
		if !ok {
			return usagef("figure: unknown figure %q: pepsim help figure lists them", id)
		}
		chosen = []figure.Figure{f}
	}
	fmt.Fprintf(c.stdout, "$ %s\n", command)
	var all error
	for _, f := range chosen {
		res, err := f.Run(env)
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		fmt.Fprintln(c.stdout)
		names, err := res.Save(*out)
		all = errors.Join(all, err, res.Print(c.stdout))
		fmt.Fprintf(c.stdout, "plots: %s\n", strings.Join(names, " "))
	}
	return all
}

func version(c *call) error {
	if err := c.parse(0, 0); err != nil {
		return err
	}
	v, goVersion := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		v, goVersion = cmp.Or(info.Main.Version, v), info.GoVersion
	}
	_, err := fmt.Fprintln(c.stdout, "pepsim", v, goVersion)
	return err
}
