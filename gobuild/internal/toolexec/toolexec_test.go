package toolexec

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/instrument"
	"github.com/pepgo/pep/instrument/pathnum"
	"github.com/pepgo/pep/instrument/rewrite"
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

func TestTagRoundTrip(t *testing.T) {
	for _, tag := range []Tag{
		{Mode: rewrite.Polls, Truncate: "header", Tool: "0123"},
		{Mode: rewrite.Taps, Truncate: "header", Tool: "0123", Taps: Taps{"loads,stores", `^main\.(f|"g" ),=%2C$`, "x.go:1-2,y.go", 7, true}},
		{Mode: rewrite.Polls, Truncate: "header", Tool: "0123", Compiler: "4567"},
		{Mode: rewrite.Polls, Truncate: "header", Tool: "0123", Without: "polls"},
		{Mode: rewrite.Polls, Truncate: "header", Order: "coldest", Tool: "0123", Guide: "89ab"},
		{Mode: rewrite.Exact, Truncate: "backedge", Tool: "0123", Taps: Taps{Kinds: "all"}, Bisect: "v!01+x1a-11", Dump: "/a dir/with,dump=and=commas,"},
	} {
		value, ok := strings.CutPrefix(tag.Arg(), TagFlag+"=")
		if !ok {
			t.Fatalf("%q does not begin with %s", tag.Arg(), TagFlag)
		}
		got, err := ParseTag(value)
		if err != nil || got != tag {
			t.Errorf("ParseTag(%q) = %+v, %v, want %+v", value, got, err, tag)
		}
	}
	for _, bad := range []string{"", "mode", "mode=polls,nosuch=1"} {
		if tag, err := ParseTag(bad); err == nil {
			t.Errorf("ParseTag(%q) = %+v, want an error", bad, tag)
		}
	}
	if got := (Tag{Truncate: "backedge"}).numbering().Truncate; got != pathnum.BackEdge {
		t.Errorf("backedge truncates by %v", got)
	}
	if got := (Tag{Truncate: "join"}).numbering().Truncate; got != pathnum.Join {
		t.Errorf("join truncates by %v", got)
	}
	if got := (Tag{Order: "coldest"}).numbering().Order; got != pathnum.Coldest {
		t.Errorf("coldest orders by %v", got)
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
	code, _ := Run([]string{filepath.Join(dir, "compile"), "-V=full", Tag{Tool: "x"}.Arg()}, nil, &stdout, &stderr)
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
	tag := Tag{Mode: rewrite.Polls, Truncate: "header", Tool: "x"}.Arg()
	for _, args := range [][]string{
		{tag},
		{tag, "-p", "x", "-o", "x.a", "x.go"},
		{tag, "-p", "x", "-o", "x.a", "-importcfg", "cfg"},
		{TagFlag + "=nonsense", "-p", "x"},
		{Tag{Mode: rewrite.Polls, Truncate: "header", Tool: "x", Compiler: "y"}.Arg(), "-p", "x"}, // EnvCompiler is not set
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
	text := "# import config\nimportmap a=vendor/a\npackagefile vendor/a=/a.a\npackagefile " + long + "=/b=c.a\n\npackagefile last=/l.a"
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

// FuzzTag checks that a tag that has been parsed and written parses as the same tag.
func FuzzTag(f *testing.F) {
	f.Add("mode=polls,truncate=header,tool=5d0c,taps=loads%2Cstores,funcs=%5Emain,range=x.go%3A1-2,sites=7,burst=1,dump=/a dir/with,dump=and,")
	f.Add("mode=exact,truncate=backedge,tool=0")
	f.Add("mode=%zz")
	f.Add("mode=a%2Cb,truncate=%25,tool=%2Cdump%3D")
	f.Fuzz(func(t *testing.T, s string) {
		tag, err := ParseTag(s)
		if err != nil {
			return
		}
		tag.Taps.Options() // an error or not
		value, _ := strings.CutPrefix(tag.Arg(), TagFlag+"=")
		again, err := ParseTag(value)
		if err != nil || again != tag {
			t.Errorf("%q is %+v and is written as %q, which is %+v, %v", s, tag, value, again, err)
		}
	})
}
