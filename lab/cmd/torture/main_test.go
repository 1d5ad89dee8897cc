package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/lab/driver"
	"github.com/pepgo/pep/lab/torture"
)

// The clone may be in the folder of temporary files, or that folder in the clone.
func TestPlaces(t *testing.T) {
	const root = "/a/clone"
	for _, temp := range []string{"/tmp", "/tmp/", "/a", "/a/clone/temp"} {
		file := filepath.Join(temp, "net", "log") + " " + filepath.Join(root, "lab", "x.go")
		if got := places(root, temp).Replace(file); got != "$TMPDIR/net/log lab/x.go" {
			t.Errorf("temporary files in %s: %q", temp, got)
		}
	}
}

// Neither the table nor the page says where files of this machine are.
func TestPageHasNoPlaces(t *testing.T) {
	root, err := driver.Root()
	if err != nil {
		t.Fatal(err)
	}
	report := &torture.Report{Results: []*torture.Result{{
		Part: "std", Case: "net", Failed: 1, Skipped: 1, Note: "in " + filepath.Join(os.TempDir(), "note"),
		Failures: []string{"see " + filepath.Join(os.TempDir(), "net-1", "log") + "\n" + filepath.Join(root, "lab",
			"x.go") + ":7: wrong"},
		Skips: []string{"no " + filepath.Join(root, "build")},
	}}}
	page := filepath.Join(t.TempDir(), "page.md")
	var out strings.Builder
	if err := publish(report, page, nil, &out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"table": out.String(), "page": string(text)} {
		for _, place := range []string{os.TempDir(), root} {
			if strings.Contains(text, place) {
				t.Errorf("the %s has %s:\n%s", name, place, text)
			}
		}
		for _, want := range []string{"in $TMPDIR/note", "see $TMPDIR/net-1/log", " lab/x.go:7", "no build"} {
			if !strings.Contains(text, want) {
				t.Errorf("the %s has no %q:\n%s", name, want, text)
			}
		}
	}
}
