package main

// This file is the verb paper.

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/lab/figure"
	"github.com/pepgo/pep/lab/figure/copfigures"
	"github.com/pepgo/pep/lab/figure/pepfigures"
	"github.com/pepgo/pep/lab/figure/rapfigures"
	"github.com/pepgo/pep/lab/figure/stratfigures"
	"github.com/pepgo/pep/lab/figure/vsampfigures"
)

// besides are the papers that have a page of claims.
var besides = []*figure.Beside{&copfigures.Beside, &rapfigures.Beside, &stratfigures.Beside, &vsampfigures.Beside,
	&pepfigures.Beside}

// paper is the verb paper.
func paper(c *command.Call) error {
	env := &figure.Env{}
	again := c.Flags.Bool("again", false, "")
	dir := c.Flags.String("traces", "../build/traces", "")
	out := c.Flags.String("o", "results", "")
	numbers := c.Flags.String("numbers", "../build/papers", "")
	loads := c.Flags.Uint64("loads", 0, "")
	c.Flags.StringVar(&env.Lines, "lines", "../build/pep", "")
	c.Flags.Uint64Var(&env.Seed, "seed", 1, "")
	line := strings.Join(append([]string{"figures paper"}, c.Args...), " ")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	env.Source, env.Sites, env.Layout = figure.Files(*dir), figure.Sites(*dir), figure.Layouts(*dir)
	env.Results = *out
	for _, name := range c.Args {
		i := slices.IndexFunc(besides, func(b *figure.Beside) bool { return b.Name == name })
		if i < 0 {
			return command.Usagef("paper: unknown paper %q: figures help paper lists them", name)
		}
		file := filepath.Join(*numbers, name+".txt")
		if !*again {
			m := &figure.Measured{Header: []string{line,
				fmt.Sprintf("commit %s, %s", commit(), time.Now().Format(time.DateOnly))}}
			env.Loads = cmp.Or(*loads, besides[i].Loads)
			if err := besides[i].Measure(env, m); err != nil {
				return err
			}
			if err := os.MkdirAll(*numbers, 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(file, []byte(m.String()), 0o644); err != nil {
				return err
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		m, err := figure.ParseMeasured(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		page, err := besides[i].Page(m)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		details, err := besides[i].Details(m)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(filepath.Join(*numbers, name+".md"), []byte(details), 0o644); err != nil {
			return err
		}
		pageFile := filepath.Join(*out, "paper-"+name+".md")
		if err := os.WriteFile(pageFile, []byte(page), 0o644); err != nil {
			return err
		}
		first, _, _ := strings.Cut(page[strings.Index(page, "\n\n")+2:], "\n\n")
		fmt.Fprintf(c.Stdout, "%s: %s\n", pageFile, strings.ReplaceAll(first, "\n", " "))
	}
	return nil
}

// commit is the commit of the working directory, "-dirty" if files have changed since.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
