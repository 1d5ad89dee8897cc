package torture

// This file ends programs in all ways in which programs can end.

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/driver"
)

//go:embed testdata/ends.go
var endsSource string

// patience is how much longer a program may take than the plain one, however slow the
// machine is. The table has the times that programs took.
const patience = 20 * time.Second

// endsAtOnce is how many programs run at a time. Most of them wait.
const endsAtOnce = 4

// An end is a way to end.
type end struct {
	name    string // for the table
	arg     string // of the program, if not the name
	signals []syscall.Signal
	env     string
	shell   string // runs in the shell that becomes the program
	broken  bool   // nobody reads what it prints
	racy    bool   // what it prints depends on chance
	kept    string // what must be there then: a profile if empty
}

// The files that a program may leave instead of a profile.
const (
	liveFile = "file" // the file of counts, of which a profile can be made, or a profile
)

// ends are all ends. The program itself has those that have only a name here.
var ends = []end{
	{name: "return"}, {name: "exit 0"}, {name: "exit 3"},
	{name: "panic"}, {name: "panic with an error"}, {name: "panic with a value"}, {name: "nil dereference"},
	{name: "index out of range"}, {name: "division by zero"}, {name: "nil map"}, {name: "closed channel"},
	{name: "type assertion"}, {name: "panic in a goroutine"}, {name: "panic while panicking"},
	{name: "panic after recover"}, {name: "recovered"}, {name: "goexit"}, {name: "deadlock"},
	{name: "deadlock of goroutines"}, {name: "unlock of unlocked"}, {name: "concurrent map write", racy: true},
	{name: "stack overflow"}, {name: "out of memory", shell: "ulimit -v 12000000"},
	{name: "log.Fatal"}, {name: "log.Panic"}, {name: "panic in init", kept: liveFile},
	{name: "syscall.Exit", kept: liveFile}, {name: "syscall.Exec", kept: liveFile},
	{name: "kill by itself", kept: liveFile}, {name: "abort by itself"}, {name: "breakpoint"},
	{name: "ignored signal"}, {name: "notified signal"}, {name: "signal after reset"},
	{name: "broken pipe", arg: "return", broken: true, kept: liveFile},
	{name: "closed files", arg: "return", shell: "exec <&- >&- 2>&-"},
	{name: "closed files, panic", arg: "panic", shell: "exec <&- >&- 2>&-"},
	{name: "GOTRACEBACK=none", arg: "panic", env: "GOTRACEBACK=none"},
	{name: "GOTRACEBACK=all", arg: "panic", env: "GOTRACEBACK=all"},
	{name: "GOTRACEBACK=system", arg: "panic", env: "GOTRACEBACK=system"},
	{name: "GOTRACEBACK=crash", arg: "panic", env: "GOTRACEBACK=crash"},
	{name: "few files", arg: "return", shell: "ulimit -n 8"},
	{name: "SIGTERM", signals: []syscall.Signal{syscall.SIGTERM}},
	{name: "SIGINT", signals: []syscall.Signal{syscall.SIGINT}},
	{name: "SIGHUP", signals: []syscall.Signal{syscall.SIGHUP}},
	{name: "SIGHUP under nohup", shell: "trap '' HUP", signals: []syscall.Signal{syscall.SIGHUP}},
	{name: "SIGQUIT", signals: []syscall.Signal{syscall.SIGQUIT}},
	{name: "SIGABRT", signals: []syscall.Signal{syscall.SIGABRT}},
	{name: "SIGPIPE", signals: []syscall.Signal{syscall.SIGPIPE}},
	{name: "SIGUSR1", signals: []syscall.Signal{syscall.SIGUSR1}},
	{name: "SIGUSR2", signals: []syscall.Signal{syscall.SIGUSR2}},
	{name: "SIGALRM", signals: []syscall.Signal{syscall.SIGALRM}},
	{name: "SIGPROF", signals: []syscall.Signal{syscall.SIGPROF}},
	{name: "SIGXCPU", signals: []syscall.Signal{syscall.SIGXCPU}},
	{name: "SIGSYS", signals: []syscall.Signal{syscall.SIGSYS}},
	{name: "SIGTRAP", signals: []syscall.Signal{syscall.SIGTRAP}},
	{name: "SIGFPE", signals: []syscall.Signal{syscall.SIGFPE}},
	{name: "SIGILL", signals: []syscall.Signal{syscall.SIGILL}},
	{name: "SIGBUS", signals: []syscall.Signal{syscall.SIGBUS}},
	{name: "SIGSEGV", signals: []syscall.Signal{syscall.SIGSEGV}},
	{name: "SIGKILL", signals: []syscall.Signal{syscall.SIGKILL}, kept: liveFile},
	{name: "two SIGINT", arg: "second interrupt", signals: []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
	{name: "busy, SIGTERM", arg: "busy until a signal", signals: []syscall.Signal{syscall.SIGTERM}},
	{name: "busy, SIGKILL", arg: "busy until a signal", signals: []syscall.Signal{syscall.SIGKILL}, kept: liveFile},
	{name: "busy, return", arg: "busy until a signal", signals: []syscall.Signal{syscall.SIGWINCH}},
}

func endsCases(e *Env) (cases []Case, err error) {
	modes := e.modes("polls", "exact", "taps", driver.Windows)
	if e.Short {
		modes = e.modes("polls", "taps")
	}
	for _, mode := range modes {
		cases = append(cases, Case{mode, func(e *Env, r *Result) { e.ends(r, mode, "") }})
		if !e.Short && mode != driver.Windows { // which has all packages anyway
			cases = append(cases, Case{mode + ", all packages", func(e *Env, r *Result) { e.ends(r, mode, "all") }})
		}
	}
	return cases, nil
}

// ends compares all ends in a mode.
func (e *Env) ends(r *Result, mode, packages string) {
	dir, err := e.program("ends", endsSource)
	plain, exe := filepath.Join(e.Work, "plain"), filepath.Join(e.Work, mode)
	if err == nil {
		err = e.build(driver.Plain, dir, plain, "")
	}
	if err == nil {
		err = e.build(mode, dir, exe, packages)
	}
	if err != nil {
		r.fail("%v", err)
		return
	}
	var (
		mu      sync.Mutex
		slowest string
		extra   time.Duration
		running = make(chan bool, endsAtOnce)
		wg      sync.WaitGroup
	)
	for _, x := range ends {
		running <- true
		wg.Go(func() {
			took, err := e.end(&x, plain, exe, mode)
			<-running
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				r.fail("%s: %v", x.name, err)
				return
			}
			r.pass(1)
			if slowest == "" || took > extra {
				slowest, extra = x.name, took
			}
		})
	}
	wg.Wait()
	r.Note = fmt.Sprintf("longest beyond plain: %s %.2fs", slowest, extra.Seconds())
}

// end compares one end, and returns how much longer it took than the plain program.
func (e *Env) end(x *end, plain, exe, mode string) (extra time.Duration, err error) {
	dir, err := os.MkdirTemp(e.Work, "run-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	want := x.process(plain, dir).run()
	p := x.process(exe, dir)
	if mode == driver.Windows && x.name != "syscall.Exec" { // a tick would kill the program that comes then
		p.Ticks = exe
	}
	got := p.run()
	switch {
	case got.State != want.State:
		return 0, fmt.Errorf("ended with %s, want %s; stdout %q, stderr %q", got.State, want.State, got.Stdout, got.Stderr)
	case !x.racy && got.Stdout != want.Stdout:
		return 0, fmt.Errorf("got stdout %q, want %q", got.Stdout, want.Stdout)
	case !x.racy && got.Stderr != want.Stderr:
		return 0, fmt.Errorf("got stderr %q, want %q", got.Stderr, want.Stderr)
	case got.Wall > want.Wall+patience:
		return 0, fmt.Errorf("took %v, plain %v", got.Wall, want.Wall)
	}
	if mode == driver.Windows && list(dir) == "" { // there was no tick before the end
		return got.Wall - want.Wall, nil
	}
	return got.Wall - want.Wall, x.left(exe, dir)
}

func (x *end) process(exe, dir string) *process {
	arg := x.arg
	if arg == "" {
		arg = x.name
		if x.signals != nil {
			arg = "wait for a signal"
		}
	}
	script := "ulimit -c 0; " + x.shell + "\n" + `exec "$0" "$1"`
	p := &process{opts: "tick=1ms", Process: driver.Process{
		Exe: "/bin/sh", Args: []string{"-c", script, exe, arg},
		Dir: dir, Broken: x.broken, Limit: time.Minute,
	}}
	if x.env != "" {
		p.Env = []string{x.env}
	}
	if x.signals != nil {
		p.Started = x.signal
	}
	return p
}

// signal sends the signals, each when the program says that it is ready.
func (x *end) signal(p *os.Process, stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	for _, s := range x.signals {
		for lines.Scan() && lines.Text() != "ready" {
		}
		p.Signal(s)
	}
}

// left checks the files that the program has left in its directory.
func (x *end) left(exe, dir string) error {
	if x.kept != "" && len(driver.Profiles(dir, schema.Paths)) == 0 {
		files, _ := filepath.Glob(filepath.Join(dir, "*.pep"))
		if len(files) != 1 {
			return fmt.Errorf("left neither a profile nor a file of counts, but %s", list(dir))
		}
		if o := writer(exe, dir, files[0]).run(); o.State != "exit status 0" || o.Stderr != "" {
			return fmt.Errorf("PEP_WRITE: %s, stderr %q", o.State, o.Stderr)
		}
	}
	name, err := driver.Profile(dir, schema.Paths)
	if err != nil {
		return fmt.Errorf("left no profile of paths, but %s", list(dir))
	}
	f, err := profile.Open(name)
	if err != nil {
		return err
	}
	if _, err := f.Paths(); err != nil {
		return err
	}
	for _, e := range strings.Fields(list(dir)) {
		if !strings.HasSuffix(e, ".pb.gz") {
			return fmt.Errorf("left a file that should not be there: %s", list(dir))
		}
	}
	return nil
}

// list returns the names of the files in a directory.
func list(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err.Error()
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}
