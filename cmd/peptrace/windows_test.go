//go:build linux && amd64

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

const interpreted = `package main

import (
	"bufio"
	"fmt"
	"os"
)

//go:noinline
func step(n int) int {
	if n%3 == 0 {
		return n + 1
	}
	return n / 2
}

//go:noinline
func work(n int) (s int) {
	for i := range 200 {
		s += step(i + n)
	}
	return s
}

func main() {
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready")
	in.ReadString('\n')
	s := 0
	for i := range 200_000 {
		s += work(i % 7)
	}
	fmt.Println(s)
	in.ReadString('\n')
}
`

// Probes are breakpoints in code that ticks interpret, if pepbuild has built the program for windows. Neither notices
// the other, nor does the program: windows go on with the instructions that have the breakpoints, and count what begins
// there.
func TestProbesAndWindows(t *testing.T) {
	needRights(t)
	if testing.Short() {
		t.Skip("compiles std")
	}
	pepbuild := pepbuildtest.Pepbuild(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": interpreted, "go.mod": "module interpreted\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	exe := filepath.Join(dir, "interpreted")
	cmd := exec.Command(pepbuild, "build", "-pepmode=windows", "-o", exe, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := exec.Command(exe)
	program.Env = append(os.Environ(), "PEPDIR="+dir, "PEPOPTS=tick=1ms")
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(pipe)
	if line, err := out.ReadString('\n'); err != nil {
		t.Fatal(line, err)
	}
	stop, err := pepbuildtest.SendTicks(exe, program.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()

	tracer := exec.Command(os.Args[0], "probe", "-limit", "0", "-f", `^main\.work$`, "-args", "-p",
		fmt.Sprint(program.Process.Pid))
	tracer.Args[0] = "peptrace"
	var listing strings.Builder
	tracer.Stdout = &listing
	said, err := tracer.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tracer.Start(); err != nil {
		t.Fatal(err)
	}
	messages := bufio.NewReader(said)
	if line, err := messages.ReadString('\n'); err != nil || !strings.Contains(line, "ends") {
		t.Errorf("peptrace says %q, %v", line, err)
	}
	io.WriteString(in, "\n")
	want := 0
	for i := range 200_000 {
		for n := i % 7; n < i%7+200; n++ {
			if n%3 == 0 {
				want += n + 1
			} else {
				want += n / 2
			}
		}
	}
	if line, err := out.ReadString('\n'); line != fmt.Sprintln(want) || err != nil {
		t.Errorf("the program prints %q, want %d, %v", line, want, err)
	}
	in.Close()
	io.Copy(io.Discard, messages)
	if err := tracer.Wait(); err != nil {
		t.Error(err)
	}
	if err := program.Wait(); err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.paths.pb.gz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("profiles %q, %v", files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%q", p.Comments)
	if f := pepbuildtest.Facts(t, p); f.Number(facts.WindowsChanged) > 0 || f.Number(facts.Windows) == 0 ||
		strings.Contains(f.Encode(), "breakpoint") {
		t.Errorf("want windows that met no changed code, and that no breakpoint ended: %q", p.Comments)
	}
	for _, function := range []string{"main.work", "main.step"} {
		if !slices.ContainsFunc(p.Sample, func(
			s *profile.Sample) bool {
			return s.Location[0].Line[0].Function.SystemName == function
		}) {
			t.Errorf("no path of %s counts", function)
		}
	}
	if text := listing.String(); !strings.Contains(text, "200000 calls") {
		t.Errorf("peptrace prints\n%s", text)
	}
}
