package toolexec_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/gobuild"
	"github.com/pepgo/pep/gobuild/internal/toolexec"
	"github.com/pepgo/pep/instrument"
)

// The bisect command calls this binary in the place of pepbuild, and the go command
// in the place of its tools.
func TestMain(m *testing.M) {
	code, err := 0, error(nil)
	switch {
	case len(os.Args) > 1 && os.Args[1] == "toolexec":
		toolexec.PlantMistake(plant)
		if os.Getenv(envForget) != "" {
			toolexec.ForgetSpaces()
		}
		code, err = toolexec.Run(os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
	case len(os.Args) > 1 && os.Args[1] == "pepbuild":
		var args *gobuild.Args
		if args, err = gobuild.Parse(os.Args[2:]); err == nil {
			var res gobuild.Result
			res, err = gobuild.Run(args, os.Stdin, os.Stdout, os.Stderr)
			code = res.Code
		}
	default:
		code = m.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// plant makes main.tenth wrong if it is instrumented.
func plant(res *instrument.Result) {
	if !slices.ContainsFunc(res.Sites.Funcs, func(f wire.Func) bool { return f.Name == "main.tenth" }) {
		return
	}
	for name, text := range res.Text {
		res.Text[name] = strings.Replace(text, "return n * 10", "return n * 11", 1)
	}
}

// The bisect command finds the one function whose instrumented text is wrong.
func TestBisectFindsAMistake(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program a dozen times")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bisect := filepath.Join(t.TempDir(), "bisect")
	if out, err := exec.Command("go", "build", "-o", bisect,
		"golang.org/x/tools/cmd/bisect").CombinedOutput(); err != nil {
		t.Fatalf("building bisect: %v\n%s", err, out)
	}
	dir := t.TempDir()
	src := "package main\n\n"
	for i, name := range []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
		"tenth"} {
		src += fmt.Sprintf("func %s(n int) int {\n\tif n < 0 {\n\t\treturn -n\n\t}\n\treturn n * %d\n}\n\n", name, i+1)
	}
	src += "func main() {\n\tif first(1)+second(second(1))+tenth(third(1)) != 35 {\n\t\tpanic(\"wrong\")\n\t}\n\t_, _, _, _, _, _ = fourth(1), fifth(1), sixth(1), seventh(1), eighth(1), ninth(1)\n}\n"
	for name, text := range map[string]string{"main.go": src, "go.mod": "module example.com/wrong\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(bisect, "-count=1", self, "pepbuild", "run", "-pepmode=polls", "-pepbisect=PATTERN", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PEPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	// The identifier of a change set says nothing to the reader; the line below does.
	found := regexp.MustCompile(`(?m)^main\.\S+`).FindAllString(string(out), -1)
	if want := []string{"main.tenth"}; !slices.Equal(found, want) {
		t.Errorf("bisect found %v, want %v:\n%s", found, want, out)
	}
}
