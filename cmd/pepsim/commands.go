package main

// This file holds the commands that run engines.

import (
	"errors"
	"maps"
	"os"
	"strings"

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/figure"
	"github.com/pepgo/pep/hwsim/profiles"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/internal/command"
)

func replayTraces(c *command.Call) error {
	config := replay.Config{Overhead: cost.Default}
	c.Flags.Func("engine", "", func(spec string) error {
		config.Engines = append(config.Engines, spec)
		return nil
	})
	c.Flags.Float64Var(&config.Overhead.PerEvent, "cycles", config.Overhead.PerEvent, "")
	c.Flags.Uint64Var(&config.Limit, "n", 0, "")
	top := c.Flags.Int("top", 10, "")
	asCSV := c.Flags.Bool("csv", false, "")
	prefix := c.Flags.String("profiles", "", "")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	if config.Engines == nil {
		config.Engines = []string{"R256", "H[P256]2048"}
	}
	for _, e := range config.Engines {
		if _, err := engines.Parse(e, os.ReadFile); err != nil {
			return command.Usagef("run: %w", err)
		}
	}
	if *asCSV && c.JSON() {
		return command.Usagef("run: -csv and -json are two forms: choose one")
	}
	messages := profiles.New()
	if *prefix != "" {
		if len(config.Engines) != 1 {
			return command.Usagef("run: -profiles %s is for the messages of one engine: give one -engine", *prefix)
		}
		config.Messages = messages.Add
	}
	if config.Overhead.PerEvent <= 0 {
		return command.Usagef("run: -cycles %v: want a positive number", config.Overhead.PerEvent)
	}
	traces, err := open(c, c.Args)
	if err != nil {
		return err
	}
	if err := trace.SameBuild(traces); err != nil {
		return err
	}
	results, err := replay.Run(replay.Of(traces...), config)
	names := trace.Names{}
	for _, t := range traces {
		maps.Copy(names, t.Names)
	}
	if *prefix != "" && err == nil {
		traces[0].Names = names
		err = writeProfiles(messages, traces[0], *prefix, results[0])
	}
	table := replay.Table(results, *top, traces[0].Sites, names)
	if *asCSV {
		return errors.Join(err, table.CSV(c.Stdout))
	}
	return errors.Join(err, c.Print(table, nil))
}

// writeProfiles writes the messages of an engine to PREFIX.KIND.pb.gz, a file for each kind.
func writeProfiles(messages *profiles.Collector, t *trace.Reader, prefix string, r *replay.Result) error {
	files, err := messages.Files(t, "replay, engine "+r.Spec.String())
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(prefix+"."+f.Kind+".pb.gz", f.Data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func figures(c *command.Call) error {
	env := &figure.Env{Overhead: cost.Default}
	dir := c.Flags.String("traces", "build/traces", "")
	out := c.Flags.String("o", "docs/figures", "")
	c.Flags.Uint64Var(&env.Events, "n", 16_000_000, "")
	c.Flags.IntVar(&env.Permutations, "permutations", 2500, "")
	c.Flags.Uint64Var(&env.Seed, "seed", 1, "")
	c.Flags.Float64Var(&env.Overhead.PerEvent, "cycles", env.Overhead.PerEvent, "")
	line := strings.Join(append([]string{"pepsim figure"}, c.Args...), " ")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	env.Source, env.Sites, env.Functions = figure.Files(*dir), figure.Sites(*dir), figure.Layouts(*dir)
	var chosen []figure.Figure
	for _, id := range c.Args {
		f, ok := figure.Find(id)
		switch {
		case id == "all":
			chosen = append(chosen, figure.All...)
		case ok:
			chosen = append(chosen, f)
		default:
			return command.Usagef("figure: unknown figure %q: pepsim help figure lists them", id)
		}
	}
	var all error
	run := func(yield func(*figure.Result) bool) {
		for _, f := range chosen {
			res, err := f.Run(env)
			if err != nil {
				all = errors.Join(all, err)
				continue
			}
			all = errors.Join(all, res.Save(*out))
			if !yield(res) {
				return
			}
		}
	}
	err := c.Print(&figure.Listing{Command: line, Figures: run}, nil)
	return errors.Join(all, err)
}
