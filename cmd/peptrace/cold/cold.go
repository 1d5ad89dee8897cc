//go:build linux && amd64

// Package cold holds the command cold of peptrace.
//
//	{Name: "cold", Usage: coldUsage, Run: cold.Run, Lists: true}
package cold

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/terminal"
	"github.com/pepgo/pep/tracer"
)

// Run is the command.
func Run(c *command.Call) error {
	q := tracer.ColdRequest{}
	c.Flags.IntVar(&q.PID, "p", 0, "")
	c.Flags.StringVar(&q.All, "a", "", "")
	c.Flags.DurationVar(&q.Time, "d", 0, "")
	c.Flags.BoolVar(&q.Careful, "careful", false, "")
	c.Flags.StringVar(&q.Out, "o", "", "")
	scope := c.OneOf("pkg", string(cold.Modules), string(cold.Std), string(cold.All))
	n := c.Number("n", 10, "functions")
	profile := c.Flags.String("coverprofile", "", "")
	lcov := c.Flags.String("lcov", "", "")
	sourcePath := c.Flags.String("source_path", "", "")
	tableFile := c.Flags.String("table", "", "")
	if err := c.Parse(0, -1); err != nil {
		return err
	}
	q.Scope = cold.Scope(*scope)
	if len(c.Args) > 0 {
		q.Program = exec.Command(c.Args[0], c.Args[1:]...)
		q.Program.Stdin, q.Program.Stdout, q.Program.Stderr = c.Stdin, c.Stdout, c.Stderr
		if c.JSON() {
			q.Program.Stdout = c.Stderr
		}
	}
	if err := q.Check(); err != nil {
		return command.Usagef("cold: %w", err)
	}
	var table cold.BranchTable
	if *tableFile != "" {
		var err error
		if table, err = cold.ReadTable(*tableFile); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// A late ^C does not end the command either: what it saw cannot be seen again, so it is written in any case.
	defer terminal.Forward(q.Program, cancel)()
	d, err := tracer.Cold(ctx, q, func(probes int) { c.Note("%s; ^C ends", listing.Count(probes, "probe")) })
	if err != nil {
		return err
	}
	var ended error
	if q.Program != nil {
		ended = q.Program.Wait()
	}
	if table != nil {
		err = d.Decide(table)
	}
	coverage := d.Coverage(source.NewTree(cold.SourcePath(*sourcePath)))
	for name, write := range map[string]func(io.Writer) error{*profile: coverage.WriteProfile, *lcov: coverage.WriteLCOV} {
		if name != "" {
			err = errors.Join(err, command.WriteFile(name, write))
		}
	}
	if err := errors.Join(c.Print(cold.NewTable(d, *n), nil), err); err != nil {
		return err
	}
	return exitOf(ended)
}

// exitOf makes the exit code of a program that of the command.
func exitOf(err error) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	if exit.ExitCode() < 0 {
		return fmt.Errorf("the program: %w", err)
	}
	return command.Exit(exit.ExitCode())
}
