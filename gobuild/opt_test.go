package gobuild

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/gobuild/internal/plan"
)

// writeEdges writes a profile of edges of the function main.f: how often its if was true and false.
func writeEdges(t *testing.T, yes, no string) (name string) {
	t.Helper()
	const edge = "edge func=main.f at=/src/main.go:3 branch=main.go:4:5 kind=if outcome=OUTCOME line=5 count=COUNT\n"
	data, err := proftest.Encode("profile edges\nbinary /bin/app\nbuild 5eed\nperiod 1 count\n" +
		strings.NewReplacer("OUTCOME", "true", "COUNT", yes).Replace(edge) + strings.NewReplacer("OUTCOME", "false", "COUNT",
		no).Replace(edge))
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(t.TempDir(), "app.edges.pb.gz")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// Profiles weigh as much as the user says, however long the runs were.
func TestWeights(t *testing.T) {
	short, long := writeEdges(t, "30", "10"), writeEdges(t, "0", "360")
	for value, want := range map[string][]float64{
		short:                         {30, 10},
		"9*" + short:                  {30, 10},
		short + "," + long:            {150, 50, 200},
		"3*" + short + ",1e0*" + long: {225, 75, 100},
	} {
		b := &build{args: &Args{Plan: plan.Plan{Opt: value}}}
		list, err := b.optProfiles()
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, funcs := range list {
			for _, outcome := range []string{"true", "false"} {
				if n := funcs[0].Branches[0].Outcomes[outcome]; n > 0 {
					got = append(got, n)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", value, diff)
		}
	}
	for value, want := range map[string]string{
		"x*" + short: "is no weight", "-1*" + short: "is no weight", "NaN*" + short: "is no weight",
		"1e300*" + short: "is no weight",
		"":               "a name of a profile is missing", short + ",": "a name of a profile is missing",
	} {
		if _, err := weightedProfiles(value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", value, err, want)
		}
	}
}

// hostileSource is of package main, and what its profile may say of it stands at 4:5 and at 9:2.
const hostileSource = `package main

func f(a bool) {
	if a {
	}
}

func (t *T) g(list []int) {
	for range list {
	}
}
`

// Profiles that are damaged, or made to do harm, are refused by name or say nothing of the source. None takes minutes,
// as it would if the work grew with the square of a profile.
func TestHostileProfiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(hostileSource), 0o666); err != nil {
		t.Fatal(err)
	}
	const head = "profile edges\nbinary /bin/app\nbuild 5eed\nperiod 1 count\n"
	edge := func(f, branch, outcome, count string) string {
		return fmt.Sprintf("edge func=%q at=/src/main.go:3 branch=%q kind=if outcome=%s line=5 count=%s\n", f, branch,
			outcome, count)
	}
	good := edge("main.f", "main.go:4:5", "true", "7")
	encode := func(text string) []byte {
		data, err := proftest.Encode(head + text)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	zeros := func(n int) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		for range n >> 20 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	many := func(n int, edge func(i int) string) []byte {
		var b strings.Builder
		for i := range n {
			b.WriteString(edge(i))
		}
		return encode(b.String())
	}
	const nothing = ""
	for _, test := range []struct {
		name string
		data []byte
		err  string // "" if there is none
		want string // the counts that the compiler gets
	}{
		{"a good one", encode(good), "", "file main.go,4 2 F 0,4 2 T 7"},
		{"empty file", nil, "the file is empty", nothing},
		{"no edges", encode(""), "it counts no branch at all", nothing},
		{"counts of 0", encode(edge("main.f", "main.go:4:5", "true", "0")), "it counts no branch at all", nothing},
		{"truncated", encode(good)[:100], "the file ends early", nothing},
		{"damaged", slices.Replace(encode(good), 20, 40, make([]byte, 20)...), "the file is damaged", nothing},
		{"gzip bomb", zeros(300 << 20), "because of its size", nothing},
		{"negative count", encode(edge("main.f", "main.go:4:5", "true", "-5")), "negative count -5", nothing},
		{"huge count", encode(edge("main.f", "main.go:4:5", "true", "4611686018427387904")), "",
			"file main.go,4 2 F 0,4 2 T 9007199254740992"},
		{"huge counts", encode(good + strings.Repeat(edge("main.f", "main.go:4:5", "false", "4611686018427387904"), 2)),
			"add up to more than 2^63-1", nothing},
		{"the same branch again", encode(good + good), "", "file main.go,4 2 F 0,4 2 T 14"},
		{"the same branch in closures", encode(good + edge("main.f.func1", "main.go:4:5", "true",
			"1") + edge("main.f.func2.1", "main.go:4:5", "false", "2")), "",
			"file main.go,4 2 F 2,4 2 T 8"},
		{"line 0", encode(edge("main.f", "main.go:0:5", "true", "7")), "", "file main.go,4 2 F 0,4 2 T 7"},
		{"negative line", encode(edge("main.f", "main.go:-4:5", "true", "7")), "want file:line:col", nothing},
		{"huge line", encode(edge("main.f", "main.go:4294967300:5", "true", "7")),
			"line or column 4294967300 is out of range", nothing},
		{"line beyond all numbers", encode(edge("main.f", "main.go:9223372036854775808:5", "true", "7")), "out of range",
			nothing},
		{"huge column", encode(edge("main.f", "main.go:4:4294967301", "true", "7")),
			"line or column 4294967301 is out of range", nothing},
		{"column 0", encode(edge("main.f", "main.go:4:0", "true", "7")), "", nothing},
		{"file above", encode(edge("main.f", "../../main.go:4:5", "true", "7")), "", "file main.go,4 2 F 0,4 2 T 7"},
		{"file is a folder", encode(edge("main.f", "..:4:5", "true", "7")), "", nothing},
		{"file with a line", encode(edge("main.f", "main.go\n4 2 T 9\n.go:4:5", "true", "7")), "want file:line:col", nothing},
		{"file with spaces", encode(edge("main.f", "main.go 4 2 T 9:4:5", "true", "7")), "", nothing},
		{"function with a line", encode(edge("main.f\n4 2 T 9", "main.go:4:5", "true", "7")), "", nothing},
		{"function of brackets", encode(edge("main."+strings.Repeat("[", 1<<20)+strings.Repeat("]", 1<<20), "main.go:4:5",
			"true", "7")), "", nothing},
		{"function of dots", encode(edge("main"+strings.Repeat(".f", 1<<20), "main.go:4:5", "true", "7")), "",
			"file main.go,4 2 F 0,4 2 T 7"},
		{"outcome of nothing", encode(edge("main.f", "main.go:4:5", "perhaps", "7")), "", "file main.go,4 2 F 0,4 2 T 0"},
		{"another program", encode(edge("other.f", "main.go:4:5", "true", "7")), "", nothing},
		{"many packages", many(100_000, func(i int) string {
			return edge(fmt.Sprintf("p%d.f", i), "main.go:4:5", "true",
				"1")
		}), "", nothing},
		{"many functions", many(100_000, func(i int) string {
			return edge(fmt.Sprintf("main.f%d", i), "main.go:4:5", "true",
				"1")
		}), "", nothing},
		{"many closures", many(100_000, func(i int) string {
			return edge(fmt.Sprintf("main.f.func%d", i), "main.go:4:5",
				"true", "1")
		}), "",
			"file main.go,4 2 F 0,4 2 T 100000"},
		{"many branches", many(100_000, func(i int) string {
			return edge("main.f", fmt.Sprintf("main.go:%d:5", i), "true",
				"1")
		}), "", nothing},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "hostile.pb.gz")
			if err := os.WriteFile(name, test.data, 0o666); err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			b := &build{args: &Args{Verb: "build", Plan: plan.Plan{Opt: name, Places: plan.Places{CountsDir: t.TempDir()}}},
				stderr: &stderr,
				deps:   []*pkg{{ImportPath: "example.com/app", Name: "main", Dir: dir, GoFiles: []string{"main.go"}}}}
			start := time.Now()
			files, err := b.ownCounts([]string{"example.com/app"})
			if took := time.Since(start); took > time.Minute {
				t.Errorf("it takes %v", took)
			}
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) || !strings.HasPrefix(err.Error(), name+": ") {
					t.Errorf("%v, want %s: … %s", err, name, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if file := files["example.com/app"]; file != "" {
				data, err := os.ReadFile(filepath.Join(b.args.CountsDir, file))
				if err != nil {
					t.Fatal(err)
				}
				text, ok := strings.CutPrefix(string(data), "package main\n")
				if !ok {
					t.Errorf("the text is %q", data)
				}
				got = strings.ReplaceAll(strings.TrimSpace(text), "\n", ",")
			}
			if got != test.want {
				t.Errorf("the compiler gets %q, want %q", got, test.want)
			}
			if line := stderr.String(); strings.Count(line, "\n") != 1 {
				t.Errorf("pepbuild prints %q, want a line", line)
			}
		})
	}
}

// Names of functions begin with the paths of their packages, as the linker writes these.
func TestPrefix(t *testing.T) {
	for path, want := range map[string]string{"main": "main", "gopkg.in/yaml.v3": "gopkg.in/yaml%2ev3",
		"example.com/a.b/c": "example.com/a.b/c"} {
		if got := prefix(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
