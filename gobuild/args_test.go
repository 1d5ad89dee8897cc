package gobuild

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pepgo/pep/gobuild/internal/plan"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name string
		args string
		want Args
	}{
		{"Without a verb it builds.", "", Args{Verb: "build"}},
		{"Flags of the go command are kept in order.", "build -v -o=x -tags a,b ./cmd",
			Args{Verb: "build", GoFlags: []string{"-v=true", "-o=x", "-tags=a,b"}, Patterns: []string{"./cmd"}}},
		{"Two dashes are one.", "build --race --pepmode=exact",
			Args{Verb: "build", Plan: plan.Plan{Mode: "exact"}, GoFlags: []string{"-race=true"}}},
		{"Ours are taken out.", "-pepmode exact -peppkg=a,b/... -pepdump=d -peptruncate=backedge -pepbisect=v01-101 .",
			Args{Verb: "build", Plan: plan.Plan{Mode: "exact", Packages: []string{"a", "b/..."}, Dump: "d", Truncate: "backedge",
				Bisect: "v01-101"}, Patterns: []string{"."}}},
		{"The order of edges can be chosen.", "build -pepmode=polls -peporder=coldest",
			Args{Verb: "build", Plan: plan.Plan{Mode: "polls", Order: "coldest"}}},
		{"Windows count paths of some packages, if the user says which.", "build -peppkg=./...",
			Args{Verb: "build", Plan: plan.Plan{Packages: []string{"./..."}}}},
		{"Taps come alone.", "run -peptaps=loads -pepdump=d .",
			Args{Verb: "run", Plan: plan.Plan{Mode: "taps", Taps: plan.Taps{Kinds: "loads"}, Dump: "d"},
				Patterns: []string{"."}}},
		{"Taps come with paths that the user asks for.", "build -peptaps=loads -pepmode=polls",
			Args{Verb: "build", Plan: plan.Plan{Mode: "polls", Taps: plan.Taps{Kinds: "loads"}}}},
		{"-gcflags and -C are put where they must be later.", "build -C dir -gcflags=-m -gcflags all=-N",
			Args{Verb: "build", Dir: "dir", Gcflags: []string{"-m", "all=-N"}}},
		{"A program's arguments are its own.", "run -x . -pepmode=none --",
			Args{Verb: "run", GoFlags: []string{"-x=true"}, Patterns: []string{"."}, Rest: []string{"-pepmode=none", "--"}}},
		{"Files make up a program.", "run a.go b.go c",
			Args{Verb: "run", Patterns: []string{"a.go", "b.go"}, Rest: []string{"c"}}},
		{"Flags of tests may follow packages.", "test -c=0 ./... -run X -pepmode exact -test.v=true -args -y",
			Args{Verb: "test", Plan: plan.Plan{Mode: "exact"}, GoFlags: []string{"-c=false", "-run=X", "-v=true"},
				Patterns: []string{"./..."}, Rest: []string{"-y"}}},
		{"Flags that go test does not know are the tests', and what follows them may be their values.",
			"test . -update -run=X -golden y -v -- -x",
			Args{Verb: "test", GoFlags: []string{"-run=X", "-v=true"}, Patterns: []string{"."},
				Rest: []string{"-update", "-golden", "y", "--", "-x"}}},
		{"A second operand that is no value is the tests', as all that follows.", "test . -golden=y z -v",
			Args{Verb: "test", Patterns: []string{"."}, Rest: []string{"-golden=y", "z", "-v"}}},
		{"Behind a flag of the tests there are no packages.", "test -update ./a",
			Args{Verb: "test", Rest: []string{"-update", "./a"}}},
		{"Behind a flag of go test there are.", "test -v ./a -short ./b",
			Args{Verb: "test", GoFlags: []string{"-v=true", "-short=true"}, Patterns: []string{"./a"}, Rest: []string{"./b"}}},
		{"Only what is handed on to tests may begin with test.", "test -test.race -test.count 3 -test.v=test2json",
			Args{Verb: "test", GoFlags: []string{"-count=3", "-v=test2json"}, Rest: []string{"-test.race"}}},
		{"Booleans are spelt in many ways.", "build -race=1 -msan=T -asan=True -x=TRUE -v=t -n=0 -a=F -json=false -work=False -cover=f -buildvcs=auto -buildvcs=0",
			Args{Verb: "build", GoFlags: []string{"-race=true", "-msan=true", "-asan=true", "-x=true", "-v=true", "-n=false",
				"-a=false",
				"-json=false", "-work=false", "-cover=false", "-buildvcs=auto", "-buildvcs=false"}}},
		{"A value may look like a flag, and hold the equals sign.", "build -ldflags -s -tags=a=b",
			Args{Verb: "build", GoFlags: []string{"-ldflags=-s", "-tags=a=b"}}},
		{"What would be refused may be taken back.",
			"test -cover -coverprofile=c.out -cover=0 -linkshared -linkshared=F -buildmode=plugin -buildmode=pie -toolexec=x -toolexec= -compiler=gccgo --compiler=gc",
			Args{Verb: "test", GoFlags: []string{"-cover=true", "-coverprofile=c.out", "-cover=false", "-linkshared=true",
				"-linkshared=false",
				"-buildmode=plugin", "-buildmode=pie", "-toolexec=x", "-toolexec=", "-compiler=gccgo", "-compiler=gc"}}},
	} {
		if test.want.Mode == "" {
			test.want.Mode = "windows"
		}
		got, err := Parse(strings.Fields(test.args))
		if err != nil {
			t.Errorf("%s %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(&test.want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Args{})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

// Every error names the flag and is a usage error. The scripts of cmd/pepbuild have the
// texts of the errors.
func TestParseErrors(t *testing.T) {
	for args, want := range map[string]string{
		"build -wrong":                      "-wrong",
		"build -run=x":                      "-run",
		"test -pepnosuch=1":                 "-pepnosuch",
		"test -c . -update":                 "-update",
		"test -c=true -golden=x":            "-golden",
		"build ---race":                     "---race",
		"build -=x":                         "-=x",
		"build -race=maybe":                 "-race=maybe",
		"build -cover=":                     "-cover=",
		"build -trimpath=yes":               "-trimpath=yes",
		"build -cover=T":                    "-cover",
		"build -cover=0 -coverpkg=x":        "-coverpkg",
		"build -linkshared=1":               "-linkshared",
		"build --linkshared=t":              "-linkshared",
		"build -buildmode archive":          "-buildmode=archive",
		"build -toolexec= -toolexec=x":      "-toolexec=x",
		"run -o=x .":                        "-o",
		"build -count=1":                    "-count",
		"test . -toolexec=x":                "-toolexec",
		"build -o":                          "-o",
		"build -pepmode=x":                  "-pepmode",
		"build -pepmode=sample":             "-pepmode=sample: want windows or polls or exact or cover or taps",
		"run -pepmode=windows -peptaps=ops": "take -pepmode=polls or -pepmode=exact for paths beside them",
		"run -pepmode=windows -pepdump=d":   "-pepdump: it is about code",
		"run -pepdump=d":                    "-pepdump: it is about code",
		"test -pepguide=p":                  "-pepguide: it is about code",
		"build -pepbisect=01":               "-pepbisect: it is about code",
		"build -peptruncate=join":           "-peptruncate: it is about code",
		"build -peporder=coldest":           "-peporder: it is about code",
		"build -pepwithout=polls":           "add -pepmode=polls",
		"build -pepopt=p -pepmode=polls":    "-pepopt=p: it builds a faster program",
		"build -peptable=t -pepmode=polls":  "-peptable=t: it is for pepbuild build",
		"build -peptaps=ops -pepopt=p":      "-pepopt=p: it builds a faster program",
		"build -linkshared":                 "-linkshared",
		"build -buildmode=shared":           "-buildmode",
		"build -covermode=atomic":           "-covermode",
		"vet .":                             "vet",
		"build ./a -v":                      "-v",
		"build -- -x":                       "-x",
		"run -pepx=1 .":                     "-pepx",
		"test -coverpkg=./...":              "-coverpkg",
		"build -peptruncate=loop":           "-peptruncate",
		"build -pepbisect=0-1+1 .":          "-pepbisect",
		"build -compiler=gccgo -race .":     "-compiler",
		"test -buildmode c-archive ./...":   "-buildmode",
	} {
		_, err := Parse(strings.Fields(args))
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", args, err, want)
		}
	}
}

// go list gets the flags that change which packages there are, or to what they are
// compiled.
func TestListFlags(t *testing.T) {
	a, err := Parse(strings.Fields("test -race -buildmode=pie -x -json -p 1 -tags=t -o y -c -v -run=X -vet=off -debug-trace=f ."))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"-race=true", "-buildmode=pie", "-tags=t"}
	if diff := cmp.Diff(want, a.listFlags()); diff != "" {
		t.Errorf("go list is given (-want +got)\n%s", diff)
	}
}

// The flags of GOFLAGS are read as the go command reads them, and those of the
// command line count more.
func TestGOFLAGS(t *testing.T) {
	for _, test := range []struct {
		verb, goflags string
		want          []string
		err           string
	}{
		{"build", "", nil, ""},
		{"build", "-race --msan=1\t-tags=a,b\n", []string{"-race=true", "-msan=true", "-tags=a,b"}, ""},
		{"build", `'-ldflags=-s -w' "-gcflags=all=-N -l" -tags="x'`,
			[]string{"-ldflags=-s -w", "-gcflags=all=-N -l", `-tags="x'`}, ""},
		{"build", "'-ldflags=-X \"main.v=a b\"'-race", []string{`-ldflags=-X "main.v=a b"`, "-race=true"}, ""},
		{"build", "-count=1 -nosuch -o=x", []string{"-o=x"}, ""},
		{"test", "-count=1 -test.run=X -short", []string{"-count=1", "-run=X", "-short=true"}, ""},
		{"build", "'-race", nil, "GOFLAGS: unterminated ' string"},
		{"build", "-race x", nil, `GOFLAGS: "x" is not a flag`},
		{"build", "''", nil, `GOFLAGS: "" is not a flag`},
		{"build", "-race=on", nil, "GOFLAGS: -race=on: want true or false"},
		{"build", "-tags x", nil, "GOFLAGS: flag -tags needs a value"},
	} {
		got, err := parseGOFLAGS(test.verb, test.goflags)
		if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); test.err == "" && (err != nil || diff != "") {
			t.Errorf("%s: error %v, -want +got\n%s", test.goflags, err, diff)
		}
		if test.err != "" && (err == nil || err.Error() != test.err) {
			t.Errorf("%s: error %v, want %s", test.goflags, err, test.err)
		}
	}
	b := build{given: &Args{GoFlags: []string{"-race=true", "-msan=false", "-buildmode=pie"}},
		args: &Args{GoFlags: []string{"-race=false", "-x=true"}}}
	if isOn(b.flags(), "race") || isOn(b.flags(), "msan") || !isOn(b.flags(), "x") {
		t.Error("isOn is wrong")
	}
	if got, i := last(b.flags(), "buildmode"); got != "pie" || i != 2 {
		t.Errorf("-buildmode=%s at %d", got, i)
	}
	if got, i := last(b.flags(), "tags"); got != "" || i != -1 {
		t.Errorf("-tags=%s at %d", got, i)
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
	got := b.gcflags([]string{"example.com/m", "fmt", "strings"}, map[string]plan.Tag{
		"example.com/m": {Work: plan.Branches, Tool: "x"}, "fmt": {Work: plan.Branches, Tool: "x"},
		"strings": {Work: plan.Main, Tool: "y"},
	})
	want := []string{
		"-gcflags=-m", "-gcflags=all=-N -l", "-gcflags=fmt=-S", "-gcflags=-d=x=1",
		"-gcflags=example.com/m=-d=x=1 -pep=branches,tool=x",
		"-gcflags=fmt=-S -pep=branches,tool=x",
		"-gcflags=strings=-N -l -pep=main,tool=y",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// The go command compares directories faster than import paths. It must match the one package.
func TestPatterns(t *testing.T) {
	t.Chdir(t.TempDir())
	current, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	at := func(dir string) string { return filepath.Join(current, dir) }
	b := &build{deps: []*pkg{
		{ImportPath: "m", Dir: at("."), Imports: []string{"beside", "m/none", "vendored"},
			ImportMap: map[string]string{"vendored": "m/v"}},
		{ImportPath: "m/a", Dir: at("a")},
		{ImportPath: "above", Dir: at("..")},
		{ImportPath: "beside", Dir: at("../beside"), DepOnly: true, Imports: []string{"m/far"}},
		{ImportPath: "m/far", Dir: at("far"), DepOnly: true},
		{ImportPath: "m/v", Dir: at("v"), DepOnly: true},
		{ImportPath: "m/helper", Dir: at("helper"), DepOnly: true},
		{ImportPath: "m/t.test", Name: "main", Dir: at("test.main"), Imports: []string{"m/main"}},
		{ImportPath: "m/main", Dir: at("main"), DepOnly: true},
		{ImportPath: "m/t", Dir: at("t")},
		{ImportPath: "m/t [m/t.test]", Dir: at("t"), ForTest: "m/t", Imports: []string{"m/helper"}},
		{ImportPath: "m/x", Dir: at("x")},
		{ImportPath: "m/x_test [m/x.test]", Dir: at("x"), ForTest: "m/x"},
		{ImportPath: "m/e", Dir: at("e=f")},
		{ImportPath: "m/d", Dir: at("d...d")},
		{ImportPath: "m/s", Dir: at("s ")},
		{ImportPath: "m/none"},
	}}
	pattern := b.patterns()
	for path, want := range map[string]string{
		"m":        ".",
		"m/a":      "./a",
		"above":    "..",
		"beside":   "../beside",
		"m/t":      "./t",
		"m/x":      "m/x", // its external test has the same directory
		"m/x_test": "m/x_test",
		"m/e":      "m/e", // a pattern ends at the first =
		"m/d":      "m/d", // dots are a wildcard
		"m/s":      "m/s", // spaces around a pattern do not count
		"m/none":   "m/none",
		"m/far":    "./far",
		"m/v":      "./v",
		"m/helper": "m/helper", // tests alone import it
		"m/main":   "m/main",   // the main package of tests alone imports it
		"other":    "other",
	} {
		if got := pattern(path); got != want {
			t.Errorf("%s: pattern %q, want %q", path, got, want)
		}
	}
}

// splitQuoted returns the fields that quoted has quoted.
func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"/bin/pepbuild":      "/bin/pepbuild",
		"/my bin/pepbuild":   "'/my bin/pepbuild'",
		"/it's my/pepbuild":  `"/it's my/pepbuild"`,
		"/it's/\"pepbuild\"": "/it's/\"pepbuild\"",
		"'x'":                `"'x'"`,
		"":                   "''",
	} {
		got, err := quoted(in)
		if err != nil || got != want {
			t.Errorf("quoted(%s) = %s, %v, want %s", in, got, err, want)
		}
		if fields, err := splitQuoted(" " + got + " x"); err != nil || !slices.Equal(fields, []string{in, "x"}) {
			t.Errorf("%s is split into %q, %v", got, fields, err)
		}
	}
	if got, err := quoted(`a 'b' "c"`); err == nil || !strings.Contains(err.Error(), "both kinds of quotation marks") {
		t.Errorf("both marks and a space: %s, %v", got, err)
	}
}

// Builds with -peptable and -pepopt have nothing profiled, whatever the default is.
func TestPlainBuilds(t *testing.T) {
	for flag, want := range map[string]plan.Mode{"-peptable=t": plan.Table, "-pepopt=p": plan.Layout} {
		if a, err := Parse([]string{"build", flag}); err != nil || a.Mode != want || a.Mode.Kind().Rewrites ||
			a.Mode.Kind().Runtime {
			t.Errorf("%s: %+v, %v", flag, a, err)
		}
	}
}
