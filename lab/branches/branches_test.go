package branches

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/branches"
	"github.com/pepgo/pep/internal/pepbuildtest"
)

// Counts through the table are those of coverage.
func TestCounts(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("valgrind is not in PATH")
	}
	pepbuild, err := pepbuildtest.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		program string
		args    []string
		cover   string // packages
	}{
		{"flate", []string{"1"}, "all"},
	} {
		t.Run(test.program, func(t *testing.T) {
			dir := t.TempDir()
			source, err := filepath.Abs("../../testprogs/" + test.program)
			if err != nil {
				t.Fatal(err)
			}
			command := func(env []string, name string, args ...string) []byte {
				t.Helper()
				cmd := exec.Command(name, args...)
				cmd.Dir, cmd.Env = source, append(os.Environ(), env...)
				var stderr strings.Builder
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s: %v\n%s", cmd, err, &stderr)
				}
				return out
			}
			exe, covered, file := filepath.Join(dir, "plain"), filepath.Join(dir, "covered"), filepath.Join(dir, "table")
			command(nil, pepbuild, "build", "-peptable="+file, "-o", exe, ".")
			command(nil, "go", "build", "-cover", "-covermode=count", "-coverpkg="+test.cover, "-o", covered, ".")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pkgs, err := branches.Read(data)
			if err != nil {
				t.Fatal(err)
			}
			WithRoot(pkgs, strings.TrimSpace(string(command(nil, "go", "env", "GOROOT"))))
			counts, err := Run(exe, pkgs, dir, test.args...)
			if err != nil {
				t.Fatal(err)
			}
			command(append([]string{"GOCOVERDIR=" + dir}, Env...), covered, test.args...)
			text := filepath.Join(dir, "coverage.txt")
			command(nil, "go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+text)

			dirs := map[string]string{}
			for dec := json.NewDecoder(strings.NewReader(string(command(nil, "go", "list", "-deps", "-json=ImportPath,Dir", ".")))); ; {
				var p struct{ ImportPath, Dir string }
				if err := dec.Decode(&p); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				dirs[p.ImportPath] = p.Dir
			}
			coverage, err := ReadCoverage(text, dirs)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Compare(counts, coverage)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bodies are equal, %d of them executed %d times; %d lost (%v), executed %d times; %d unknown", r.Equal, r.Executed, r.EqualN, r.Lost, r.LostBy, r.LostN, r.Unknown)
			for _, d := range r.Differ {
				t.Error(d)
			}
		})
	}
}
