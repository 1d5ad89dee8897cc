package main

// This file holds the commands that run engines.

import (
	"errors"
	"os"

	"github.com/pepgo/pep/cmd/pepsim/profiles"
	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/engines"
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
		err = messages.Save(*prefix, traces[0], results[0].Spec.String())
	}
	table := replay.Table(results, *top, traces[0].Sites, names, profiles.Value)
	if *asCSV {
		return errors.Join(err, table.CSV(c.Stdout))
	}
	return errors.Join(err, c.Print(table, nil))
}
