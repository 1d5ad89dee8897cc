package report_test

import (
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/executable"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/runtime/wire"
)

// Control characters in the names of an executable do not reach the terminal, because
// somebody else may have made the executable.
func TestSitesAreFitForATerminal(t *testing.T) {
	f := &executable.File{Packages: []*wire.Package{{
		Path: "main\x1b[2J", Files: []string{"a\x1b.go"},
		Skipped: []wire.Skipped{{Name: "main.f\x1b", File: 0, Line: 3, Reason: "why\nnot"}},
	}}}
	table, err := report.Sites("prog\x1b", f, report.SitesOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := listing.Text(&b, table); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if strings.ContainsRune(got, 0x1b) || !strings.Contains(got, `main.f\x1b`) || !strings.Contains(got, `why\nnot`) {
		t.Errorf("got %q", got)
	}
}
