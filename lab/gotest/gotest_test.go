package gotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/gobuild/pepbuildtest"
	"github.com/pepgo/pep/lab/driver"
)

// subset matches programs about control flow, from all folders.
const subset = `^(` +
	`closedchan|closure[1-5]|ddd|defer|deferfin|defernil|deferprint|for|func[5-8]|` +
	`init1|map|method|nilptr2?|range[34]?|recover[1-4]?|reorder2?|stringrange|switch|typeswitch1?|zerodivide|` +
	`chan/(doubleselect|select[3-7]?|powser1)|` +
	`ken/(label|chan1?|robfor|simpswitch)|` +
	`fixedbugs/(bug(078|148|273|347)|issue(4353|8047|13684|22881|43444|71675))|` +
	`typeparam/(orderedmap|chans|typeswitch[1-7])` +
	`)\.go$`

func TestSubset(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs seventy programs four times")
	}
	programs, _, err := Find(regexp.MustCompile(subset))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := &Comparison{
		Dir:      dir,
		Pepbuild: pepbuildtest.Pepbuild(t),
		Modes:    []string{"polls", "exact", driver.Windows, driver.Wrong},
		Timeout:  time.Minute,
		Out:      t.Output(),
	}
	if err := c.Run(programs); err != nil {
		t.Fatal(err)
	}
	for _, mode := range c.Modes {
		if c.Alike[mode] < 45 || c.Differ[mode] > 0 {
			t.Errorf("%s: %d programs ran alike, %d differ: want at least 45, and 0", mode, c.Alike[mode], c.Differ[mode])
		}
	}
	if c.Windows < 20 {
		t.Errorf("%d windows in all programs", c.Windows)
	}
}

// pepbuild does not instrument test files. So this test turns the compiler's own tests of
// loops over functions into a package, and calls that.
func TestRangeOverFunc(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the compiler's tests of range over functions")
	}
	root, err := testRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "../src/cmd/compile/internal/rangefunc/rangefunc_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	calls := "package rangefunc\n\nimport \"testing\"\n\nfunc TestAll(t *testing.T) {\n"
	names := regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllStringSubmatch(string(text), -1)
	for _, name := range names {
		calls += "\tt.Run(\"" + name[1] + "\", " + name[1] + ")\n"
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module rangefunc\n\ngo 1.26\n",
		"range.go":     strings.Replace(string(text), "package rangefunc_test", "package rangefunc", 1),
		"call_test.go": calls + "}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pepbuild := pepbuildtest.Pepbuild(t)
	t.Setenv("PEPDIR", dir)
	for _, mode := range []string{"polls", "exact", "backedge", "taps"} {
		_, args, err := driver.Command("", mode, "")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(pepbuild, append(append([]string{"test", "-v"}, args...), ".")...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if n := strings.Count(string(out), "    --- PASS: TestAll/"); err != nil || n != len(names) {
			t.Errorf("%s: %v, %d of %d tests pass\n%s", mode, err, n, len(names), out)
		}
	}
}

func TestExclusionsHaveReasons(t *testing.T) {
	for name, reason := range excluded {
		if !strings.HasSuffix(name, ".go") || reason == "" {
			t.Errorf("%q: %q", name, reason)
		}
	}
}

func TestOutputsAreSettled(t *testing.T) {
	for in, want := range map[string]string{
		"panic: x [recovered]\n\ngoroutine 7 [running]:\nmain.f()\n\t/x.go:3 +0x1d\n": "panic: x [recovered]\n\ngoroutine …",
		"[signal SIGSEGV: code=0x1 addr=0x0 pc=0x46a1b2]\n":                           "[signal SIGSEGV: code=0x… addr=0x… pc=0x…]\n",
		"0 1 2\n": "0 1 2\n",
	} {
		if got := Settle(in); got != want {
			t.Errorf("Settle(%q) = %q, want %q", in, got, want)
		}
	}
}
