// Package show holds the commands of pep that show runs of programs as a page: of runs that have been, and of those
// that they start.
//
//	{Name: "html", Usage: htmlUsage, Run: show.HTML}
package show

// This file starts runs and shows them.

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"github.com/pepgo/pep/analyze/page"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/cmd/pep/choice"
	"github.com/pepgo/pep/cmd/pep/launch"
	"github.com/pepgo/pep/internal/browser"
	"github.com/pepgo/pep/internal/command"
)

// A runFlags has the flags of run and test.
type runFlags struct {
	text, noBrowser *bool
	out             *string
	build           []string // flags of pepbuild
}

// parseRun parses the flags.
func parseRun(c *command.Call, least int) (f runFlags, err error) {
	f.text, f.noBrowser, f.out = c.Flags.Bool("text", false, ""), c.Flags.Bool("no_browser", false, ""),
		c.Flags.String("o", "", "")
	f.build, err = launch.Parse(c, least)
	return f, err
}

// Run is the command run.
func Run(c *command.Call) error {
	f, err := parseRun(c, 1)
	if err != nil {
		return err
	}
	s, err := launch.New(c.Stdin, c.Stdout, c.Stderr)
	if err != nil {
		return err
	}
	pkg, args := launch.Split(c.Args)
	program, code, err := s.Build(append(f.build, pkg...))
	if err != nil || code != 0 {
		return cmp.Or(err, error(command.Exit(code)))
	}
	code, err = s.Run(program, args)
	return f.finish(c, s, code, err)
}

// Test is the command test.
func Test(c *command.Call) error {
	f, err := parseRun(c, 0)
	if err != nil {
		return err
	}
	s, err := launch.New(c.Stdin, c.Stdout, c.Stderr)
	if err != nil {
		return err
	}
	code, err := s.Test(append(f.build, c.Args...))
	return f.finish(c, s, code, err)
}

// finish shows what ran, and ends as that did.
func (f runFlags) finish(c *command.Call, s *launch.Session, code int, err error) error {
	if err != nil {
		return err
	}
	runs, err := s.Runs()
	if err != nil {
		return err
	}
	for _, r := range runs {
		if err := f.show(c, s, r); err != nil {
			return err
		}
	}
	return command.Exit(code)
}

func (f runFlags) show(c *command.Call, s *launch.Session, r *launch.Run) error {
	if *f.text {
		p, err := choice.Merged(c, r.Profiles...)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.Stderr, "pep: %s has the program and its profiles\n", s.Dir)
		return c.Print(report.Top(p, source.NewTree(""), report.TopOptions{N: 10}))
	}
	p, err := openProgram(c, r.Profiles, r.Program, "")
	if err != nil {
		return err
	}
	name := *f.out
	if name == "" {
		name = filepath.Join(s.Dir, r.Name+".html")
	}
	if err := command.WriteFile(name, func(w io.Writer) error { return page.Write(w, p) }); err != nil {
		return err
	}
	fmt.Fprintf(c.Stderr, "pep: %s has the page, and %s the program and its profiles, for pep top %s and the like\n", name,
		s.Dir, s.Dir)
	if *f.noBrowser || *f.out != "" {
		return nil
	}
	return browser.Open("file://" + filepath.ToSlash(name))
}
