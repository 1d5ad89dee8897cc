package command_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pepgo/pep/internal/command"
)

func hello(c *command.Call) error {
	loud := c.Flags.Bool("loud", false, "")
	if err := c.Parse(1, 1); err != nil {
		return err
	}
	text := "Hello, " + c.Args[0]
	if *loud {
		text = strings.ToUpper(text)
	}
	_, err := fmt.Fprintln(c.Stdout, text)
	return err
}

func fail(c *command.Call) error { return fmt.Errorf("no %s", c.Flags.Name()) }

var greet = command.Program{
	Name:  "greet",
	Usage: "greet greets.\n",
	Verbs: []command.Verb{
		{Name: "hello", Usage: "greet hello [-loud] NAME\n\nGreets NAME.\n", Run: hello},
		{Name: "fail", Usage: "greet fail\n", Run: fail},
	},
}

func ExampleProgram_Run() {
	greet.Run([]string{"hello", "-loud", "World"}, os.Stdin, os.Stdout, os.Stderr)
	greet.Run([]string{"hello", "-h"}, os.Stdin, os.Stdout, os.Stderr)
	code := greet.Run([]string{"helo"}, os.Stdin, os.Stdout, os.Stdout)
	fmt.Println(code)
	// Output:
	// HELLO, WORLD
	// usage: greet hello [-loud] NAME
	//
	// Greets NAME.
	// greet: unknown command "helo": did you mean hello?
	// 2
}

// Where names of verbs have two words, all words after help are one name.
func TestRun(t *testing.T) {
	nested := greet
	nested.Verbs = []command.Verb{
		{Name: "say hello", Usage: "greet say hello NAME\n", Run: hello},
		{Name: "fail", Usage: "greet fail\n", Run: fail},
	}
	const lists = ": greet help lists the commands\n"
	for _, c := range []struct {
		program        *command.Program
		line           string
		code           int
		stdout, stderr string
	}{
		{&greet, "", 2, "", "greet greets.\ngreet: no command\n"},
		{&greet, "fail", 1, "", "greet: no fail\n"},
		{&greet, "hello", 2, "", "greet: hello: wrong number of arguments: usage: greet hello [-loud] NAME\n"},
		{&greet, "hello -x", 2, "", "greet: hello: flag provided but not defined: -x; see greet help hello\n"},
		{&greet, "hello -luod", 2, "", "greet: hello: flag provided but not defined: -luod: did you mean -loud?; see greet help hello\n"},
		{&greet, "fial", 2, "", "greet: unknown command \"fial\": did you mean fail?\n"},
		{&greet, "farewell", 2, "", "greet: unknown command \"farewell\"" + lists},
		{&greet, "help", 0, "greet greets.\n", ""},
		{&greet, "help help", 0, "greet greets.\n", ""},
		{&greet, "help fail", 0, "usage: greet fail\n", ""},
		{&greet, "help helo", 2, "", "greet: help: unknown command \"helo\": did you mean hello?\n"},
		{&greet, "help hello fail", 2, "", "greet: help: wrong number of arguments: usage: greet help [command]\n"},
		{&nested, "say hello you", 0, "Hello, you\n", ""},
		{&nested, "say", 2, "", "greet: unknown command \"say\": did you mean say hello?\n"},
		{&nested, "say bye", 2, "", `greet: unknown command "say bye"` + lists},
		{&nested, "help", 0, "greet greets.\n", ""},
		{&nested, "help say hello", 0, "usage: greet say hello NAME\n", ""},
		{&nested, "help say hello you", 2, "", "greet: help: unknown command \"say hello you\": did you mean say hello?\n"},
	} {
		var stdout, stderr bytes.Buffer
		code := c.program.Run(strings.Fields(c.line), nil, &stdout, &stderr)
		if code != c.code || stdout.String() != c.stdout || stderr.String() != c.stderr {
			t.Errorf("greet %s: got %d, %q, %q, want %d, %q, %q", c.line, code, &stdout, &stderr, c.code, c.stdout, c.stderr)
		}
	}
}

// Errors are lines that a terminal shows: one each of several, none without end.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("a\x1b[2J\nb"), "greet: a\\x1b[2J\\nb\n"},
		{errors.Join(errors.New("one"), errors.Join(errors.New("two"), errors.New("three"))),
			"greet: one\ngreet: two\ngreet: three\n"},
		{errors.New(strings.Repeat("x", 1<<20)), "greet: " + strings.Repeat("x", 4000) + "…\n"},
	} {
		p := command.Program{Name: "greet", Verbs: []command.Verb{{Name: "fail",
			Run: func(*command.Call) error { return c.err }}}}
		var stderr bytes.Buffer
		if code := p.Run([]string{"fail"}, nil, nil, &stderr); code != 1 || stderr.String() != c.want {
			t.Errorf("got %d, %.200q, want %.200q", code, stderr.String(), c.want)
		}
	}
}
