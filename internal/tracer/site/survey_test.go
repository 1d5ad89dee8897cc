//go:build linux && amd64

package site

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var survey = flag.String("survey", "", "executables to survey, separated by commas: prints the tables of docs/results/probe-sites.md")

// The tables in docs/results are those that this test prints.
func TestPrintSurvey(t *testing.T) {
	if *survey == "" {
		t.Skip("no executables named: -survey=file,file")
	}
	var names []string
	var surveys []*Survey
	for _, exe := range strings.Split(*survey, ",") {
		s, err := NewSurvey(open(t, exe))
		if err != nil {
			t.Fatal(err)
		}
		names, surveys = append(names, filepath.Base(exe)), append(surveys, s)
	}
	if err := WriteRows(os.Stdout, names, surveys); err != nil {
		t.Fatal(err)
	}
}
