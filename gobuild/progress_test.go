package gobuild

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// screen is what a terminal shows after text: it knows the sequence that erases a line.
func screen(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		parts := strings.Split(line, eraseLine)
		lines = append(lines, parts[len(parts)-1])
	}
	return strings.Join(lines, "\n")
}

func TestProgressIsOneLineBelowTheOutput(t *testing.T) {
	var out strings.Builder
	start := time.Now()
	p := &progress{out: &out, log: filepath.Join(t.TempDir(), "sub", "packages"), changes: true, most: 3, start: start,
		end: make(chan struct{})}
	if err := os.Mkdir(filepath.Dir(p.log), 0o777); err != nil {
		t.Fatal(err)
	}
	step := func(after time.Duration, paths, want string) {
		t.Helper()
		if err := os.WriteFile(p.log, []byte(paths), 0o666); err != nil {
			t.Fatal(err)
		}
		p.show(start.Add(after))
		if got := screen(out.String()); got != want {
			t.Errorf("after %v the screen shows %q, want %q", after, got, want)
		}
	}
	p.show(start.Add(time.Second))
	if out.Len() > 0 {
		t.Errorf("a short build shows %q", out.String())
	}
	step(time.Second, "sort\n", "")
	step(3*time.Second, "sort\n", "pepbuild: 1 packages compiled, at most 2 to do, 3s: sort")
	p.Write([]byte("# regexp\nbad.go:1: x\n"))
	if got := screen(out.String()); got != "# regexp\nbad.go:1: x\n" {
		t.Errorf("behind a message the screen shows %q", got)
	}
	long := strings.Repeat("long/", 20)
	step(4*time.Second, "sort\nregexp\n"+long+"\n",
		"# regexp\nbad.go:1: x\n"+("pepbuild: 3 packages compiled, at most 0 to do, 4s: " + long)[:progressWidth])
	p.stop()
	if got := screen(out.String()); got != "# regexp\nbad.go:1: x\n" {
		t.Errorf("at the end the screen shows %q", got)
	}
	if _, err := os.Stat(filepath.Dir(p.log)); err == nil {
		t.Error("the directory is still there")
	}
}

// While a program may run that writes to the terminal, nothing is erased, and nothing is written unless packages are
// compiled.
func TestProgressOfWhatIsRunIsLinesThatStay(t *testing.T) {
	var out strings.Builder
	start := time.Now()
	p := &progress{out: &out, log: filepath.Join(t.TempDir(), "packages"), start: start}
	at := func(after time.Duration, packages string) {
		t.Helper()
		if err := os.WriteFile(p.log, []byte(packages), 0o666); err != nil {
			t.Fatal(err)
		}
		p.show(start.Add(after * time.Second))
	}
	at(1, "")
	at(3, "")
	p.building(4)
	at(6, "a\n")
	at(9, "a\nb\n")
	at(15, "a\nb\nc\n")
	at(60, "a\nb\nc\n")
	want := "pepbuild: preparing, 3s\npepbuild: 2 packages compiled, at most 2 to do, 9s: b\npepbuild: 3 packages compiled, at most 1 to do, 15s: c\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
