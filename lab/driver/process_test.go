package driver

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pepgo/pep/format/schema"
)

func TestRunsMustDoTheSame(t *testing.T) {
	plain := Run{Stdout: "sum 7\n"}
	for _, tt := range []struct {
		name, want string
		run        Run
	}{
		{"times do not matter", "", Run{CPU: 1, Wall: 2, Stdout: "sum 7\n"}},
		{"output does", `prints "sum 8\n", plain program "sum 7\n"`, Run{Stdout: "sum 8\n"}},
		{"the exit code does", "exit code 2, plain program 0", Run{Stdout: "sum 7\n", Code: 2}},
	} {
		got := ""
		if err := tt.run.Same(plain); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A run says how the program ended, what it printed, and what its name was; its children end with it.
func TestProcess(t *testing.T) {
	sh := func(script string) Process { return Process{Exe: "/bin/sh", Args: []string{"-c", script}} }
	named := sh("echo $0 $X; echo no >&2; exit 3")
	named.Args, named.Env = append(named.Args, "a"), []string{"X=b"}
	r, err := named.Run()
	if err != nil || r.Code != 3 || r.State != "exit status 3" || r.Stdout != "a b\n" || r.Stderr != "no\n" || r.Pid == 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	late := sh("echo here; sleep 100 & sleep 100")
	late.Limit = 300 * time.Millisecond
	if r, err := late.Run(); err != nil || r.State != "timeout" || r.Stdout != "here\n" || r.Wall > 20*time.Second {
		t.Errorf("got %+v, %v", r, err)
	}
	killed := sh("echo ready; sleep 100")
	killed.Limit = time.Minute
	killed.Started = func(p *os.Process, stdout io.Reader) {
		io.ReadFull(stdout, make([]byte, len("ready\n")))
		p.Kill()
	}
	if r, err := killed.Run(); err != nil || r.State != "signal: killed" || r.Stdout != "ready\n" {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := (&Process{Exe: "/no/such"}).Run(); err == nil {
		t.Error("no error of a program that is not there")
	}
	if _, err := Tool("/", nil, "/bin/sh", "-c", "echo why >&2; exit 1"); err == nil ||
		!strings.Contains(err.Error(), "exit status 1\nwhy") {
		t.Errorf("got %v", err)
	}
}

func TestCommandsOfModes(t *testing.T) {
	for mode, want := range map[string]string{
		Plain: "go", "exact": "pepbuild -pepmode=exact -peppkg=all", Windows: "pepbuild -pepmode=windows",
		Wrong: "pepbuild -pepopt=random:1",
	} {
		name, flags, err := Command("pepbuild", mode, "all")
		if got := strings.Join(append([]string{name}, flags...), " "); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", mode, got, err, want)
		}
	}
	if _, _, err := Command("pepbuild", "", ""); err == nil {
		t.Error("no error of a mode that there is not")
	}
}

func TestTheOnlyProfile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "app.1.T.paths.pb.gz")
	for n, want := range []string{"", name, ""} {
		if got, err := Profile(dir, schema.Paths); got != want || (err == nil) != (want != "") {
			t.Errorf("of %d profiles: got %q, %v, want %q", n, got, err, want)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		name = filepath.Join(dir, "app.2.T.paths.pb.gz")
	}
}
