package main

import (
	"bytes"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inExample makes the example's directory and makes it the working directory.
func inExample(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := makeExample(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

// pepsim runs a command line as a shell would, as far as words and quotes go.
func pepsim(t *testing.T, line string) string {
	t.Helper()
	var args []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		args = append(args, m[1]+m[2])
	}
	if len(args) == 0 || args[0] != "pepsim" {
		t.Fatalf("%q is not a command line of pepsim", line)
	}
	var stdout, stderr bytes.Buffer
	if err := run(args[1:], strings.NewReader(""), &stdout, &stderr); err != nil {
		t.Errorf("%s: %v", line, err)
	}
	return stdout.String()
}

// TestDoc runs the examples of the package comment and compares what they
// print. With -update it rewrites the comment.
func TestDoc(t *testing.T) {
	name, err := filepath.Abs("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	inExample(t)

	const code, command = "//\t", "//\t$ "
	var doc []string
	lines := strings.SplitAfter(string(old), "\n")
	isOutput := func(i int) bool {
		return strings.HasPrefix(lines[i], code) && !strings.HasPrefix(lines[i], command)
	}
	for i := 0; i < len(lines); i++ {
		doc = append(doc, lines[i])
		text, ok := strings.CutPrefix(lines[i], command)
		if !ok {
			continue
		}
		for out := range strings.Lines(pepsim(t, text)) {
			doc = append(doc, strings.TrimRight(code+out, " \t\n")+"\n")
		}
		// What it printed before ends where the comment goes on, or with the
		// next command; an empty line may be part of it.
		for isOutput(i+1) || lines[i+1] == "//\n" && isOutput(i+2) {
			i++
		}
	}
	got := strings.Join(doc, "")
	if got == string(old) {
		return
	}
	if !*update {
		t.Errorf("the examples of doc.go print something else; go test -update rewrites them (-doc +printed):\n%s", cmp.Diff(string(old), got))
		return
	}
	if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestUsage runs the examples of all usage texts.
func TestUsage(t *testing.T) {
	inExample(t)
	for _, text := range append(slices.Collect(maps.Values(commandUsage)), usage) {
		_, examples, _ := strings.Cut(text, "Examples:\n")
		for line := range strings.Lines(examples) {
			if line = strings.TrimSpace(line); line != "" {
				pepsim(t, line)
			}
		}
	}
}

// TestUsageIsComplete: every command and every flag is described.
func TestUsageIsComplete(t *testing.T) {
	for _, cmd := range commands {
		if !strings.Contains(usage, "\tpepsim "+cmd.name) {
			t.Errorf("pepsim help does not name %s", cmd.name)
		}
		text := commandUsage[cmd.name]
		if !strings.HasPrefix(text, "pepsim "+cmd.name) {
			t.Errorf("no usage of %s", cmd.name)
		}
		flags := flag.NewFlagSet(cmd.name, flag.ContinueOnError)
		flags.Usage = func() {}
		flags.SetOutput(io.Discard)
		if err := cmd.run(&call{flags: flags, args: []string{"-h"}}); err != errHelp {
			t.Errorf("%s -h: got %v, want %v", cmd.name, err, errHelp)
		}
		flags.VisitAll(func(f *flag.Flag) {
			if !strings.Contains(text, "\t-"+f.Name+" ") {
				t.Errorf("the usage of %s does not describe -%s", cmd.name, f.Name)
			}
		})
	}
}
