package tutorial_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/internal/tutorial"
)

var update = flag.Bool("update", false, "write the outputs into the document")

// The commands of the tutorial print what it says.
func TestTutorial(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("the tutorial is about programs on linux/amd64, and this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	const file = "../../hwsim/cop/microcode.md"
	document, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/pepsim")
	build.Dir = "../.."
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	path := strings.Join([]string{bin, filepath.Dir(pepbuildtest.Pepbuild(t)), ""}, string(filepath.ListSeparator))
	env := append(os.Environ(), "PATH="+path+os.Getenv("PATH"), "GOFLAGS=", "GOWORK=off", "LC_ALL=C")
	got, err := tutorial.Run(string(document), dir, env)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(strings.Split(string(document), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("go test ./internal/tutorial -update: -document +now\n%s", d)
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	const document = "Text\n\n    indented\n```text x.txt\na\nb\n```\n```console\n$ wc -l < x.txt\nwrong\n$ printf 'c \\n\\nd'\n$ exit 3\n$ echo no >&2; cat y\n```\nend\n"
	const want = "Text\n\n    indented\n```text x.txt\na\nb\n```\n```console\n$ wc -l < x.txt\n2\n$ printf 'c \\n\\nd'\nc\n\nd\n$ exit 3\n$ echo no >&2; cat y\nno\ncat: y: No such file or directory\n```\nend\n"
	got, err := tutorial.Run(document, dir, append(os.Environ(), "LC_ALL=C"))
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
	for _, bad := range []string{"```console\n$ true\n", "```\nx\n```\n"} {
		if _, err := tutorial.Run(bad, dir, nil); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
