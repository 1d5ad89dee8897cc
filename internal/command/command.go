// Package command runs programs whose first argument says what to do, as the go
// command does. Such a program says which verbs it has:
//
//	var greet = command.Program{
//		Name:  "greet",
//		Usage: greetUsage,
//		Verbs: []command.Verb{
//			{Name: "hello", Usage: "greet hello [-loud] NAME\n\nGreets NAME.\n", Run: hello},
//			{Name: "version", Usage: "greet version\n", Run: command.Version},
//		},
//	}
//
//	func main() { os.Exit(greet.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
//
// A verb defines its flags, parses them and works:
//
//	func hello(c *command.Call) error {
//		loud := c.Flags.Bool("loud", false, "")
//		if err := c.Parse(1, 1); err != nil {
//			return err
//		}
//		…
//
// The name of a verb may have two words, "trace info". Every program has the verb help, and every verb the flag -h.
// With -version a program runs its verb version. Authors write the help texts by hand; package commandtest checks that
// they are true. Verbs with Lists also have -json.
package command

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/terminal"
)

// A Program is a command with verbs.
type Program struct {
	Name  string
	Usage string // what help prints
	Verbs []Verb
}

// A Verb is one thing that a program does.
type Verb struct {
	Name  string
	Usage string // what its help prints after "usage: "; the first line is the synopsis
	Run   func(c *Call) error
	Lists bool // it prints a listing, by Call.Print, and so has the flag -json
}

// A Call is a verb being run.
type Call struct {
	Flags          *flag.FlagSet // has the name of the verb
	Args           []string      // all of them before Parse, those after the flags behind it
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	program *Program
	verb    Verb
	json    bool
}

// A usageError is the error of a command line that is wrong.
type usageError struct{ error }

// Usagef makes the error of a command line that is wrong.
func Usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// An Exit is the error of a verb that ends with an exit code of its own, that of a program which it ran,
// and without a message. Exit(0) is no error.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Run runs a command line, prints errors, and returns the exit code: 2 if the command line
// is wrong, that of an Exit, 1 for all other errors.
func (p *Program) Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	err := p.run(args, stdin, stdout, stderr)
	if exit, ok := errors.AsType[Exit](err); err == nil || ok {
		return int(exit)
	}
	for _, line := range lines(err) {
		if len(line) > maxError { // it quotes what is in a file
			line = line[:maxError] + "…"
		}
		fmt.Fprintf(stderr, "%s: %s\n", p.Name, terminal.Escape(line))
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return 2
	}
	return 1
}

// maxError is how many bytes of a message are shown.
const maxError = 4000

// lines returns the messages of a joined error, or the message of any other error.
func lines(err error) (list []string) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || !strings.Contains(err.Error(), "\n") {
		return []string{err.Error()}
	}
	for _, e := range joined.Unwrap() {
		list = append(list, lines(e)...)
	}
	return list
}

func (p *Program) run(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		fmt.Fprint(stderr, p.Usage)
		return Usagef("no command")
	}
	name, args := p.split(args)
	switch name {
	case "help", "-h", "-help", "--help":
		return p.help(args, stdout)
	case "-version", "--version":
		name = "version"
	}
	v, ok := p.find(name)
	if !ok {
		return p.unknown("", name)
	}
	c := p.Call(v, args...)
	c.Stdin, c.Stdout, c.Stderr = stdin, stdout, stderr
	err := v.Run(c)
	if errors.Is(err, flag.ErrHelp) {
		return v.help(stdout)
	}
	return err
}

// split splits off the name of a verb.
func (p *Program) split(args []string) (name string, rest []string) {
	isFirstOfTwo := func(v Verb) bool { return strings.HasPrefix(v.Name, args[0]+" ") }
	if len(args) > 1 && slices.ContainsFunc(p.Verbs, isFirstOfTwo) {
		return args[0] + " " + args[1], args[2:]
	}
	return args[0], args[1:]
}

func (p *Program) find(name string) (Verb, bool) {
	i := slices.IndexFunc(p.Verbs, func(v Verb) bool { return v.Name == name })
	if i < 0 {
		return Verb{}, false
	}
	return p.Verbs[i], true
}

func (p *Program) help(args []string, w io.Writer) error {
	if slices.ContainsFunc(p.Verbs, func(v Verb) bool { return strings.Contains(v.Name, " ") }) {
		// All words together are the name of one verb.
		args = slices.DeleteFunc([]string{strings.Join(args, " ")}, func(s string) bool { return s == "" })
	}
	if len(args) > 1 {
		return Usagef("help: wrong number of arguments: usage: %s help [command]", p.Name)
	}
	if len(args) == 0 || args[0] == "help" {
		_, err := fmt.Fprint(w, p.Usage)
		return err
	}
	v, ok := p.find(args[0])
	if !ok {
		return p.unknown("help: ", args[0])
	}
	return v.help(w)
}

// unknown is the error for a verb that p does not have.
func (p *Program) unknown(prefix, name string) error {
	var names []string
	for _, v := range p.Verbs {
		names = append(names, v.Name)
	}
	names = append(names, "help")
	meant := Meant(name, names)
	if meant == "" {
		meant = fmt.Sprintf(": %s help lists the commands", p.Name)
	}
	return Usagef("%sunknown command %q%s", prefix, name, meant)
}

func (v Verb) help(w io.Writer) error {
	_, err := fmt.Fprint(w, "usage: ", v.Usage)
	return err
}

// Call returns a call of a verb of p with arguments. It has no files yet.
func (p *Program) Call(v Verb, args ...string) *Call {
	flags := flag.NewFlagSet(v.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error has all that is to say
	flags.Usage = func() {}
	c := &Call{Flags: flags, Args: args, program: p, verb: v}
	flags.BoolVar(&c.json, "json", false, "")
	return c
}

// JSON reports whether the user wants the listing as JSON.
func (c *Call) JSON() bool { return c.json }

// Print prints a listing as text, or with -json as JSON. If err is not nil, it returns err
// and prints nothing.
func (c *Call) Print(l listing.Listing, err error) error {
	if err != nil {
		return err
	}
	if c.json {
		return listing.JSON(c.Stdout, l)
	}
	return listing.TextFor(terminal.ScreenOf(c.Stdout, os.Getenv), c.Stdout, l)
}

// PrintAll prints listings one after the other, with a line between them; with -json, each is a JSON object.
func PrintAll[T listing.Listing](c *Call, list []T) error {
	for i, l := range list {
		if i > 0 && !c.json {
			fmt.Fprintln(c.Stdout)
		}
		if err := c.Print(l, nil); err != nil {
			return err
		}
	}
	return nil
}

// Note prints a line for the user on standard error.
func (c *Call) Note(format string, args ...any) {
	fmt.Fprintf(c.Stderr, "%s: %s\n", c.program.Name, terminal.Escape(fmt.Sprintf(format, args...)))
}

// Listing returns the names of the verbs that print a listing: they have -json.
func (p *Program) Listing() (names []string) {
	for _, v := range p.Verbs {
		if v.Lists {
			names = append(names, v.Name)
		}
	}
	return names
}

// Parse parses the flags that the verb has defined and checks the number of
// arguments after them; at most -1 is any number. If the usage is asked for, the
// error is flag.ErrHelp. The verb returns all errors as they are.
func (c *Call) Parse(least, most int) error {
	err := c.Flags.Parse(c.Args)
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	if err != nil {
		return Usagef("%s: %w%s; see %s help %s", c.verb.Name, err, c.meantFlag(err), c.program.Name, c.verb.Name)
	}
	if c.json && !c.verb.Lists {
		return Usagef("%s: -json: %s %s does not print a listing; these do: %s", c.verb.Name, c.program.Name, c.verb.Name,
			strings.Join(c.program.Listing(), ", "))
	}
	c.Args = c.Flags.Args()
	if n := len(c.Args); n < least || most >= 0 && n > most {
		return Usagef("%s: wrong number of arguments: usage: %s", c.verb.Name, c.Synopsis())
	}
	return nil
}

// meantFlag ends an error about a flag that does not exist.
func (c *Call) meantFlag(err error) string {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return ""
	}
	var names []string
	c.Flags.VisitAll(func(f *flag.Flag) {
		if f.Name != "json" || c.verb.Lists {
			names = append(names, f.Name)
		}
	})
	return strings.Replace(Meant(name, names), "mean ", "mean -", 1)
}

// Synopsis is the first line of the verb's usage.
func (c *Call) Synopsis() string {
	line, _, _ := strings.Cut(c.verb.Usage, "\n")
	return line
}

// Version is the verb that prints the version of the program and of the Go it was
// built with.
func Version(c *Call) error {
	if err := c.Parse(0, 0); err != nil {
		return err
	}
	v, goVersion := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		v, goVersion = cmp.Or(info.Main.Version, v), info.GoVersion
	}
	_, err := fmt.Fprintln(c.Stdout, c.program.Name, v, goVersion)
	return err
}

// WriteFile writes a file. If that fails, it leaves no part of it.
func WriteFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", name, err), os.Remove(name))
	}
	return nil
}
