package main

// This file holds the commands that handle traces.

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/pepgo/pep/hwsim/trace"
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

// write calls do to write to a file, under a temporary name until it is whole;
// "-" is the standard output. What is there in spite of an error stays.
func (c *call) write(name string, do func(io.Writer) error) error {
	switch name {
	case "":
		return usagef("%s: no -o: usage: %s", c.flags.Name(), synopsis(c.flags.Name()))
	case "-":
		return do(c.stdout)
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".pepsim-*")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = do(w)
	size, serr := f.Seek(0, io.SeekCurrent)
	err = errors.Join(err, serr, w.Flush(), f.Chmod(0o644), f.Close())
	if err != nil && size == 0 && w.Size() == w.Available() {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return errors.Join(err, os.Rename(f.Name(), name))
}

// filterFlags defines the flags that say which tuples are kept.
func (c *call) filterFlags() *trace.Filter {
	f := &trace.Filter{}
	c.flags.Func("tag", "", func(s string) error {
		for name := range strings.SplitSeq(s, ",") {
			tag, err := trace.ParseTag(name)
			if err != nil {
				return err
			}
			f.Tags = append(f.Tags, tag)
		}
		return nil
	})
	c.flags.Func("stream", "", func(s string) error {
		for name := range strings.SplitSeq(s, ",") {
			n, err := strconv.ParseUint(name, 10, 32)
			if err != nil {
				return fmt.Errorf("stream %q: want a number", name)
			}
			f.Streams = append(f.Streams, uint32(n))
		}
		return nil
	})
	c.flags.Func("func", "", func(s string) (err error) {
		f.Func, err = regexp.Compile(s)
		return err
	})
	c.flags.Uint64Var(&f.From, "from", 0, "")
	c.flags.Uint64Var(&f.To, "to", 0, "")
	c.flags.Uint64Var(&f.First, "n", 0, "")
	return f
}

func printText(c *call) error {
	f := c.filterFlags()
	if err := c.parse(1, 1); err != nil {
		return err
	}
	r, err := c.open(c.args)
	if err != nil {
		return err
	}
	return f.Print(c.stdout, r[0])
}

func info(c *call) error {
	if err := c.parse(1, 1); err != nil {
		return err
	}
	r, err := c.open(c.args)
	if err != nil {
		return err
	}
	return trace.Info(c.stdout, r[0])
}

func filter(c *call) error {
	f := c.filterFlags()
	out := c.flags.String("o", "", "")
	if err := c.parse(1, 1); err != nil {
		return err
	}
	r, err := c.open(c.args)
	if err != nil {
		return err
	}
	return c.write(*out, func(w io.Writer) error { return f.Copy(w, r[0]) })
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

// record runs a program with PEPOPTS as the user has set it and the name of the
// trace in addition.
func record(c *call) error {
	out := c.flags.String("o", "pep.trace", "")
	n := c.flags.Uint64("n", 0, "")
	if err := c.parse(1, -1); err != nil {
		return err
	}
	name, err := filepath.Abs(*out)
	if err != nil {
		return err
	}
	if strings.Contains(name, ",") {
		return usagef("trace record: -o %s: PEPOPTS is separated by commas, so a name cannot have one", name)
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.stdin, c.stdout, c.stderr
	cmd.Env = append(os.Environ(), "PEPOPTS="+options(os.Getenv("PEPOPTS"), name, *n))
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", c.args[0], err)
	}
	if _, err := os.Stat(name); err != nil {
		return fmt.Errorf("%s has written no trace: programs do that if pepbuild has built them with -peptaps", c.args[0])
	}
	return nil
}

// options returns PEPOPTS with the settings of a trace instead of those it has.
func options(set, name string, n uint64) string {
	var list []string
	for s := range strings.SplitSeq(set, ",") {
		if s != "" && !strings.HasPrefix(s, "trace=") && !strings.HasPrefix(s, "tracemax=") {
			list = append(list, s)
		}
	}
	list = append(list, "trace="+name)
	if n > 0 {
		list = append(list, "tracemax="+strconv.FormatUint(n, 10))
	}
	return strings.Join(list, ",")
}
