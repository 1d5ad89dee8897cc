package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	var usage usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "pepsim:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "pepsim:", err)
		os.Exit(1)
	}
}

// A usageError is a command line that makes no sense.
type usageError struct{ error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// A command is a verb of pepsim. Its name and flags are described in usage.go.
type command struct {
	name string
	run  func(c *call) error
}

var commands = []command{
	{"run", replayTraces},
	{"figure", figures},
	{"trace record", record},
	{"trace info", info},
	{"trace print", printText},
	{"trace parse", parseText},
	{"trace filter", filter},
	{"trace merge", merge},
	{"version", version},
}

// A call is a command being run.
type call struct {
	flags          *flag.FlagSet
	args           []string // all of them before parse, those after the flags behind it
	stdin          io.Reader
	stdout, stderr io.Writer
}

// errHelp ends a command that was asked for its usage.
var errHelp = errors.New("help")

// parse parses the flags that the command has defined and checks the number
// of arguments after them; at most -1 is any number.
func (c *call) parse(least, most int) error {
	err := c.flags.Parse(c.args)
	if errors.Is(err, flag.ErrHelp) {
		return errHelp
	}
	if err != nil {
		return usagef("%s: %w; see pepsim help %s", c.flags.Name(), err, c.flags.Name())
	}
	c.args = c.flags.Args()
	if n := len(c.args); n < least || most >= 0 && n > most {
		return usagef("%s: wrong number of arguments: usage: %s", c.flags.Name(), synopsis(c.flags.Name()))
	}
	return nil
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return usagef("no command")
	}
	name, args := verb(args)
	switch name {
	case "help", "-h", "-help", "--help":
		return help(args, stdout)
	}
	for _, cmd := range commands {
		if cmd.name != name {
			continue
		}
		flags := flag.NewFlagSet(name, flag.ContinueOnError)
		flags.SetOutput(io.Discard) // the error has all that is to say
		flags.Usage = func() {}
		err := cmd.run(&call{flags, args, stdin, stdout, stderr})
		if errors.Is(err, errHelp) {
			return help([]string{name}, stdout)
		}
		return err
	}
	return usagef("unknown command %q: pepsim help lists the commands", name)
}

// verb splits off the name of a command; those of traces have two words.
func verb(args []string) (name string, rest []string) {
	if args[0] == "trace" && len(args) > 1 {
		return "trace " + args[1], args[2:]
	}
	return args[0], args[1:]
}
