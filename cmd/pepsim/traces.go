package main

// This file holds the commands that handle traces.

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pepgo/pep/hwsim/trace"
	recording "github.com/pepgo/pep/internal/record"
)

// open opens traces; "-" is the standard input. They stay open until the end.
func (c *call) open(names []string) (traces []*trace.Reader, err error) {
	for _, name := range names {
		r, err := trace.Open(name, c.stdin)
		if err != nil {
			return nil, err
		}
		traces = append(traces, r)
	}
	return traces, nil
}

// one parses a command line with one trace and opens that.
func (c *call) one() (*trace.Reader, error) {
	if err := c.parse(1, 1); err != nil {
		return nil, err
	}
	return trace.Open(c.args[0], c.stdin)
}

// write calls do to write a file; "-" is the standard output.
func (c *call) write(name string, do func(io.Writer) error) error {
	switch name {
	case "":
		return usagef("%s: no -o: usage: %s", c.flags.Name(), synopsis(c.flags.Name()))
	case "-":
		return do(c.stdout)
	}
	return trace.Save(name, do)
}

func printText(c *call) error {
	f := &trace.Filter{}
	f.Flags(c.flags)
	bare := c.flags.Bool("bare", false, "")
	r, err := c.one()
	if err != nil {
		return err
	}
	return f.Print(c.stdout, r, *bare)
}

func info(c *call) error {
	r, err := c.one()
	if err != nil {
		return err
	}
	return trace.Info(c.stdout, r)
}

func filter(c *call) error {
	f := &trace.Filter{}
	f.Flags(c.flags)
	out := c.flags.String("o", "", "")
	r, err := c.one()
	if err != nil {
		return err
	}
	return c.write(*out, func(w io.Writer) error { return f.Copy(w, r) })
}

func merge(c *call) error {
	out := c.flags.String("o", "", "")
	differ := c.flags.Bool("differ", false, "")
	if err := c.parse(1, -1); err != nil {
		return err
	}
	traces, err := c.open(c.args)
	if err != nil {
		return err
	}
	return c.write(*out, func(w io.Writer) error { return trace.Merge(w, traces, *differ) })
}

func parseText(c *call) error {
	out := c.flags.String("o", "", "")
	if err := c.parse(1, 1); err != nil {
		return err
	}
	in := c.stdin
	if name := c.args[0]; name != "-" {
		f, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s: no such file", name)
		}
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	return c.write(*out, func(w io.Writer) error {
		if err := trace.Parse(w, in); err != nil {
			return fmt.Errorf("%s: %w", c.args[0], err)
		}
		return nil
	})
}

func record(c *call) error {
	out := c.flags.String("o", "pep.trace", "")
	n := c.flags.Uint64("n", 0, "")
	if err := c.parse(1, -1); err != nil {
		return err
	}
	program := recording.Command{Args: c.args, Stdin: c.stdin, Stdout: c.stdout, Stderr: c.stderr}
	return program.Run(*out, *n)
}
