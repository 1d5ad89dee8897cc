package main

// This file holds the commands that handle traces.

import (
	"errors"
	"fmt"
	"io"

	recording "github.com/pepgo/pep/cmd/pepsim/record"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/input"
)

// open opens traces; "-" is the standard input. They stay open until the end.
func open(c *command.Call, names []string) (traces []*trace.Reader, err error) {
	for _, name := range names {
		r, err := trace.Open(name, c.Stdin)
		if err != nil {
			return nil, err
		}
		traces = append(traces, r)
	}
	return traces, nil
}

// one parses a command line with one trace and opens that.
func one(c *command.Call) (*trace.Reader, error) {
	if err := c.Parse(1, 1); err != nil {
		return nil, err
	}
	return trace.Open(c.Args[0], c.Stdin)
}

// write calls do to write a file; "-" is the standard output.
func write(c *command.Call, name string, do func(io.Writer) error) error {
	switch name {
	case "":
		return command.Usagef("%s: no -o: usage: %s", c.Flags.Name(), c.Synopsis())
	case "-":
		return do(c.Stdout)
	}
	return trace.Save(name, do)
}

func printText(c *command.Call) error {
	f := &trace.Filter{}
	f.Flags(c.Flags)
	bare := c.Flags.Bool("bare", false, "")
	r, err := one(c)
	if err != nil {
		return err
	}
	t := f.List(r, *bare)
	return errors.Join(c.Print(t, nil), t.Err())
}

func info(c *command.Call) error {
	r, err := one(c)
	if err != nil {
		return err
	}
	t, err := trace.Info(r)
	return errors.Join(err, c.Print(t, nil))
}

func filter(c *command.Call) error {
	f := &trace.Filter{}
	f.Flags(c.Flags)
	out := c.Flags.String("o", "", "")
	r, err := one(c)
	if err != nil {
		return err
	}
	return write(c, *out, func(w io.Writer) error { return f.Copy(w, r) })
}

func merge(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	differ := c.Flags.Bool("differ", false, "")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	traces, err := open(c, c.Args)
	if err != nil {
		return err
	}
	return write(c, *out, func(w io.Writer) error { return trace.Merge(w, traces, *differ) })
}

func parseText(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	if err := c.Parse(1, 1); err != nil {
		return err
	}
	in := c.Stdin
	if name := c.Args[0]; name != "-" {
		f, err := input.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	return write(c, *out, func(w io.Writer) error {
		if err := trace.Parse(w, in); err != nil {
			return fmt.Errorf("%s: %w", c.Args[0], err)
		}
		return nil
	})
}

func record(c *command.Call) error {
	out := c.Flags.String("o", "pep.trace", "")
	skip := c.Flags.Uint64("from", 0, "")
	n := c.Flags.Uint64("n", 0, "")
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	if *skip > 0 && *n == 0 {
		return command.Usagef("%s: -from needs -n: usage: %s", c.Flags.Name(), c.Synopsis())
	}
	program := recording.Command{Args: c.Args, Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr}
	return program.Run(*out, *skip, *n)
}
