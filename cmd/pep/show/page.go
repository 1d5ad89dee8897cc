package show

// This file shows runs that have been.

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/page"
	"github.com/pepgo/pep/cmd/pep/choice"
	"github.com/pepgo/pep/internal/browser"
	"github.com/pepgo/pep/internal/command"
)

func openProgram(c *command.Call, names []string, program, sourcePath string) (*annotate.Program, error) {
	_, p, err := choice.Run(c, names, program, sourcePath)
	return p, err
}

// programFlags defines the flags of commands that show a program, and returns what opens it.
func programFlags(c *command.Call) func() (*annotate.Program, error) {
	program := c.Flags.String("program", "", "")
	sourcePath := c.Flags.String("source_path", "", "")
	return func() (*annotate.Program, error) { return openProgram(c, c.Args, *program, *sourcePath) }
}

// HTML is the command html.
func HTML(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	open := programFlags(c)
	if err := c.Parse(0, -1); err != nil {
		return err
	}
	p, err := open()
	if err != nil {
		return err
	}
	if *out == "-" {
		return page.Write(c.Stdout, p)
	}
	name := cmp.Or(*out, filepath.Join(filepath.Dir(append(c.Args, "")[0]), p.Name+".html"))
	if err := command.WriteFile(name, func(w io.Writer) error { return page.Write(w, p) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Stdout, "%s has the page; open it in a browser\n", name)
	return err
}

// Serve is the command serve.
func Serve(c *command.Call) error {
	address := c.Flags.String("http", "localhost:0", "")
	noBrowser := c.Flags.Bool("no_browser", false, "")
	open := programFlags(c)
	if err := c.Parse(0, -1); err != nil {
		return err
	}
	p, err := open()
	if err != nil {
		return err
	}
	var content bytes.Buffer
	if err := page.Write(&content, p); err != nil {
		return err
	}
	server, err := browser.Listen(*address, page.Policy(), content.Bytes())
	if err != nil {
		return command.Usagef("serve: -http %s: %w", *address, err)
	}
	fmt.Fprintf(c.Stdout, "%s has the page; ctrl-C ends\n", server.URL)
	if !*noBrowser {
		if err := browser.Open(server.URL); err != nil {
			fmt.Fprintf(c.Stderr, "pep: no browser: %v; open %s in one\n", err, server.URL)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return server.Serve(ctx)
}
