package main

import (
	"errors"
	"os"
	"strings"

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/copfigures"
	"github.com/pepgo/pep/lab/figure/rapfigures"
	"github.com/pepgo/pep/lab/transistors"
)

func main() {
	os.Exit(figures.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

var figures = command.Program{
	Name:  "figures",
	Usage: usage,
	Verbs: []command.Verb{
		{Name: "run", Usage: runUsage, Run: runFigures, Lists: true},
		{Name: "paper", Usage: paperUsage, Run: paper},
		{Name: "size", Usage: sizeUsage, Run: size, Lists: true},
		{Name: "version", Usage: versionUsage, Run: command.Version},
	},
}

// size is the verb size.
func size(c *command.Call) error {
	engine := c.Flags.String("engine", "cop", "")
	if err := c.Parse(0, 0); err != nil {
		return err
	}
	t, err := transistors.Parse(*engine, os.ReadFile)
	if err != nil {
		return command.Usagef("size: %w", err)
	}
	return c.Print(t, nil)
}

// papers returns the papers in the order in which "all" runs their figures.
func papers() []figure.Paper { return []figure.Paper{rapfigures.Paper(), copfigures.Paper()} }

// runFigures is the verb run.
func runFigures(c *command.Call) error {
	env := &figure.Env{Overhead: cost.Default}
	dir := c.Flags.String("traces", "../build/traces", "")
	out := c.Flags.String("o", "results/figures", "")
	c.Flags.Uint64Var(&env.Loads, "loads", 16_000_000, "")
	c.Flags.Uint64Var(&env.Branches, "branches", 4_000_000, "")
	c.Flags.Uint64Var(&env.Seed, "seed", 1, "")
	c.Flags.IntVar(&env.Seeds, "seeds", 10, "")
	c.Flags.Float64Var(&env.Overhead.PerEvent, "cycles", env.Overhead.PerEvent, "")
	line := strings.Join(append([]string{"figures run"}, c.Args...), " ")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	env.Source, env.Sites, env.Layout = figure.Files(*dir), figure.Sites(*dir), figure.Layouts(*dir)
	chosen, err := figure.Choose(papers(), c.Args)
	if err != nil {
		return command.Usagef("run: %w", err)
	}
	var failed error
	err = c.Print(&figure.Listing{Command: line, Figures: figure.Run(chosen, env, *out, &failed)}, nil)
	return errors.Join(err, failed)
}
