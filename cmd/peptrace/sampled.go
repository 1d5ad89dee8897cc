//go:build linux && amd64

package main

// This file holds the commands that show what the value sampler has found.

import (
	"context"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/tracer/capture"
	"github.com/pepgo/pep/internal/tracer/database"
	"github.com/pepgo/pep/internal/tracer/live"
	"github.com/pepgo/pep/internal/tracer/modules"
	"github.com/pepgo/pep/internal/tracer/programs"
	"github.com/pepgo/pep/internal/tracer/report"
)

// sampledVerbs are the commands about sampled values.
var sampledVerbs = []command.Verb{
	{Name: "list", Usage: listUsage, Run: list, Lists: true},
	{Name: "find", Usage: findUsage, Run: find, Lists: true},
	{Name: "watch", Usage: watchUsage, Run: watch},
	{Name: "pprof", Usage: pprofUsage, Run: pprof},
	{Name: "merge", Usage: mergeUsage, Run: merge},
}

// sampledFlags are the flags that all of these commands have.
type sampledFlags struct {
	modules, binary string
}

func newSampledFlags(c *command.Call) *sampledFlags {
	f := &sampledFlags{}
	c.Flags.StringVar(&f.modules, "modules", "operands", "")
	c.Flags.StringVar(&f.binary, "binary", "", "")
	return f
}

// open reads the databases and recordings that are the arguments.
func (f *sampledFlags) open(c *command.Call) (*database.Database, *programs.Programs, error) {
	names := programs.New(f.binary)
	if _, err := modules.Parse(f.modules, names); err != nil {
		return nil, nil, command.Usagef("%s: -modules: %w", c.Flags.Name(), err)
	}
	db, err := database.Load(c.Args, f.modules, names)
	return db, names, err
}

// matchFlag defines a flag that is a regular expression. Without it *re stays nil.
func matchFlag(c *command.Call, name string, re **regexp.Regexp) {
	c.Flags.Func(name, "", func(text string) (err error) {
		*re, err = regexp.Compile(text)
		return err
	})
}

// listingFlags are the flags of commands that print values. They are the fields of
// report.FindOptions, but for source.
type listingFlags struct {
	*sampledFlags
	report.FindOptions
	source string
}

func newListingFlags(c *command.Call, n int) *listingFlags {
	f := &listingFlags{sampledFlags: newSampledFlags(c)}
	matchFlag(c, "f", &f.Func)
	matchFlag(c, "label", &f.Label)
	c.Flags.IntVar(&f.N, "n", n, "")
	c.Flags.BoolVar(&f.Secrets, "secrets", false, "")
	c.Flags.StringVar(&f.source, "source_path", "", "")
	return f
}

// parse parses the command line, with so many arguments. N counts things.
func (f *listingFlags) parse(c *command.Call, least, most int, things string) error {
	if err := c.Parse(least, most); err != nil {
		return err
	}
	if f.N < 0 {
		return command.Usagef("%s: -n %d: want a number of %s, or 0 for all", c.Flags.Name(), f.N, things)
	}
	f.Source = source.NewTree(f.source)
	return nil
}

func list(c *command.Call) error {
	f := newListingFlags(c, 3)
	o := report.ListOptions{}
	matchFlag(c, "kind", &o.Kind)
	if err := f.parse(c, 1, -1, "values"); err != nil {
		return err
	}
	o.Func, o.Label, o.N, o.Secrets, o.Source = f.Func, f.Label, f.N, f.Secrets, f.Source
	db, names, err := f.open(c)
	if err != nil {
		return err
	}
	defer names.Close()
	return c.Print(report.List(db, names, o), nil)
}

func find(c *command.Call) error {
	f := newListingFlags(c, 10)
	c.Flags.BoolVar(&f.Static, "addresses", false, "")
	if err := f.parse(c, 1, -1, "rows"); err != nil {
		return err
	}
	db, names, err := f.open(c)
	if err != nil {
		return err
	}
	defer names.Close()
	return c.Print(report.Find(db, names, f.FindOptions), nil)
}

func watch(c *command.Call) error {
	f := newListingFlags(c, 10)
	c.Flags.BoolVar(&f.Static, "addresses", false, "")
	speed := c.Flags.Float64("speed", 1, "")
	if err := f.parse(c, 1, 1, "rows"); err != nil {
		return err
	}
	if !(*speed > 0) {
		return command.Usagef("watch: -speed %g: want more than 0, and 1 for as fast as it was", *speed)
	}
	names := programs.New(f.binary)
	defer names.Close()
	replay, err := capture.OpenRecording(c.Args[0])
	if err != nil {
		return err
	}
	defer replay.Close()
	list, err := modules.Parse(f.modules, names)
	if err != nil {
		return command.Usagef("watch: -modules: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	db := database.New()
	collector := db.Collector(list, database.Settings{Interval: replay.Header.Interval, Comment: replay.Header.Comment})
	paced := &capture.Paced{Source: replay, Speed: *speed}
	find := func() listing.Listing { return report.Find(db, names, f.FindOptions) }
	var screen *live.Screen
	if f, ok := c.Stdout.(*os.File); ok {
		screen = live.Terminal(f)
	}
	if err := live.Watch(ctx, paced, collector, find, screen); err != nil {
		return err
	}
	return c.Print(find(), nil)
}

func pprof(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	secrets := c.Flags.Bool("secrets", false, "")
	var label *regexp.Regexp
	matchFlag(c, "label", &label)
	f := newSampledFlags(c)
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	if *out == "" {
		return command.Usagef("pprof: no -o: usage: %s", c.Synopsis())
	}
	db, names, err := f.open(c)
	if err != nil {
		return err
	}
	defer names.Close()
	b, err := report.One(report.Labelled(db, label))
	if err != nil {
		return err
	}
	return os.WriteFile(*out, report.Profile(b, names, *secrets), 0o600)
}

func merge(c *command.Call) error {
	out := c.Flags.String("o", "", "")
	f := newSampledFlags(c)
	if err := c.Parse(1, -1); err != nil {
		return err
	}
	if *out == "" {
		return command.Usagef("merge: no -o: usage: %s", c.Synopsis())
	}
	db, names, err := f.open(c)
	if err != nil {
		return err
	}
	defer names.Close()
	_, err = db.Save(*out)
	return err
}
