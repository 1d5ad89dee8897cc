package branches

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/gobuild"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// searching is a program that executes much of strings and of unicode/utf8.
const searching = `package main

import (
	"strings"
	"unicode/utf8"
)

func main() {
	text := strings.Repeat("αβγ, x and\xff yz; ", 1000)
	n := 0
	for i, word := range strings.Fields(text) {
		n += strings.Index(text, word) + len(strings.ToUpper(word)) + len(strings.Trim(word, "x;")) + strings.LastIndexByte(word, ',')
		n += utf8.RuneCountInString(word) + len(strings.Split(word, "n")) + strings.IndexAny(word, "αz")
		if utf8.ValidString(word) && strings.EqualFold(word, "YZ;") && strings.HasPrefix(word, "yz") {
			n += i
		}
		b := []byte(word)
		for len(b) > 0 {
			_, size := utf8.DecodeRune(b)
			b = b[size:]
			n += utf8.RuneLen(rune(size))
		}
	}
	println(n)
}
`

// Of a profile that has counts of two packages, functions have other code only if these have counts, or if they have
// code of such functions; all others have that of the plain compiler, byte for byte, with what the linker writes into
// it. PEPCOUNTS lists other packages that are built.
func TestUncountedCodeIsUnchanged(t *testing.T) {
	if system := runtime.GOOS + "/" + runtime.GOARCH; system != "linux/amd64" {
		t.Skipf("programs are laid out for linux/amd64, not for %s", system)
	}
	if testing.Short() {
		t.Skip("compiles much of std")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": searching,
		"go.mod": "module example.com/searching\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pepbuild := pepbuildtest.Pepbuild(t)
	for _, command := range [][]string{{pepbuild, "build", "-pepmode=exact", "-peppkg=strings,unicode/utf8", "-o", "prog",
		"."}, {"./prog"}} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PEPDIR="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.edges.pb.gz"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	counted := countedFuncs(t, names[0])

	patterns := []string{"encoding/json", "go/build/constraint", "go/scanner", "text/template"}
	if others := os.Getenv("PEPCOUNTS"); others != "" {
		patterns = strings.Split(others, ",")
	}
	args, err := gobuild.Parse(append([]string{"build", "-pepopt=" + names[0]}, patterns...))
	if err != nil {
		t.Fatal(err)
	}
	laidOut, err := gobuild.Archives(args, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", append([]string{"list", "-export", "-deps", "-f={{.ImportPath}}\t{{.Export}}", "--"},
		patterns...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	plain := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if path, archive, _ := strings.Cut(strings.TrimSpace(line), "\t"); archive != "" { // unsafe has none
			plain[path] = archive
		}
	}
	want, err := Functions(plain)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Functions(laidOut)
	if err != nil {
		t.Fatal(err)
	}
	// functions: with counts and other code, with code of such, with their own code although they may have another, and
	// without counts
	own, inlined, alike, others := 0, 0, 0, 0
	for path, funcs := range want {
		for name, f := range funcs {
			g, ok := got[path][name]
			if !ok {
				t.Errorf("%s: %s is missing", path, name)
				continue
			}
			has := counted[settled(name)]
			may := has
			for _, callee := range append(f.Inlined, g.Inlined...) {
				may = may || counted[settled(callee)]
			}
			switch {
			case !may && f.Code != g.Code:
				t.Errorf("%s: %s has neither counts nor code of functions with counts, and has other code: it inlines %q", path,
					name, g.Inlined)
			case !may:
				others++
			case f.Code == g.Code:
				alike++
			case has:
				own++
			default:
				inlined++
			}
		}
		if len(got[path]) != len(funcs) {
			t.Errorf("%s: %d functions, want %d", path, len(got[path]), len(funcs))
		}
	}
	t.Logf("%d packages; %d functions with counts have other code, %d that inline such, %d of both are alike; %d others are", len(want), own, inlined, alike, others)
	if own < 10 || inlined < 50 || others < 1000 {
		t.Error("that is less than there is to compare")
	}
}

// countedFuncs returns the functions that have counts in a profile.
func countedFuncs(t *testing.T, name string) map[string]bool {
	t.Helper()
	f, err := profile.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	edges, err := f.Edges()
	if err != nil {
		t.Fatal(err)
	}
	funcs := map[string]bool{}
	for _, e := range edges {
		if e.Count > 0 {
			funcs[settled(e.Branch.Func.Name)] = true
		}
	}
	t.Logf("%d functions have counts", len(funcs))
	return funcs
}

var shapes = regexp.MustCompile(`\[.*\]|<\d+>$`)

// settled returns a name without the types of a generic function, and without the ABI.
func settled(name string) string { return shapes.ReplaceAllString(name, "") }
