// Package written says what programs and tests have written that the go command has run:
//
//	pepbuild: profiles of 3 runs are in prof: PEPDIR=prof pep top shows the newest
//
// and, of tests for coverage, the totals.
package written

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/cover"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/gobuild"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/terminal"
)

// Tell says where profiles are that programs could not name themselves, and prints the totals of tests for coverage.
func Tell(r *gobuild.Result, verb string, stderr io.Writer) error {
	if len(r.Profiles) == 0 {
		return nil
	}
	where := ""
	if verb == "test" || verb == "run" && !terminal.Is(stderr) {
		where = whereOf(r)
	}
	if verb == "test" && r.Covers {
		if err := printTotals(r, stderr); err != nil {
			return fmt.Errorf("the totals of coverage: %w", err)
		}
	}
	_, err := io.WriteString(stderr, where)
	return err
}

func isPaths(name string) bool { return strings.HasSuffix(name, ".paths.pb.gz") }

// printTotals prints the totals of the packages, also of those that are in no test.
func printTotals(r *gobuild.Result, stderr io.Writer) error {
	var files []string
	for _, name := range r.Profiles {
		if isPaths(name) {
			files = append(files, filepath.Join(r.Dir, name))
		}
	}
	memory, err := profile.MemoryFrom(os.Getenv)
	if err != nil {
		return err
	}
	paths, tables, err := cover.Open(&profile.Reader{Memory: memory}, append(files, r.Untested...)...)
	if err != nil {
		return err
	}
	c, err := cover.New(paths, tables, source.NewTree(""), cover.Options{})
	if err != nil {
		return err
	}
	return listing.TextFor(terminal.ScreenOf(stderr, os.Getenv), stderr, report.CoveredTotals(c))
}

// whereOf returns a line that says in which directory the profiles are, and which command shows them.
func whereOf(r *gobuild.Result) string {
	var programs []string
	verb := "values"
	for _, name := range r.Profiles {
		parts := strings.Split(name, ".")
		programs = append(programs, strings.Join(parts[:len(parts)-3], "."))
		if isPaths(name) {
			verb = "top"
		}
	}
	slices.Sort(programs)
	programs = slices.Compact(programs)
	show := "pep " + verb + " shows the newest"
	if r.Covers {
		show = "pep cover shows what they never decided"
	}
	if r.Dir != "." {
		show = "PEPDIR=" + r.Dir + " " + show
	}
	things := "run"
	if len(programs) > 1 {
		things += "s"
	}
	return fmt.Sprintf("pepbuild: profiles of %d %s are in %s: %s\n", len(programs), things, r.Dir, show)
}
