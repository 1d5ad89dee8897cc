package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
)

// Profiles whose facts and labels have bounds, beside those of the example.
const (
	sampledPaths = `profile paths estimated
comment "pep: sampled PEP(64,17), tick 10ms cpu, 3 ticks, 190 samples, 2 dropped, 0 shortened, bursts weigh like 100 equal ones"
comment "pep: 66.7% of 3 ticks were outside of instrumented functions: runtime 66.7%"
comment "#pep.version=1 mode=sampled burst=64 stride=17 tick=10000000 clock=cpu ticks=3 samples=190 dropped=2 equal_bursts=100 ticks_placed=3 ticks_outside=2 ticks_outside_in/runtime=2"
binary /bin/app
build 5eed
period 10000000 cpu/nanoseconds
path func=main.f at=/x.go:10 path=p0 end=12 count=5000 flow=5000 samples=4 variance=250000 from=entry lines=10 branches="11:2 if true" callers=""
path func=main.f at=/x.go:10 path=p1 end=12 count=5000 flow=5000 samples=6 variance=1000000 from=entry lines=10 branches="11:2 if false" callers=""
`
	sampledEdges = `profile edges estimated
comment "pep: sampled PEP(64,17), tick 10ms cpu, 3 ticks, 190 samples, 2 dropped, 0 shortened, bursts weigh like 100 equal ones"
comment "#pep.version=1 mode=sampled burst=64 stride=17 tick=10000000 clock=cpu ticks=3 samples=190 dropped=2 equal_bursts=100"
binary /bin/app
build 5eed
period 10000000 cpu/nanoseconds
edge func=main.f at=/x.go:10 branch=x.go:11:2 kind=if outcome=true line=12 count=10000 samples=10 variance=250000 independent=60 callers=""
`
	notedValues = `profile values
comment "pep: sampled in windows, tick 10ms cpu, 3 ticks, 80 samples, 0 dropped, 0 shortened, 2 windows"
comment "#pep.version=1 mode=sampled form=windows tick=10000000 clock=cpu ticks=3 samples=80 windows=2"
binary /bin/app
build 5eed
period 10000000 cpu/nanoseconds
word func=main.f at=/x.go:10 site=x.go:11:2 kind=load expr=n type=int value=7 count=900 messages=40 count_error=40 share_error=50000 share_below=60000
word func=main.f at=/x.go:10 site=x.go:12:2 kind=load expr=p type=*int value=0x7f001000 form=address count=900 messages=40 count_error=40 share_error=1000 share_below=1000
`
)

// Programs write sentences into profiles for people. If every sentence is another one, in whatever words and with
// whatever numbers, pep prints the same but for the sentences themselves.
func TestSentencesDoNotMatter(t *testing.T) {
	ranges, err := txtar.ParseFile(filepath.Join("testdata", "script", "ranges.txt"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"sampled.73.paths": sampledPaths, "sampled.73.edges": sampledEdges,
		"noted.74.values": notedValues}
	for _, f := range ranges.Files {
		if f.Name == "pools.txt" {
			texts["pools.75.values"] = string(f.Data)
		}
	}
	dir := t.TempDir()
	if err := makeExample(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		data, err := proftest.Encode(text)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".pb.gz"), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	files, err := filepath.Glob("*.pb.gz")
	if err != nil || len(files) != 14 {
		t.Fatalf("%v %v", files, err)
	}
	lines := []string{
		"top -n 0 exact.70.paths.pb.gz", "top app.71.paths.pb.gz app.71.paths.pb.gz", "top sampled.73.paths.pb.gz",
		"top -count sampled.73.paths.pb.gz sampled.73.paths.pb.gz",
		"list . app.71.edges.pb.gz", "list . exact.70.edges.pb.gz", "list . sampled.73.edges.pb.gz",
		"list . sampled.73.edges.pb.gz sampled.73.edges.pb.gz",
		"values app.71.values.pb.gz", "values app.71.types.pb.gz", "values app.71.calltargets.pb.gz",
		"values app.72.values.pb.gz", "values noted.74.values.pb.gz",
		"values noted.74.values.pb.gz noted.74.values.pb.gz", "ranges -phi 4 app.72.values.pb.gz",
		"ranges -phi 20 pools.75.values.pb.gz", "ranges -phi 20 -func lexTop pools.75.values.pb.gz pools.75.values.pb.gz",
		"accuracy exact.70.paths.pb.gz app.71.paths.pb.gz", "accuracy exact.70.edges.pb.gz app.71.edges.pb.gz",
		"pgo -o default.pgo -n 0 app.71.paths.pb.gz",
	}
	for i, name := range files {
		merged := fmt.Sprintf("merged%d.pb.gz", i)
		lines = append(lines, "merge -o "+merged+" "+name+" "+name, "dump "+name, "dump "+merged)
	}
	outputs := func() (all []string, quoted int) {
		for _, line := range lines {
			text, n := said(t, line)
			all = append(all, text)
			quoted += n
		}
		for _, name := range files {
			f, err := profile.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprintln(name, f.Kind, f.Exact(), f.Estimated(), f.Facts, f.Period, f.Bursts(),
				f.UnseenBound()))
		}
		return all, quoted
	}
	want, quoted := outputs()
	for _, line := range []string{"sampled.73.paths.pb.gz paths false true", "100 0.03",
		"lexTop lex.go:294-300", "[-16, -1]"} {
		if !strings.Contains(strings.Join(want, ""), line) {
			t.Errorf("the files show nothing of %q", line)
		}
	}
	for _, other := range []string{sentence, strings.TrimPrefix(sentence, "pep: ")} {
		for _, name := range files {
			reword(t, name, other)
		}
		got, n := outputs()
		for i := range want {
			if d := cmp.Diff(want[i], got[i]); d != "" {
				t.Errorf("%s (-as written +with other sentences):\n%s", append(lines, files...)[i], d)
			}
		}
		if quoted == 0 || n < quoted {
			t.Errorf("%d sentences, %d with others", quoted, n)
		}
	}
}

// sentence has numbers and words that facts have in other sentences.
const sentence = "pep: exact, 7 ticks, 9 samples, 5 dropped, bursts weigh like 3 equal ones, 12.5% of 8 ticks were outside of y: z 1.0%"

// reword replaces all sentences of a profile, and leaves its facts.
func reword(t *testing.T, name, sentence string) {
	t.Helper()
	p := proftest.Read(t, name)
	for i, c := range p.Comments {
		if !strings.HasPrefix(c, "#pep.version=") {
			p.Comments[i] = fmt.Sprint(sentence, " ", i)
		}
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// said returns what a command line prints as text and as JSON, without the sentences, and how many of these there are.
func said(t *testing.T, line string) (text string, sentences int) {
	t.Helper()
	args := strings.Fields(line)
	var stdout, stderr bytes.Buffer
	code := pep.Run(args, strings.NewReader(""), &stdout, &stderr)
	for l := range strings.Lines(stdout.String()) {
		l, dumped := strings.CutPrefix(l, `comment "`)
		switch {
		case strings.HasPrefix(l, "pep: "), strings.HasPrefix(l, strings.TrimPrefix(sentence, "pep: ")):
			sentences++
		case dumped && !strings.HasPrefix(l, "#pep."):
			t.Errorf("%s: the comment %s is of nobody", line, l)
		default:
			text += l
		}
	}
	text = fmt.Sprintln(line, code, stderr.String()) + text
	if args[0] == "merge" || code != 0 {
		return text, sentences
	}
	stdout.Reset()
	pep.Run(append([]string{args[0], "-json"}, args[1:]...), strings.NewReader(""), &stdout, &stderr)
	var x map[string]any
	if err := json.Unmarshal(stdout.Bytes(), &x); err != nil {
		t.Fatalf("%s -json: %v", line, err)
	}
	for _, part := range x {
		if of, ok := part.(map[string]any); ok {
			delete(of, "comments")
		}
	}
	data, err := json.MarshalIndent(x, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return text + string(data), sentences
}

// Pep refuses profiles that it may misunderstand. It names both versions and says what to do.
func TestOtherVersionsAreRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "app.71.paths.pb.gz")
	for comment, want := range map[string]string{
		`comment "pep: exact, every path counted"` + "\n" +
			`comment "#pep.version=2 mode=exact certainty=9"`: ": the profile is of version 2, and this pep reads version 1: read it with the pep that belongs to the pepbuild which built the program, " +
			"or build the program with the pepbuild that belongs to this pep and run it again\n",
		`comment "#pep.version=2"` + "\n" + `profile routes/count b/count c/count d/count e/count`: ": the profile is of version 2, and this pep reads version 1: ",
		`comment "#pep.version=0"`: ": the profile is of version 0, and this pep reads version 1: ",
	} {
		data, err := proftest.Encode(strings.Replace(sampledPaths, "profile paths estimated\n",
			"profile paths estimated\n"+comment+"\n", 1))
		if err == nil {
			err = os.WriteFile(name, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		refused(t, name, want)
	}
	// As a tool that drops comments writes them.
	p, err := proftest.Parse(sampledPaths)
	if err != nil {
		t.Fatal(err)
	}
	p.Comments = p.Comments[:1]
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, name, ": no comment of the profile begins with #pep.version=, so another tool has made this file of a profile: ")
}

func refused(t *testing.T, name, want string) {
	t.Helper()
	for _, verb := range []string{"top", "dump", "pgo -o " + name + ".sum", "merge -o " + name + ".sum"} {
		var stdout, stderr bytes.Buffer
		code := pep.Run(append(strings.Fields(verb), name), strings.NewReader(""), &stdout, &stderr)
		if code != 1 || stdout.Len() > 0 || !strings.HasPrefix(stderr.String(), "pep: "+name+want) {
			t.Errorf("%s: exit code %d, %s%s", verb, code, &stdout, &stderr)
		}
	}
	if _, err := os.Stat(name + ".sum"); err == nil {
		t.Error("pep has written a file")
	}
}
