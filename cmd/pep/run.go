package main

// This file builds a program or its tests with pepbuild, runs them, and shows what they did.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/command"
)

// A session runs programs in a directory of its own. Their files and profiles stay there, for further
// commands.
type session struct {
	c        *command.Call
	pepbuild string // file of the command
	flags    []string
	dir      string
	text     *bool
	out      *string
	noOpen   *bool
}

// newSession parses the flags. Those that pep does not know are flags of pepbuild, in the form -flag or
// -flag=value.
func newSession(c *command.Call, least int) (*session, error) {
	s := &session{c: c, text: c.Flags.Bool("text", false, ""), out: c.Flags.String("o", "", ""), noOpen: c.Flags.Bool("no_browser", false, "")}
	var own []string
	for len(c.Args) > 0 && len(c.Args[0]) > 1 && c.Args[0][0] == '-' && c.Args[0] != "--" {
		arg := c.Args[0]
		c.Args = c.Args[1:]
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case name == "o" && !hasValue && len(c.Args) > 0:
			own = append(own, arg, c.Args[0])
			c.Args = c.Args[1:]
		case c.Flags.Lookup(name) != nil || name == "h" || name == "help":
			own = append(own, arg)
		default:
			s.flags = append(s.flags, arg)
		}
	}
	c.Args = append(own, c.Args...)
	if err := c.Parse(least, -1); err != nil {
		return nil, err
	}
	var err error
	if s.pepbuild, err = besidePep("pepbuild"); err != nil {
		return nil, err
	}
	s.dir, err = os.MkdirTemp("", "pep-")
	return s, err
}

// besidePep finds another command: in the directory of this one, or in PATH.
func besidePep(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if file, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return file, nil
		}
	}
	file, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside pep nor in PATH: go install github.com/pepgo/pep/cmd/%s@latest", name, name)
	}
	return file, nil
}

// exec runs a command with pep's own streams, and returns its exit code. Ctrl-C ends the command, not
// pep.
func (s *session) exec(name string, args ...string) (code int, err error) {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	defer signal.Stop(interrupted)
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.c.Stdin, s.c.Stdout, s.c.Stderr
	cmd.Env = append(os.Environ(), "PEPDIR="+s.dir)
	err = cmd.Run()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return 0, err
	}
	return exitCode(exit.ProcessState), nil
}

// run is the command run.
func run(c *command.Call) error {
	s, err := newSession(c, 1)
	if err != nil {
		return err
	}
	// As for go run, several Go files are one program.
	n := 1
	for n < len(c.Args) && strings.HasSuffix(c.Args[n-1], ".go") && strings.HasSuffix(c.Args[n], ".go") {
		n++
	}
	build := append([]string{"build", "-peppkg=all", "-o", s.dir + string(filepath.Separator)}, s.flags...)
	code, err := s.exec(s.pepbuild, append(build, c.Args[:n]...)...)
	if err != nil || code != 0 {
		os.RemoveAll(s.dir)
		return cmp.Or(err, error(command.Exit(code)))
	}
	programs, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	if len(programs) != 1 {
		os.RemoveAll(s.dir)
		return fmt.Errorf("run: %s is %d programs: give one", strings.Join(c.Args[:n], " "), len(programs))
	}
	return s.finish(s.exec(filepath.Join(s.dir, programs[0].Name()), c.Args[n:]...))
}

// test is the command test.
func test(c *command.Call) error {
	s, err := newSession(c, 0)
	if err != nil {
		return err
	}
	args := append([]string{"test", "-peppkg=all", "-o", s.dir + string(filepath.Separator)}, s.flags...)
	return s.finish(s.exec(s.pepbuild, append(args, c.Args...)...))
}

// finish shows the profiles of what ran, and ends as that did.
func (s *session) finish(code int, err error) error {
	if err == nil {
		err = s.show()
	}
	return cmp.Or(err, error(command.Exit(code)))
}

// show shows the profiles of each program that ran.
func (s *session) show() error {
	names, err := filepath.Glob(filepath.Join(s.dir, "*."+string(schema.Paths)+".pb.gz"))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return s.nothing()
	}
	runs := make(map[string][]string) // profiles by the name of their program
	var programs []string
	for _, name := range names {
		f, err := profile.Open(name)
		if err != nil {
			return err
		}
		program := filepath.Base(f.Binary)
		if runs[program] == nil {
			programs = append(programs, program)
		}
		runs[program] = append(runs[program], name)
	}
	for _, program := range programs {
		if err := s.showRun(program, runs[program]); err != nil {
			return err
		}
	}
	return nil
}

// nothing says why there is no profile.
func (s *session) nothing() error {
	left, err := filepath.Glob(filepath.Join(s.dir, "*.pep"))
	if err == nil && len(left) > 0 {
		return fmt.Errorf("the program was killed and wrote no profile: PEP_WRITE=%s %s makes profiles of what it had counted", left[0], filepath.Join(s.dir, "PROGRAM"))
	}
	os.RemoveAll(s.dir)
	return errors.New("nothing wrote a profile")
}

func (s *session) showRun(program string, names []string) error {
	if *s.text {
		f, err := openMerged(s.c, names...)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.c.Stderr, "pep: %s has the program and its profiles\n", s.dir)
		return s.c.Print(report.Top(f, source.NewTree(""), report.TopOptions{N: 10}))
	}
	file := filepath.Join(s.dir, program)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		file = "" // of a test that another program ran
	}
	p, err := openProgram(s.c, names, file, "")
	if err != nil {
		return err
	}
	out := *s.out
	if out == "" {
		out = filepath.Join(s.dir, program+".html")
	}
	return s.showPage(p, out, !*s.noOpen && *s.out == "")
}

// showPage writes the page of a program, says where it is, and may open it in a browser.
func (s *session) showPage(p *annotate.Program, name string, open bool) error {
	if err := writePage(name, p); err != nil {
		return err
	}
	fmt.Fprintf(s.c.Stderr, "pep: %s has the page, and %s the program and its profiles, for pep top and the like\n", name, s.dir)
	if !open {
		return nil
	}
	if err := openBrowser("file://" + filepath.ToSlash(name)); err != nil {
		fmt.Fprintf(s.c.Stderr, "pep: no browser: %v; open the page in one\n", err)
	}
	return nil
}
