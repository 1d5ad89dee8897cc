package gobuild

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name string
		args string
		want Args
	}{
		{"Without a verb it builds.", "", Args{Verb: "build"}},
		{"Flags of the go command are kept in order.", "build -v -o=x -tags a,b ./cmd",
			Args{Verb: "build", GoFlags: []string{"-v", "-o=x", "-tags=a,b"}, Patterns: []string{"./cmd"}}},
		{"Two dashes are one.", "build --race --pepmode=exact",
			Args{Verb: "build", Mode: "exact", GoFlags: []string{"-race"}}},
		{"Ours are taken out.", "-pepmode exact -peppkg=a,b/... -pepdump=d -peptruncate=backedge -pepbisect=v01-101 .",
			Args{Verb: "build", Mode: "exact", Packages: []string{"a", "b/..."}, Dump: "d", Truncate: "backedge", Bisect: "v01-101", Patterns: []string{"."}}},
		{"-gcflags and -C are put where they must be later.", "build -C dir -gcflags=-m -gcflags all=-N",
			Args{Verb: "build", Dir: "dir", Gcflags: []string{"-m", "all=-N"}}},
		{"A program's arguments are its own.", "run -x . -pepmode=none --",
			Args{Verb: "run", GoFlags: []string{"-x"}, Patterns: []string{"."}, Rest: []string{"-pepmode=none", "--"}}},
		{"Files make up a program.", "run a.go b.go c",
			Args{Verb: "run", Patterns: []string{"a.go", "b.go"}, Rest: []string{"c"}}},
		{"Flags of tests may follow packages.", "test -c ./... -run X -pepmode exact -test.v=true -args -y",
			Args{Verb: "test", Mode: "exact", GoFlags: []string{"-c", "-run=X", "-test.v=true"}, Patterns: []string{"./..."}, Rest: []string{"-args", "-y"}}},
		{"Flags that go test does not know are the tests'.", "test . -update -run=X -golden=y z -v",
			Args{Verb: "test", GoFlags: []string{"-run=X"}, Patterns: []string{"."}, Rest: []string{"-update", "-golden=y", "z", "-v"}}},
		{"Boolean flags may have values.", "build -race=false -v=1", Args{Verb: "build", GoFlags: []string{"-race=false", "-v=1"}}},
	} {
		if test.want.Mode == "" {
			test.want.Mode = "sample"
		}
		if test.want.Truncate == "" {
			test.want.Truncate = "header"
		}
		got, err := Parse(strings.Fields(test.args))
		if err != nil {
			t.Errorf("%s %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(&test.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

// Every error names the flag and is a usage error. What they say is in the
// scripts of cmd/pepbuild.
func TestParseErrors(t *testing.T) {
	for args, want := range map[string]string{
		"build -wrong":                    "-wrong",
		"build -run=x":                    "-run",
		"test -nosuch":                    "-nosuch",
		"test . -toolexec=x":              "-toolexec",
		"build -o":                        "-o",
		"build -pepmode=x":                "-pepmode",
		"build -linkshared":               "-linkshared",
		"build -buildmode=shared":         "-buildmode",
		"build -covermode=atomic":         "-covermode",
		"vet .":                           "vet",
		"build ./a -v":                    "-v",
		"build -- -x":                     "-x",
		"run -pepx=1 .":                   "-pepx",
		"test -coverpkg=./...":            "-coverpkg",
		"build -peptruncate=loop":         "-peptruncate",
		"build -pepbisect=0-1+1 .":        "-pepbisect",
		"build -compiler=gccgo -race .":   "-compiler",
		"test -buildmode c-archive ./...": "-buildmode",
	} {
		_, err := Parse(strings.Fields(args))
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", args, err, want)
		}
	}
}

func TestFlagLookup(t *testing.T) {
	a, err := Parse(strings.Fields("build -race -msan=true -asan=false -buildmode=exe -buildmode=pie -x -p 1 -tags=t -o y ."))
	if err != nil {
		t.Fatal(err)
	}
	if !a.has("race") || !a.has("msan") || a.has("asan") || a.has("v") {
		t.Error("has is wrong")
	}
	if got := a.value("buildmode"); got != "pie" {
		t.Errorf("of two values, got %q, want the last", got)
	}
	want := []string{"-race", "-msan=true", "-asan=false", "-buildmode=exe", "-buildmode=pie", "-tags=t"}
	if diff := cmp.Diff(want, a.listFlags()); diff != "" {
		t.Errorf("go list is given (-want +got)\n%s", diff)
	}
}

// Of several -gcflags that match a package, the go command takes the last.
func TestGcflags(t *testing.T) {
	b := &build{
		args:  &Args{Gcflags: []string{"-m", "all=-N -l", "fmt=-S", "-d=x=1"}},
		given: &Args{Gcflags: []string{"all=-race"}},
		deps:  []*pkg{{ImportPath: "example.com/m"}, {ImportPath: "fmt", DepOnly: true}},
		goCmd: "go",
	}
	var err error
	if b.userFlags, err = b.gcflagsOf(); err != nil {
		t.Fatal(err)
	}
	got := b.gcflags([]string{"example.com/m", "fmt", "strings"}, "-pep=x")
	want := []string{
		"-gcflags=-m", "-gcflags=all=-N -l", "-gcflags=fmt=-S", "-gcflags=-d=x=1",
		"-gcflags=example.com/m=-d=x=1 -pep=x",
		"-gcflags=fmt=-S -pep=x",
		"-gcflags=strings=-N -l -pep=x",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"/bin/pepbuild":    "/bin/pepbuild",
		"/my bin/pepbuild": "'/my bin/pepbuild'",
		"/it's/pepbuild":   `"/it's/pepbuild"`,
	} {
		if got := quoted(in); got != want {
			t.Errorf("quoted(%s) = %s, want %s", in, got, want)
		}
	}
}
