// Package commandtest checks that the documentation of programs of package command is true:
// it runs the examples of the package comment and of the usage texts, in a directory with
// files for them.
//
//	func TestDoc(t *testing.T)   { commandtest.Doc(t, &greet, makeExample, *update) }
//	func TestUsage(t *testing.T) { commandtest.Usage(t, &greet, makeExample) }
//
// In a package comment, the output of a command stands beneath it:
//
//	$ greet hello -loud World
//	HELLO, WORLD
//
// In a usage text the commands stand alone, as the lines behind "Examples:". Those behind "Examples (as root):" and the
// like are not run.
package commandtest

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pepgo/pep/internal/command"
)

// in makes a directory, has files put into it, and makes it the working directory.
func in(t *testing.T, files func(dir string) error) {
	t.Helper()
	dir := t.TempDir()
	if err := files(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("COLUMNS", "")
	t.Setenv("PEPDIR", "")
}

// run runs a command line as a shell would, as far as words and quotes go.
func run(t *testing.T, p *command.Program, line string) string {
	t.Helper()
	var args []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		args = append(args, m[1]+m[2])
	}
	if len(args) == 0 || args[0] != p.Name {
		t.Fatalf("%q is not a command line of %s", line, p.Name)
	}
	var stdout, stderr bytes.Buffer
	if code := p.Run(args[1:], strings.NewReader(""), &stdout, &stderr); code != 0 {
		t.Errorf("%s: exit code %d: %s", line, code, &stderr)
	}
	return stdout.String()
}

// Doc runs the examples of the package comment in doc.go and compares what they
// print. With update it rewrites the comment.
func Doc(t *testing.T, p *command.Program, files func(dir string) error, update bool) {
	name, err := filepath.Abs("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	in(t, files)
	got := printed(string(old), func(line string) string { return run(t, p, line) })
	if got == string(old) {
		return
	}
	if !update {
		t.Errorf("the examples of doc.go print something else; go test -update rewrites them (-doc +printed):\n%s",
			cmp.Diff(string(old), got))
		return
	}
	if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// printed is a file with what run prints beneath each command.
func printed(file string, run func(line string) string) string {
	const code, command = "//\t", "//\t$ "
	var doc []string
	lines := strings.SplitAfter(file, "\n")
	isOutput := func(i int) bool {
		return strings.HasPrefix(lines[i], code) && !strings.HasPrefix(lines[i], command)
	}
	for i := 0; i < len(lines); i++ {
		doc = append(doc, lines[i])
		text, ok := strings.CutPrefix(lines[i], command)
		if !ok {
			continue
		}
		for out := range strings.Lines(run(strings.TrimSpace(text))) {
			doc = append(doc, strings.TrimRight(code+out, " \t\n")+"\n")
		}
		// The old output ends where the comment goes on, or with the next command.
		// An empty line may be part of the output.
		for isOutput(i+1) || lines[i+1] == "//\n" && isOutput(i+2) {
			i++
		}
	}
	return strings.Join(doc, "")
}

// Usage runs the examples of all usage texts, and checks that every text has some, that every verb and every
// flag is described, and that -version is the verb version.
func Usage(t *testing.T, p *command.Program, files func(dir string) error) {
	in(t, files)
	examples(t, p, p.Usage)
	for _, flag := range []string{" -version", " --version"} {
		if got, want := run(t, p, p.Name+flag), run(t, p, p.Name+" version"); got != want {
			t.Errorf("%s%s prints %q, want %q", p.Name, flag, got, want)
		}
	}
	for _, v := range p.Verbs {
		if !strings.Contains(p.Usage, "\t"+p.Name+" "+v.Name) {
			t.Errorf("%s help does not name %s", p.Name, v.Name)
		}
		if !strings.HasPrefix(v.Usage, p.Name+" "+v.Name) {
			t.Errorf("no usage of %s", v.Name)
		}
		c := p.Call(v, "-h")
		if err := v.Run(c); err != flag.ErrHelp {
			t.Errorf("%s -h: got %v, want %v", v.Name, err, flag.ErrHelp)
		}
		c.Flags.VisitAll(func(f *flag.Flag) {
			if f.Name == "json" && !v.Lists {
				return
			}
			if !strings.Contains(v.Usage, "\t-"+f.Name+" ") {
				t.Errorf("the usage of %s does not describe -%s", v.Name, f.Name)
			}
		})
		if !strings.Contains(v.Usage, "\nExamples") {
			t.Errorf("the usage of %s has no examples", v.Name)
		}
		examples(t, p, v.Usage)
	}
}

func examples(t *testing.T, p *command.Program, usage string) {
	t.Helper()
	_, lines, _ := strings.Cut(usage, "\nExamples:\n")
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line != "" {
			run(t, p, line)
		}
	}
}

// ExitCode is a command of test scripts. It runs a command that must end with the
// given exit code.
//
//	exitcode 2 greet helo
func ExitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode code command arg...")
	}
	got := "0"
	if exit, ok := errors.AsType[*exec.ExitError](ts.Exec(args[1], args[2:]...)); ok {
		got = strconv.Itoa(exit.ExitCode())
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}
