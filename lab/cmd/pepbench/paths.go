package main

// This file holds the command paths.

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pepgo/pep/lab/bench/peppaper"
)

func (m *measurement) paths(args []string) error {
	flags := m.flags("paths")
	m.lanesFlag(flags)
	var opts peppaper.Options
	flags.IntVar(&opts.Rounds, "rounds", 10, "`runs` of each variant, for parts that measure time")
	flags.IntVar(&opts.Layouts, "layouts", 3,
		"`orders` in which the linker places functions, by turns; 1 is the linker's own")
	flags.Lookup("o").Usage = "write the lines to a `file` (default: standard output)"
	if err := flags.Parse(args); err != nil {
		return err
	}
	if opts.Layouts < 1 || opts.Rounds < opts.Layouts {
		return fmt.Errorf("-rounds %d -layouts %d: want 1 layout or more, and a round for each", opts.Rounds, opts.Layouts)
	}
	if flags.NArg() == 0 {
		text := "want a part, and programs behind it if not all; parts are"
		for _, p := range peppaper.Parts {
			text += fmt.Sprintf("\n\t%s: %s", p.Name, p.Shows)
		}
		return errors.New(text)
	}
	m.cfg.More = true
	done, err := m.prepare(flags.Args()[1:])
	if err != nil {
		return err
	}
	defer done()
	text, err := peppaper.Lines(&m.cfg, flags.Arg(0), opts)
	if err == nil && m.out != "" {
		return os.WriteFile(m.out, []byte(text), 0o644)
	}
	if err == nil {
		_, err = io.WriteString(m.stdout, text)
	}
	return err
}
