package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/internal/check"
)

func TestModules(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"./...", ".: ./...; lab: ./..."},
		{"./runtime/core ./lab/torture ./...", ".: ./runtime/core ./...; lab: ./torture ./..."},
		{"-run X ./runtime/... ./labels", ".: -run X ./runtime/... ./labels"},
		{"-short ./lab/...", "lab: -short ./..."},
		{"./lab .", ".: .; lab: ."},
		{"-short", ".: -short ./...; lab: -short ./..."},
	} {
		var got []string
		for _, m := range modules(strings.Fields(c.args)) {
			got = append(got, m.dir+": "+strings.Join(m.args, " "))
		}
		if d := cmp.Diff(c.want, strings.Join(got, "; ")); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.args, d)
		}
	}
}

// What fails in lab is found as what fails in the product, and there is one count.
func TestRunChecksBothModules(t *testing.T) {
	const test = "package m\n\nimport \"testing\"\n\n"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example.com/m\n\ngo 1.26\n",
		"m_test.go":     test + "func TestGood(t *testing.T) {}\n",
		"lab/go.mod":    "module example.com/m/lab\n\ngo 1.26\n",
		"lab/m_test.go": test + "func TestBad(t *testing.T) { t.Error(\"planted\") }\n\nfunc FuzzGood(f *testing.F) { f.Fuzz(func(t *testing.T, b []byte) {}) }\n",
		"lab/v/v.go":    "package v\n\nimport \"fmt\"\n\nfunc v() { fmt.Printf(\"%d\", \"planted\") }\n",
		"lab/f/f.go":    "package f\n\n\n\nvar planted int\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, c := range []struct {
		args  string
		want  check.Count
		lines []string
	}{
		{"./...", check.Count{Passed: 3, Failed: 3},
			[]string{"FAIL  gofmt\nlab/f/f.go\n", "ok    go vet\n", "FAIL  go vet in lab\n", "ok    example.com/m  ",
				"FAIL  example.com/m/lab TestBad\n"}},
		{"-short", check.Count{Passed: 2, Failed: 1}, []string{"ok    go vet\n", "ok    example.com/m  "}},
		{"-beyond", check.Count{Passed: 2, Failed: 5},
			[]string{"FAIL  go vet in lab\n", "FAIL  example.com/m/lab TestBad\n", "FAIL  building staticcheck\n",
				"ok    fuzz example.com/m/lab FuzzGood  "}},
		{"-fuzzeach=100ms ./...", check.Count{Passed: 1}, []string{"ok    fuzz example.com/m/lab FuzzGood  "}},
		{"-fuzzeach=100ms .", check.Count{Failed: 1}, []string{"no fuzz tests"}},
	} {
		var out strings.Builder
		if got := run(strings.Fields(c.args), &out); got != c.want {
			t.Errorf("%s: got %v, want %v\n%s", c.args, got, c.want, &out)
		}
		for _, line := range c.lines {
			if !strings.Contains(out.String(), line) {
				t.Errorf("%s: no %q in\n%s", c.args, line, &out)
			}
		}
	}
}
