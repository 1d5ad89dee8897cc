// Command mutants changes lines of the product at random, one at a time, and lists the changes that no test notices.
// See package mutants.
//
//	go run -C lab ./cmd/mutants -n 500 -o results/mutants.md
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/lab/machine"
	"github.com/pepgo/pep/lab/mutants"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ExitOnError)
	n := flags.Int("n", 500, "how many mutants that compile")
	seed := flags.Uint64("seed", 1, "of the choice")
	in := flags.String("in", "", "only files whose names begin with one of these `words`")
	out := flags.String("o", "", "write the page to a `file`, too")
	journal := flags.String("journal", "../build/mutants.txt",
		"a `file` that remembers fates; an interrupted run goes on where it was")
	flags.Parse(args)
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	list, err := mutants.List(root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(*journal), 0o777); err != nil {
		return err
	}
	known, err := mutants.Open(root, *journal)
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(mutants.Choose(list, *seed), func(m mutants.Mutant) bool {
		return *in != "" && !slices.ContainsFunc(strings.Fields(*in),
			func(p string) bool { return strings.HasPrefix(m.File, p) })
	})
	p := page{counts: make(map[mutants.Fate]int), lines: len(chosen)}
	tests, explained := mutants.NewTests(root), mutants.Explained()
	fate := func(m mutants.Mutant, what string,
		try func(context.Context, mutants.Mutant) (mutants.Fate, error)) (mutants.Fate, error) {
		return known.Fate(m, what, func() (mutants.Fate, error) {
			fate, err := try(ctx, m)
			if err == nil {
				c := m.Change()
				fmt.Fprintf(stderr, "mutants: %s: %s: %v\n\t- %s\n\t+ %s\n", what, fate, m, c.Before, c.After)
			}
			return fate, err
		})
	}
	// Those that the fast tests of their packages do not notice are known before the slow tests of others begin.
	var alive []mutants.Mutant
	for _, m := range chosen {
		if p.counts[mutants.Killed]+len(alive) == *n {
			break
		}
		switch fate, err := fate(m, "own tests", tests.Own); {
		case err != nil:
			return err
		case fate == mutants.Survived:
			alive = append(alive, m)
		default:
			p.counts[fate]++
		}
	}
	for _, m := range alive {
		why := explained[m.Change()]
		if why == "" {
			switch fate, err := fate(m, "tests of users", tests.Users); {
			case err != nil:
				return err
			case fate != mutants.Survived:
				p.counts[fate]++
				continue
			}
		}
		p.counts[mutants.Survived]++
		p.survivors = append(p.survivors, survivor{m, why})
	}
	text := p.String()
	if *out != "" {
		head := machine.Header("Mutants that no test notices", "mutants", args, time.Now())
		if err := os.WriteFile(*out, []byte(head+text), 0o666); err != nil {
			return err
		}
	}
	_, err = io.WriteString(stdout, text)
	return err
}

// A page says what became of mutants.
type page struct {
	lines     int // that could be changed
	counts    map[mutants.Fate]int
	survivors []survivor
}

type survivor struct {
	mutants.Mutant
	why string // no test can notice it
}

func (p page) String() string {
	var b strings.Builder
	tried := p.counts[mutants.Killed] + p.counts[mutants.Abroad] + p.counts[mutants.Survived]
	unexplained := 0
	for _, s := range p.survivors {
		if s.why == "" {
			unexplained++
		}
	}
	fmt.Fprintf(&b, "A mutant is the program with one change in one line, chosen at random of %d lines.\n\n", p.lines)
	fmt.Fprintf(&b, "| mutants | |\n|---|---|\n| that compile | %d |\n", tried)
	for _, row := range []struct {
		what string
		n    int
	}{
		{"noticed by the tests of the package", p.counts[mutants.Killed]},
		{"noticed by short tests of packages that import it", p.counts[mutants.Abroad]},
		{"survived, and no test can notice them, for the reasons in lab/mutants/explained.txt",
			p.counts[mutants.Survived] - unexplained},
		{"survived, without an explanation", unexplained},
	} {
		fmt.Fprintf(&b, "| %s | %d (%.1f %%) |\n", row.what, row.n, 100*float64(row.n)/float64(max(tried, 1)))
	}
	fmt.Fprintf(&b, "\n%d more did not compile.\n", p.counts[mutants.Invalid])
	slices.SortFunc(p.survivors, func(a, b survivor) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	for _, s := range p.survivors {
		if before, after := s.Diff(); s.why == "" {
			fmt.Fprintf(&b, "\n%s:%d: not explained\n\n    - %s\n    + %s\n", s.File, s.Line, before, after)
		}
	}
	return b.String()
}
