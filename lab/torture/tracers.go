package torture

// This file kills tracers, and programs that are traced, at random times.

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pepgo/pep/lab/driver"
)

var (
	//go:embed testdata/tracers.go
	tracersSource string
	//go:embed testdata/tracers_web.go
	tracersWebSource string
)

// traced are the kinds of programs, see testdata/tracers.go.
var traced = []string{"web", "messages", "collector", "goroutines", "signals", "children"}

// tracings are commands that trace process PID of the executable EXE. Those with tens of thousands of probes are few,
// because they take the time of ten others.
var tracings = []string{
	"cold -pkg all -p PID", "cold -pkg std -o FILE.std -p PID", "cold -p PID", "cold -o FILE -p PID", "cold -a EXE",
	"cold -careful -p PID",
	"probe -f ^(main|net) -edges -p PID", "probe -f ^(main|syscall|sync|io) -limit 0 -times -p PID",
	"probe -f ^runtime -p PID",
	"probe -f ^main -args -results -edges -calls -p PID",
}

const (
	answerIn  = time.Minute     // a program that needs longer for an answer hangs
	cleanIn   = 5 * time.Minute // the kernel needs a minute on a busy machine where others trace, too
	traceTime = time.Second / 2 // kills are spread over this time after the first probe
)

func tracersCases(e *Env) (cases []Case, err error) {
	n, perCase := e.N, killsPerCase
	if n == 0 {
		n = 1000
	}
	each := (n + len(traced) - 1) / len(traced)
	if e.Short {
		each = 2
	}
	for k, kind := range traced {
		for first := 0; first < each; first += perCase {
			count, seed := min(perCase, each-first), e.Seed+uint64(1000*k+first)
			name := fmt.Sprintf("%s, kills %d to %d", kind, first+1, first+count)
			cases = append(cases, Case{name, func(e *Env, r *Result) { e.tracers(r, kind, count, seed) }})
		}
	}
	return cases, nil
}

// A victim is a program that is traced, and asked all the time whether it still works.
type victim struct {
	cmd    *exec.Cmd
	code   []byte // of the file
	addr   uint64 // of the code
	stderr bytes.Buffer

	answers atomic.Int64
	longest atomic.Int64 // ns until an answer
	ending  atomic.Bool  // what goes wrong from now on is meant
	asking  sync.WaitGroup
	wrong   chan error
}

// tracers kills n tracers or programs.
func (e *Env) tracers(r *Result, kind string, n int, seed uint64) {
	exe := filepath.Join(e.Work, "tracers.exe")
	peptrace, err := driver.Build("peptrace", e.Work)
	source := tracersSource
	if kind == "web" {
		source = tracersWebSource
	}
	dir, err1 := e.program("tracers", source)
	if err = errors.Join(err, err1); err == nil {
		err = e.build(driver.Plain, dir, exe, "")
	}
	var v *victim
	if err == nil {
		v, err = startVictim(exe, kind)
	}
	if err != nil {
		r.fail("%v", err)
		return
	}
	defer func() { v.end() }()
	rnd := rand.New(rand.NewPCG(seed, 3))
	var probed, programs, finished int
	var slowest, cleaned time.Duration
	for i := range n {
		how := tracings[rnd.IntN(len(tracings))]
		k := &kill{
			v: v, group: rnd.IntN(2) == 0, program: rnd.IntN(8) == 0,
			interrupt: time.Duration(rnd.Int64N(int64(2 * traceTime))), after: time.Duration(rnd.Int64N(int64(traceTime))),
		}
		args := strings.Fields(strings.NewReplacer("PID", fmt.Sprint(v.cmd.Process.Pid), "EXE", exe, "FILE",
			filepath.Join(e.Work, "out.cold")).Replace(how))
		err := k.run(exec.Command(peptrace, args...))
		for began := time.Now(); errors.Is(err, errBusy) && time.Since(began) < cleanIn; time.Sleep(100 * time.Millisecond) {
			err = k.run(exec.Command(peptrace, args...))
		}
		if k.probed {
			probed++
		}
		if k.finished {
			finished++
		}
		slowest, cleaned = max(slowest, time.Duration(v.longest.Load())), max(cleaned, k.cleaned)
		if errors.Is(err, errRights) {
			r.skip("%v", err)
			return
		}
		if err != nil {
			r.fail("kill %d, %s, %v: %v", i, how, k, err)
		} else {
			r.pass(1)
		}
		if err != nil || k.program {
			if k.program {
				programs++
			}
			v.end()
			if v, err = startVictim(exe, kind); err != nil {
				r.fail("%v", err)
				return
			}
		}
	}
	r.Note = fmt.Sprintf("seed %d, %d with probes, %d tracers had ended, %d programs; an answer took %v at most, and probes were gone after %v",
		seed, probed, finished, programs, slowest.Round(time.Millisecond), cleaned.Round(time.Millisecond))
}

var (
	errRights = errors.New("it needs the rights to trace")
	errBusy   = errors.New("a child of the tracer before has its file")
)

// A kill is one of a tracer, or of the program.
type kill struct {
	v         *victim
	group     bool          // of the tracer, as shells and timeout(1) do
	program   bool          // in place of the tracer
	interrupt time.Duration // when the tracer gets SIGINT, from the first probe on
	after     time.Duration // when the kill is, likewise

	probed   bool          // there were probes at that time
	finished bool          // the tracer had ended
	cleaned  time.Duration // how long there were probes afterwards
}

func (k *kill) String() string {
	if k.program {
		return fmt.Sprintf("the program after %v", k.after)
	}
	return fmt.Sprintf("interrupted after %v, killed after %v", k.interrupt, k.after)
}

func (k *kill) run(cmd *exec.Cmd) error {
	// No pipe: who waits for its end would also wait for children that detach.
	out, err := os.CreateTemp("", "tracer")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	said := func() string {
		text, _ := os.ReadFile(out.Name())
		return string(text)
	}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan bool)
	go func() {
		cmd.Wait()
		close(ended)
	}()
	defer func() {
		cmd.Process.Kill()
		<-ended
	}()
	v := k.v
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if n, err := v.differences(); err != nil {
			return err
		} else if n > 0 || time.Since(begin) > time.Minute {
			break
		}
		select {
		case <-ended:
			if strings.Contains(said(), "tracing is not possible here") {
				return fmt.Errorf("%w: %s", errRights, said())
			}
			if strings.Contains(said(), "another process writes this file") {
				return errBusy
			}
			return fmt.Errorf("the tracer ended: %s", said())
		default:
		}
	}
	interrupt := time.AfterFunc(k.interrupt, func() { cmd.Process.Signal(syscall.SIGINT) })
	defer interrupt.Stop()
	time.Sleep(k.after)
	n, err := v.differences()
	if err != nil {
		return err
	}
	k.probed = n > 0
	select {
	case <-ended:
		k.finished = true
	default:
	}
	if k.program {
		v.ending.Store(true)
		v.cmd.Process.Kill()
		if slices.Contains(cmd.Args, "-a") { // it waits for others
			cmd.Process.Signal(syscall.SIGINT)
		}
		select {
		case <-ended:
		case <-time.After(time.Minute):
			return errors.New("the tracer of a program that was killed does not end")
		}
		if s := cmd.ProcessState; s.ExitCode() != 0 && (s.ExitCode() != 1 || !strings.Contains(said(), "has ended")) {
			return fmt.Errorf("the tracer of a program that was killed: %v: %s", s, said())
		}
		return nil
	}
	pid := cmd.Process.Pid
	if k.group {
		pid = -pid
	}
	syscall.Kill(pid, syscall.SIGKILL)
	<-ended
	if s := cmd.ProcessState; s.ExitCode() > 0 {
		return fmt.Errorf("the tracer: %v: %s", s, said())
	}
	return k.check()
}

// check checks that the program goes on, without probes.
func (k *kill) check() error {
	v := k.v
	began, answers := time.Now(), v.answers.Load()
	for clean := false; !clean || v.answers.Load() < answers+5; time.Sleep(10 * time.Millisecond) {
		select {
		case err := <-v.wrong:
			return fmt.Errorf("%w\n%s", err, v.explain())
		default:
		}
		n, err := v.differences()
		switch {
		case err != nil:
			return err
		case n == 0 && !clean:
			clean, k.cleaned = true, time.Since(began)
		case n > 0 && time.Since(began) > cleanIn:
			return fmt.Errorf("%d bytes of the code differ from the file\n%s", n, v.explain())
		case time.Since(began) > cleanIn+answerIn:
			return fmt.Errorf("%d answers in %v\n%s", v.answers.Load()-answers, time.Since(began), v.explain())
		}
	}
	return nil
}

func startVictim(exe, kind string) (*victim, error) {
	v := &victim{cmd: exec.Command(exe, kind), wrong: make(chan error, 100)}
	f, err := elf.Open(exe)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := f.Section(".text")
	if v.code, err = text.Data(); err != nil {
		return nil, err
	}
	v.addr = text.Addr
	v.cmd.Stderr = &v.stderr
	in, err := v.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := v.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := v.cmd.Start(); err != nil {
		return nil, err
	}
	out := bufio.NewReader(stdout)
	line, err := out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	addr := strings.TrimSpace(strings.TrimPrefix(line, "ready"))
	switch kind {
	case "web":
		for range 4 {
			v.ask(askWeb(addr))
		}
	case "messages":
		m, err := newMessenger(addr)
		if err != nil {
			return nil, err
		}
		v.ask(m.ask)
	default:
		v.ask(func(n int) error {
			fmt.Fprintln(in, n)
			line, err := out.ReadString('\n')
			if want := fmt.Sprintf("ok %d\n", n); line != want {
				return fmt.Errorf("got %q, %v, want %q", line, err, want)
			}
			return nil
		})
	}
	return v, nil
}

// ask asks until something is wrong.
func (v *victim) ask(question func(n int) error) {
	v.asking.Go(func() {
		for n := 0; !v.ending.Load(); n++ {
			began := time.Now()
			late := time.AfterFunc(answerIn, func() { v.wrong <- fmt.Errorf("question %d has no answer after %v", n, answerIn) })
			err := question(n)
			late.Stop()
			if took := int64(time.Since(began)); took > v.longest.Load() {
				v.longest.Store(took)
			}
			if err != nil {
				v.wrong <- fmt.Errorf("question %d, asked %v ago: %w", n, time.Since(began), err)
				return
			}
			v.answers.Add(1)
			time.Sleep(time.Millisecond)
		}
	})
}

// askWeb returns a client that also makes new connections.
func askWeb(addr string) func(n int) error {
	t := &http.Transport{}
	c := &http.Client{Transport: t}
	return func(n int) error {
		body := bytes.Repeat([]byte(fmt.Sprint(n)), n%1000)
		resp, err := c.Post("http://"+addr, "text/plain", bytes.NewReader(body))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		if want := fmt.Sprintf("%d %x <nil>\n", len(body), sha256.Sum256(body)); err != nil || string(got) != want {
			return fmt.Errorf("got %q, %v, want %q", got, err, want)
		}
		if n%10 == 0 {
			t.CloseIdleConnections()
		}
		return nil
	}
}

// A messenger publishes, and has subscribed three times.
type messenger struct {
	publish     net.Conn
	subscribers []*bufio.Reader
}

func newMessenger(addr string) (*messenger, error) {
	m := &messenger{}
	for i := range 4 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			m.publish = c
			continue
		}
		fmt.Fprintln(c, "sub")
		r := bufio.NewReader(c)
		if line, err := r.ReadString('\n'); line != "subscribed\n" {
			return nil, fmt.Errorf("got %q, %v", line, err)
		}
		m.subscribers = append(m.subscribers, r)
	}
	return m, nil
}

func (m *messenger) ask(n int) error {
	const many = 10
	for i := range many {
		fmt.Fprintln(m.publish, "pub", n, i)
	}
	for _, s := range m.subscribers {
		for i := range many {
			line, err := s.ReadString('\n')
			if want := fmt.Sprintln(n, i); line != want {
				return fmt.Errorf("got %q, %v, want %q", line, err, want)
			}
		}
	}
	return nil
}

// differences returns how many bytes of the code are not as in the file.
func (v *victim) differences() (n int, err error) {
	memory := make([]byte, len(v.code))
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", v.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := f.ReadAt(memory, int64(v.addr)); err != nil {
		return 0, fmt.Errorf("the program has ended: %w: %s", err, &v.stderr)
	}
	if bytes.Equal(memory, v.code) {
		return 0, nil
	}
	for i := range memory {
		if memory[i] != v.code[i] {
			n++
		}
	}
	return n, nil
}

// explain ends a program that hangs, and says what its threads and goroutines did.
func (v *victim) explain() string {
	var b strings.Builder
	n, err := v.differences()
	fmt.Fprintf(&b, "%d bytes differ (%v); threads:\n", n, err)
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", v.cmd.Process.Pid))
	for _, t := range tasks {
		for _, name := range []string{"stat", "wchan", "syscall"} {
			data, _ := os.ReadFile(filepath.Join(t, name))
			fmt.Fprintf(&b, "%s ", bytes.TrimSpace(data))
		}
		b.WriteByte('\n')
	}
	v.ending.Store(true)
	v.cmd.Process.Signal(syscall.SIGQUIT)
	time.AfterFunc(10*time.Second, func() { v.cmd.Process.Kill() })
	v.cmd.Wait()
	return b.String() + v.stderr.String()
}

// end ends a program, if there is one.
func (v *victim) end() {
	if v == nil {
		return
	}
	v.ending.Store(true)
	v.cmd.Process.Kill()
	v.cmd.Wait()
	v.asking.Wait()
}
