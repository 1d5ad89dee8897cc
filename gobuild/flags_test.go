package gobuild

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "rewrite the table of flags in docs/reference/pepbuild.md")

// reference is the page about flags.
const reference = "../docs/reference/pepbuild.md"

var referenceTable = regexp.MustCompile(`(?s)\| flag of pepbuild \| \|\n.*?\n\n`)

func TestReferenceHasTheTableOfFlags(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	want := FlagTable() + "\n"
	got := referenceTable.FindString(string(text))
	switch {
	case got == "":
		t.Fatal(reference, " has no table of flags")
	case got != want && *update:
		if err := os.WriteFile(reference, []byte(strings.Replace(string(text), got, want, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	case got != want:
		t.Errorf("%s describes other flags; go test ./gobuild -update rewrites the table (-page +code):\n%s", reference,
			cmp.Diff(got, want))
	}
}

// examples are values for the words that stand for any value in the help.
var examples = map[string]string{
	"patterns": "all", "dir": "out", "pattern": "01", "kinds": "loads", "regexp": "^main", "ranges": "x.go:1-2", "n": "7",
}

// Each flag in the help is parsed, with each value and each word that the help
// says, and sets something; and all flags are in the help.
func TestHelpIsWhatIsParsed(t *testing.T) {
	help := FlagHelp(false) + FlagHelp(true)
	flags := regexp.MustCompile(`(?m)^\t-(\w+)=(\w+)`).FindAllStringSubmatch(help, -1)
	var described []string
	for _, m := range flags {
		name, value := m[1], m[2]
		described = append(described, name)
		if example, ok := examples[value]; ok {
			value = example
		}
		plain := Args{}
		a := Args{}
		if err := a.parseOurs(name, value); err != nil {
			t.Errorf("-%s=%s is in the help, but %v", name, value, err)
		} else if cmp.Equal(a, plain, cmpopts.IgnoreUnexported(Args{})) && value != "full" {
			t.Errorf("-%s=%s sets nothing", name, value)
		}
	}
	for _, f := range ourFlags {
		if slices.Contains(described, f.name) == f.hidden {
			t.Errorf("-%s is parsed: in the help %v, want %v", f.name, f.hidden, !f.hidden)
		}
	}
	kinds := regexp.MustCompile(`(?m)^\t    (\w+) `).FindAllStringSubmatch(help, -1)
	var words []string
	for _, m := range kinds {
		words = append(words, m[1])
		if err := new(Args).parseOurs("peptaps", m[1]); err != nil {
			t.Errorf("-peptaps=%s is in the help, but %v", m[1], err)
		}
	}
	// The error for an unknown kind lists all kinds.
	err := new(Args).parseOurs("peptaps", "nosuch")
	_, list, _ := strings.Cut(err.Error(), "there are ")
	for _, kind := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		if kind != "and" && !slices.Contains(words, kind) {
			t.Errorf("-peptaps=%s is not in the help", kind)
		}
	}
	if len(words) < 11 {
		t.Errorf("the help has the kinds %q, want 11", words)
	}
}

// No document names a flag that does not exist.
func TestDocumentsNameFlagsThatThereAre(t *testing.T) {
	names := []string{"../README.md", "../CONTRIBUTING.md"}
	for _, pattern := range []string{"../docs/*.md", "../docs/*/*.md", "../lab/*.md", "../lab/*/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil || len(more) == 0 {
			t.Fatal(pattern, more, err)
		}
		names = append(names, more...)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?m)(?:^|[ `(])-(pep[a-z]+)[= `]").FindAllStringSubmatch(string(text), -1) {
			if !slices.ContainsFunc(ourFlags, func(f ourFlag) bool { return f.name == m[1] }) {
				t.Errorf("%s names the flag -%s, which there is not", name, m[1])
			}
		}
	}
}

func TestUnknownFlagsGetTheNearest(t *testing.T) {
	for _, c := range []struct{ verb, name, want string }{
		{"build", "pepmod", "did you mean -pepmode? "},
		{"build", "peptap", "did you mean -peptaps? "},
		{"build", "pepgide", "did you mean -pepguide? "},
		{"build", "rcae", "did you mean -race? "},
		{"build", "gcflag", "did you mean -gcflags? "},
		{"run", "exce", "did you mean -exec? "},
		{"build", "pepwithou", ""}, // -pepwithout is for measurements alone
		{"build", "benchtme", ""},
		{"test", "benchtme", "did you mean -benchtime? "},
		{"build", "xyz", ""},
	} {
		got := (&Args{Verb: c.verb}).unknownFlag(c.name).Error()
		want := "unknown flag -" + c.name + ": " + c.want + "pepbuild help lists"
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", c.verb, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ac", 1},
		{"kitten", "sitting", 3}, {"ab", "ba", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
