package policy

// This file compares docs/formats.md with the listings that commands print as JSON.

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/analyze/report"
	"github.com/pepgo/pep/analyze/speedup"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/internal/listing/listingtest"
)

var update = flag.Bool("update", false, "rewrite the tables of documents that are made from the code")

// A namedListing is a listing that a command prints.
type namedListing struct {
	command string
	listing.Listing
}

var listings = []namedListing{
	{"pep top", &report.TopTable{}},
	{"pep list", &report.Listing{}},
	{"pep cover", &report.CoverTable{}},
	{"pep cold", &cold.Table{}},
	{"pep values", &report.ValueTable{}},
	{"pep ranges", &report.RangeTable{}},
	{"pep sites", &report.SiteTable{}},
	{"pep sites TABLE", &report.BranchTable{}},
	{"pep accuracy", &report.AccuracyTable{}},
	{"pep pgo -check", &speedup.Table{}},
	{"pep dump", &report.DumpTable{}},
	{"pepsim run", &replay.RunTable{}},
	{"pepsim trace info", &trace.InfoTable{}},
	{"pepsim trace print", &trace.TupleTable{}},
}

// ofProfile matches the fields that say which profile a listing is of. They are
// documented once.
var ofProfile = regexp.MustCompile(`^(profile|exact|sampled)\.`)

// Every field of every listing has a line in docs/formats.md, with its unit and a
// description, in the order in which it is printed. Every number has a unit.
func TestFormatsHasTheFieldsOfListings(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range listings {
		var want, profile []string
		for _, f := range listing.Fields(l.Listing) {
			if f.Number == (f.Unit == "") {
				t.Errorf("%s: %s has the unit %q; a number has one, other fields have none", l.command, f.Name, f.Unit)
			}
			line := "`" + f.Name + "` " + f.Unit
			if l.command == "peptrace values" && strings.HasPrefix(f.Name, "list.") {
				continue // the fields of peptrace list
			}
			if p := ofProfile.FindString(f.Name); p != "" {
				profile = append(profile, strings.Replace(line, p, "profile.", 1))
			} else {
				want = append(want, line)
			}
		}
		if d := cmp.Diff(want, listingtest.Documented(string(text), "`"+l.command+"`")); d != "" {
			t.Errorf("docs/formats.md on the fields of %s (-code +document):\n%s", l.command, d)
		}
		got := listingtest.Documented(string(text), "Profiles in listings")
		for len(profile) > 0 {
			n := min(len(got), len(profile))
			if d := cmp.Diff(profile[:n], got); d != "" {
				t.Fatalf("docs/formats.md on profiles in listings (-code of %s +document):\n%s", l.command, d)
			}
			profile = profile[n:]
		}
	}
}
