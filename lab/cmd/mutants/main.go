// Command mutants changes lines of the product at random, one at a time, and lists the changes that no test notices.
// See package mutants.
//
//	go run -C lab ./cmd/mutants -n 500 -o results/mutants.md
package main

import (
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

	"github.com/pepgo/pep/lab/bench"
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
	limit := flags.Duration("limit", 5*time.Minute, "time of the tests of a package; a mutant whose tests take longer is noticed")
	in := flags.String("in", "", "only files whose names begin with this")
	out := flags.String("o", "", "write the table to a `file`, too")
	flags.Parse(args)
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	list, err := mutants.List(root)
	if err != nil {
		return err
	}
	var some []mutants.Mutant
	for _, m := range list {
		if strings.HasPrefix(m.File, *in) {
			some = append(some, m)
		}
	}
	counts := map[mutants.Fate]int{}
	var survivors []string
	for _, m := range mutants.Choose(some, *seed) {
		if counts[mutants.Killed]+counts[mutants.Abroad]+counts[mutants.Survived] == *n || ctx.Err() != nil {
			break
		}
		fate, err := m.Try(ctx, *limit)
		if err != nil {
			break
		}
		counts[fate]++
		fmt.Fprintf(stderr, "mutants: %s: %v\n", fate, m)
		if fate == mutants.Survived {
			content, err := os.ReadFile(filepath.Join(root, m.File))
			if err != nil {
				return err
			}
			before, after := m.Diff(content)
			survivors = append(survivors, fmt.Sprintf("    %s:%d\n    \t- %s\n    \t+ %s\n", m.File, m.Line, before, after))
		}
	}
	tried := counts[mutants.Killed] + counts[mutants.Abroad] + counts[mutants.Survived]
	table := fmt.Sprintf("%d mutants of %d lines, seed %d: %d were noticed by tests of their package, %d by those of packages that import it, and %d survived. %d more did not compile.\n",
		tried, len(some), *seed, counts[mutants.Killed], counts[mutants.Abroad], counts[mutants.Survived], counts[mutants.Invalid])
	slices.Sort(survivors)
	table += "\n" + strings.Join(survivors, "")
	if *out != "" {
		head := bench.Header("Mutants that no test notices", "mutants", args, time.Now())
		if err := os.WriteFile(*out, []byte(head+table), 0o666); err != nil {
			return err
		}
	}
	_, err = io.WriteString(stdout, table)
	return err
}
