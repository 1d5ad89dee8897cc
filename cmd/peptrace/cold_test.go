//go:build linux && amd64

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/analyze/cold"
)

// exits builds a program that ends with an exit code, and returns its path.
func exits(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const source = `package main

import "os"

func main() {
	if len(os.Args) > 1 {
		os.Stdout.WriteString("to the end\n")
		os.Exit(3)
	}
	never()
}

//go:noinline
func never() {
	println("never", len(os.Args), os.Args[0])
}
`
	for name, text := range map[string]string{"main.go": source, "go.mod": "module app\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-trimpath", "-o", "app", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "app")
}

// A program that peptrace starts has probes from its first instruction on, and its exit code is that of peptrace.
func TestColdProgram(t *testing.T) {
	needRights(t)
	app := exits(t)
	dir := filepath.Dir(app)
	var stdout, stderr bytes.Buffer
	code := peptrace.Run([]string{"cold", "-json", "-source_path", dir, "-coverprofile", filepath.Join(dir, "cover"), app,
		"x", "-p", "y"}, strings.NewReader(""), &stdout, &stderr)
	if code != 3 || !strings.Contains(stderr.String(), "to the end\n") {
		t.Errorf("exit code %d, want 3; standard error %q", code, &stderr)
	}
	var table struct {
		Packages []struct {
			Functions []struct {
				Function, State string
				Ranges          []struct {
					From, To int
					State    string
				}
			}
		}
		Cost struct {
			Text bool `json:"text_as_file"`
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &table); err != nil {
		t.Fatalf("%v: %s", err, &stdout)
	}
	got := ""
	for _, f := range table.Packages[0].Functions {
		got += fmt.Sprintln(f.Function, f.State, f.Ranges)
	}
	if want := "main.never never [{14 16 never}]\nmain.main ran [{5 8 ran} {10 11 never}]\n"; got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	cmd := exec.Command("go", "tool", "cover", "-func", "cover")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "never") ||
		!strings.Contains(string(out), "0.0%") {
		t.Errorf("go tool cover: %v\n%s", err, out)
	}
}

// An interrupt that comes while peptrace writes what it saw does not end it: the file is whole.
func TestColdInterruptedLate(t *testing.T) {
	needRights(t)
	profile := filepath.Join(t.TempDir(), "profile")
	if err := unix.Mkfifo(profile, 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(profile, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), profile)
	defer f.Close()
	// The pipe holds a small part of the profile. So while nobody reads it, peptrace has not written all of it.
	size, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 4096)
	if err != nil {
		t.Fatal(err)
	}
	tracer := exec.Command(os.Args[0], "cold", "-pkg", "std", "-coverprofile", profile, exits(t), "x")
	tracer.Args[0] = "peptrace"
	var said bytes.Buffer
	tracer.Stdout, tracer.Stderr = &said, &said
	if err := tracer.Start(); err != nil {
		t.Fatal(err)
	}
	tooLong := time.AfterFunc(time.Minute, func() { tracer.Process.Kill() })
	defer tooLong.Stop()
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 60_000); n != 1 {
		t.Errorf("waiting for the profile: %v", err)
	}
	tracer.Process.Signal(os.Interrupt)
	if err := unix.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if err != nil || len(text) < 10*size || !bytes.HasSuffix(text, []byte("\n")) {
		t.Errorf("the profile has %d bytes, %v", len(text), err)
	}
	if err := tracer.Wait(); err == nil || tracer.ProcessState.ExitCode() != 3 {
		t.Errorf("peptrace: %v, want the program's exit status 3\n%s", err, &said)
	}
}

// What was seen is in the file also if peptrace is killed, and is not looked for again.
func TestColdFile(t *testing.T) {
	needRights(t)
	app := build(t)
	file := filepath.Join(t.TempDir(), "app.cold")
	target := exec.Command(app, "calls", "1", "1000")
	in, err := target.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := target.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); target.Process.Kill(); target.Wait() }()
	lines := bufio.NewReader(out)
	line := func(want string) {
		t.Helper()
		if got, err := lines.ReadString('\n'); got != want+"\n" {
			t.Fatalf("the program wrote %q, %v, want %q", got, err, want)
		}
	}
	line("ready")
	probes := func(kill bool, work func()) (n int) {
		tracer := exec.Command(os.Args[0], "cold", "-p", fmt.Sprint(target.Process.Pid), "-o", file)
		tracer.Args[0] = "peptrace"
		said, err := tracer.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := tracer.Start(); err != nil {
			t.Fatal(err)
		}
		text, _ := bufio.NewReader(said).ReadString('\n')
		if _, err := fmt.Sscanf(text, "peptrace: %d probes; ^C ends", &n); err != nil {
			t.Errorf("peptrace wrote %q", text)
		}
		work()
		if kill {
			tracer.Process.Kill()
		} else {
			tracer.Process.Signal(os.Interrupt)
		}
		if err := tracer.Wait(); (err != nil) != kill {
			t.Errorf("peptrace: %v", err)
		}
		return n
	}
	seen := func() (n int) {
		d, err := cold.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range d.Seen {
			if s.At != 0 {
				n++
			}
		}
		return n
	}
	first := probes(true, func() {
		io.WriteString(in, "\n")
		line("done")
		for end := time.Now().Add(time.Minute); seen() == 0 && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(300 * time.Millisecond)
	})
	n := seen()
	if second := probes(false, func() {}); n < 10 || second != first-n {
		t.Errorf("%d blocks were seen with %d probes; then there are %d probes", n, first, second)
	}
	d, err := cold.Read(file)
	if err != nil || len(d.Watches) == 0 || d.Lost != 0 {
		t.Errorf("%+v, %v", d.Watches, err)
	}
	var stdout, stderr bytes.Buffer
	if code := peptrace.Run([]string{"cold", "-o", file, exits(t)}, strings.NewReader(""), &stdout, &stderr); code != 1 ||
		!strings.Contains(stderr.String(), "of another build, in which 0.0 %") {
		t.Errorf("another program: exit code %d, %q", code, &stderr)
	}
}

func TestColdErrors(t *testing.T) {
	for line, want := range map[string]string{
		"cold":                       "which program? give a process, -p PID",
		"cold -p 1 -a x":             "give one of them",
		"cold -p -1":                 "a process ID is positive",
		"cold -d -1s -p 1":           "a time cannot be negative",
		"cold -pkg none -p 1":        "want deps, std, all",
		"cold -p 4194304":            "there is no such process",
		"cold -a /no/such":           "no such file",
		"cold /no/such":              "no such file",
		"cold -a /proc/self/cmdline": "cmdline",
		"cold -p 1 -table /dev/null": "this is no table of branches",
	} {
		var stdout, stderr bytes.Buffer
		code := peptrace.Run(strings.Fields(line), strings.NewReader(""), &stdout, &stderr)
		if code == 0 || !strings.Contains(stderr.String(), want) {
			if strings.Contains(stderr.String(), "tracing is not possible here") {
				continue
			}
			t.Errorf("%s: exit code %d, %q, want %q in it", line, code, &stderr, want)
		}
	}
}
