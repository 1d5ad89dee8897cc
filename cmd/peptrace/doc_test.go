//go:build linux && amd64

package main

// This file runs the examples of the package comment and of the usage texts. Each has a
// process of its own, which does its work when the probes are attached, and ends.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/tracer"
)

// build builds the program of the examples, and returns its path.
func build(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", "tracer", "internal", "probe", "testdata", "target", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": string(source), "go.mod": "module app\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-trimpath", "-o", "app", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "app")
}

// A starter lets the program work when the command says that probes are there.
type starter struct {
	bytes.Buffer
	start func()
}

func (s *starter) Write(p []byte) (int, error) {
	n, err := s.Buffer.Write(p)
	if strings.Contains(s.String(), "^C ends\n") && s.start != nil {
		s.start()
		s.start = nil
	}
	return n, err
}

// runExample runs a command line, in which 4711 is a process that makes 2,000 calls. It returns
// the output with 4711 for its ID and 0.1 s for the time.
func runExample(t *testing.T, path, line string) string {
	t.Helper()
	target := exec.Command(path, "calls", "2", "1000")
	in, err := target.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	tooLong := time.AfterFunc(time.Minute, func() { target.Process.Kill() })
	defer tooLong.Stop()
	pid := fmt.Sprint(target.Process.Pid)
	var args []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		args = append(args, strings.ReplaceAll(m[1]+m[2], "4711", pid))
	}
	var stdout bytes.Buffer
	stderr := &starter{start: func() {
		io.WriteString(in, "\n")
		if !strings.Contains(line, "-d ") {
			in.Close() // it ends when it is done
		}
	}}
	if code := peptrace.Run(args[1:], strings.NewReader(""), &stdout, stderr); code != 0 {
		t.Errorf("%s: exit code %d: %s", line, code, stderr)
	}
	in.Close()
	if err := target.Wait(); err != nil {
		t.Errorf("%s: the program: %v", line, err)
	}
	out := strings.ReplaceAll(stdout.String(), "process "+pid, "process 4711")
	return regexp.MustCompile(`, \d+\.\d s until`).ReplaceAllString(out, ", 0.1 s until")
}

func needRights(t *testing.T) {
	t.Helper()
	if err := tracer.CheckRights(); err != nil {
		t.Skip(err)
	}
}

// The package comment has what the examples print.
func TestDoc(t *testing.T) {
	needRights(t)
	path := build(t)
	old, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	// The output of a command ends where text follows that is not indented. Empty lines of
	// the output are not indented either.
	var b strings.Builder
	lines := strings.SplitAfter(string(old), "\n")
	for i := 0; i < len(lines); i++ {
		b.WriteString(lines[i])
		command, ok := strings.CutPrefix(lines[i], "//\t$ ")
		if !ok {
			continue
		}
		for out := range strings.Lines(runExample(t, path, command)) {
			b.WriteString(strings.TrimRight("//\t"+out, "\t\n") + "\n")
		}
		end := i + 1
		for j := end; strings.HasPrefix(lines[j], "//\t") && !strings.HasPrefix(lines[j], "//\t$ ") ||
			lines[j] == "//\n"; j++ {
			if lines[j] != "//\n" {
				end = j + 1
			}
		}
		i = end - 1
	}
	got := b.String()
	if got == string(old) {
		return
	}
	if !*update {
		t.Errorf("the examples of doc.go print something else; go test -update rewrites them (-doc +printed):\n%s",
			cmp.Diff(string(old), got))
		return
	}
	if err := os.WriteFile("doc.go", []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The examples of the usage texts run.
func TestUsage(t *testing.T) {
	needRights(t)
	path := build(t)
	t.Chdir(t.TempDir())
	for _, v := range slices.Concat(probeVerbs, coldVerbs) {
		_, examples, _ := strings.Cut(v.Usage, "\nExamples:\n")
		for line := range strings.Lines(examples) {
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			out := runExample(t, path, line)
			if !strings.Contains(out, "main.") && v.Name != "version" {
				t.Errorf("%s prints %q", line, out)
			}
			if strings.Contains(line, "-json") && !json.Valid([]byte(out)) {
				t.Errorf("%s prints no JSON: %s", line, out)
			}
		}
	}
}
