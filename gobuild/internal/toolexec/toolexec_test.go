package toolexec

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/gobuild/internal/plan"
	"github.com/pepgo/pep/instrument"
)

// The user sees where the instrumenter failed and what to do. The people who mend it
// see the stack.
func TestReportInternal(t *testing.T) {
	var stderr bytes.Buffer
	err := reportInternal(&stderr, &instrument.InternalError{
		Package: "p", Phase: "rewrite", Func: "x.go:3: func f", Cause: "no else", Stack: []byte("goroutine 1 [running]:\n"),
	})
	const want = "internal error in phase rewrite, at x.go:3: func f: no else: the stack is printed above; -peppkg can exclude the package p"
	if err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if !strings.Contains(stderr.String(), "goroutine 1 [running]:\n") {
		t.Errorf("no stack on standard error: %q", &stderr)
	}
}

func TestFlagsOfTools(t *testing.T) {
	tl := &tool{args: []string{"-o", "out.a", "-p=main", "-V=full", "x.go", "-importcfg"}}
	for _, test := range []struct {
		name, value string
		index       int
	}{
		{"-o", "out.a", 1},
		{"-p", "main", 2},
		{"-V", "full", 3},
		{"-importcfg", "", -1}, // without a value
		{"-x", "", -1},
	} {
		if value, i := tl.flag(test.name); value != test.value || i != test.index {
			t.Errorf("flag(%s) = %q, %d, want %q, %d", test.name, value, i, test.value, test.index)
		}
	}
	args := []string{"-o", "a", "-p=b"}
	got := append(withFlag(args, 1, "-o", "c"), withFlag(args, 2, "-p", "d")...)
	if diff := cmp.Diff([]string{"-o", "c", "-p=b", "-o", "a", "-p=d"}, got); diff != "" {
		t.Error(diff)
	}
	if args[1] != "a" {
		t.Error("withFlag changes its argument")
	}
}

// The rules are those of cmd/internal/objabi.
func TestTrimmed(t *testing.T) {
	for _, test := range []struct{ name, rewrites, want string }{
		{"/src/a.go", "", "/src/a.go"},
		{"/src/a.go", "/src=>example.com/m", "example.com/m/a.go"},
		{"/src/a.go", "/tmp/b001=>;/src=>m", "m/a.go"},
		{"/tmp/b001/a.go", "/tmp/b001=>;/src=>m", "a.go"},
		{"/srcs/a.go", "/src=>m", "/srcs/a.go"},
		{"/src", "/src=>m", "m"},
		{"/src/a.go", "/src", "a.go"},
	} {
		if got := trimmed(test.name, test.rewrites); got != test.want {
			t.Errorf("trimmed(%q, %q) = %q, want %q", test.name, test.rewrites, got, test.want)
		}
	}
}

// The package runs tools other than the compiler and the linker, and commands without a
// tag, as they are, and passes on their exit codes.
func TestPassOn(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"asm", "compile", "link"} {
		script := "#!/bin/sh\necho " + name + " \"$@\"\necho err >&2\nexit 7\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"-V=full"}, {"-p", "x", "x.go"}} {
			var stdout, stderr bytes.Buffer
			code, err := Run(append([]string{filepath.Join(dir, name)}, args...), nil, &stdout, &stderr)
			want := name + " " + strings.Join(args, " ") + "\n"
			if code != 7 || err != nil || stdout.String() != want || stderr.String() != "err\n" {
				t.Errorf("%s %q: %d, %v, stdout %q, stderr %q", name, args, code, err, &stdout, &stderr)
			}
		}
	}
	// The package removes a tag, also with -V=full: the go command asks for the version of
	// a tool with flags that belong to no package.
	var stdout, stderr bytes.Buffer
	code, _ := Run([]string{filepath.Join(dir, "compile"), "-V=full", plan.Tag{Work: plan.Rewrite, Tool: "x"}.Arg()}, nil,
		&stdout, &stderr)
	if code != 7 || stdout.String() != "compile -V=full\n" {
		t.Errorf("%d, %q", code, &stdout)
	}
	if code, err := Run(nil, nil, &stdout, &stderr); code != 2 || err == nil {
		t.Errorf("without a tool: %d, %v", code, err)
	}
	if code, err := Run([]string{filepath.Join(dir, "none")}, nil, &stdout, &stderr); code != 1 || err == nil {
		t.Errorf("without an executable: %d, %v", code, err)
	}
}

func TestCompileCommandsOfUnknownForm(t *testing.T) {
	tag := plan.Tag{Work: plan.Rewrite, Mode: plan.Polls, Tool: "x"}.Arg()
	for _, args := range [][]string{
		{tag},
		{tag, "-p", "x", "-o", "x.a", "x.go"},
		{tag, "-p", "x", "-o", "x.a", "-importcfg", "cfg"},
		{plan.Tag{Work: plan.Branches, Tool: "x"}.Arg(), "-p", "x", "-o", "x.a", "x.go"},
		{plan.Tag{Work: plan.Counts, Counts: "x"}.Arg(), "-p", "x", "-o", "x.a", "x.go"},
		{plan.TagFlag + "=nonsense", "-p", "x"},
		{plan.Tag{Work: plan.Rewrite, Mode: plan.Polls, Tool: "x", Compiler: "y"}.Arg(), "-p", "x"}, // plan.Env is not set
	} {
		code, err := Run(append([]string{"/nowhere/compile"}, args...), nil, nil, nil)
		if code != 1 || err == nil {
			t.Errorf("%q: %d, %v, want an error", args, code, err)
		}
	}
}

// Lines of an importcfg may be longer than a bufio.Scanner takes.
func TestReadImports(t *testing.T) {
	long := strings.Repeat("x/", 50000)
	name := filepath.Join(t.TempDir(), "importcfg")
	text := "# import config\nimportmap a=vendor/a\npackagefile vendor/a=/a.a\npackagefile " + long +
		"=/b=c.a\n\npackagefile last=/l.a"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	imp, err := readImports(name)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"vendor/a": "/a.a", long: "/b=c.a", "last": "/l.a"}
	if diff := cmp.Diff(want, imp.file); diff != "" {
		t.Error(diff)
	}
	if imp.mapping["a"] != "vendor/a" {
		t.Errorf("got %q", imp.mapping)
	}
	if pkg, err := imp.Import("unsafe"); err != nil || pkg.Path() != "unsafe" {
		t.Errorf("unsafe: %v, %v", pkg, err)
	}
	if _, err := imp.Import("none"); err == nil || !strings.Contains(err.Error(), `no export data for "none"`) {
		t.Errorf("none: %v", err)
	}
	if _, err := imp.Import("a"); err == nil || !strings.Contains(err.Error(), "/a.a") {
		t.Errorf("a: %v", err)
	}
}
