package main

// This file holds the commands that run engines.

import (
	"errors"
	"os"
	"strings"
	"time"

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/engines"
	"github.com/pepgo/pep/hwsim/figure"
	"github.com/pepgo/pep/hwsim/profiles"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/progress"
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
	quiet := c.Flags.Bool("quiet", false, "")
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
	bar := progress.New(c.Stderr, trace.Total(traces, config.Limit), *quiet)
	config.Progress = bar.At
	results, err := replay.Run(replay.Of(traces...), config)
	bar.End()
	names := trace.AllNames(traces)
	if *prefix != "" && err == nil {
		traces[0].Names = names
		err = messages.Save(*prefix, traces[0], "replay, engine "+results[0].Spec.String())
	}
	table := replay.Table(results, *top, traces[0].Sites, names)
	if *asCSV {
		return errors.Join(err, table.CSV(c.Stdout))
	}
	return errors.Join(err, c.Print(table, nil))
}

func figures(c *command.Call) error {
	env := &figure.Env{Overhead: cost.Default}
	dir := c.Flags.String("traces", "build/traces", "")
	out := c.Flags.String("o", "docs/figures", "")
	page := c.Flags.String("page", "", "")
	c.Flags.Uint64Var(&env.Events, "n", 16_000_000, "")
	c.Flags.IntVar(&env.Permutations, "permutations", 2500, "")
	c.Flags.Uint64Var(&env.Seed, "seed", 1, "")
	c.Flags.IntVar(&env.Seeds, "seeds", 10, "")
	c.Flags.Float64Var(&env.Overhead.PerEvent, "cycles", env.Overhead.PerEvent, "")
	line := strings.Join(append([]string{"pepsim figure"}, c.Args...), " ")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	env.Source, env.Sites, env.Functions = figure.Files(*dir), figure.Sites(*dir), figure.Layouts(*dir)
	chosen, err := figure.Choose(c.Args)
	if err != nil {
		return command.Usagef("figure: %w", err)
	}
	if err := figure.CheckPage(*page, chosen); err != nil {
		return command.Usagef("figure: -page: %w", err)
	}
	var failed error
	document := figure.Page{Command: line, Date: time.Now().Format(time.DateOnly)}
	err = c.Print(&figure.Listing{Command: line, Figures: document.Collect(figure.Run(chosen, env, *out, &failed))}, nil)
	return document.Save(*page, errors.Join(err, failed))
}
