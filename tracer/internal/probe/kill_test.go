//go:build linux && amd64

package probe_test

// This file ends everything at bad moments: the target, the tracer, the file, the ID.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/arch/x86/x86asm"

	"github.com/pepgo/pep/internal/machinetest"
	"github.com/pepgo/pep/tracer/internal/probe"
	"github.com/pepgo/pep/tracer/internal/proc/process"
	"github.com/pepgo/pep/tracer/internal/targettest"
)

// busy starts a target that calls hot and pick for ever, with probes.
func busy(t *testing.T, path string) (*byHand, *targettest.Target, *probe.Session) {
	t.Helper()
	h := plan(t, open(t, build(t)))
	h.fn("main.hot", false).checked()
	h.fn("main.pick", true).checked().exits()
	x := targettest.Start(t, path, "busy")
	s := h.attach(x, probe.Limits{})
	x.Work()
	return h, x, s
}

// hitsUntil waits until a site has had more hits.
func hitsUntil(t *testing.T, s *probe.Session, site int, more uint64) {
	t.Helper()
	for {
		c, err := s.Read()
		if err != nil {
			t.Fatal(err)
		}
		if c.Sites[site].Hits > more {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestTargetExits(t *testing.T) {
	targettest.NeedRights(t)
	h, x, s := busy(t, build(t))
	p := openProcess(t, x)
	hitsUntil(t, s, 0, 0)
	x.Ends() // it ends
	if err := p.Check(); !errors.Is(err, process.ErrExited) {
		t.Errorf("got the error %v, want %v", err, process.ErrExited)
	}
	if c := finish(t, s); c.Sites[0].Hits == 0 {
		t.Error("the counts are gone")
	}
	if n := links(t, x.Path); n != 0 {
		t.Errorf("%d links to %s are left", n, h.path)
	}
}

func TestTargetIsKilled(t *testing.T) {
	targettest.NeedRights(t)
	_, x, s := busy(t, build(t))
	p := openProcess(t, x)
	hitsUntil(t, s, 0, 0)
	if p.Wait(0) {
		t.Error("the process has ended before it was killed")
	}
	x.Process.Kill()
	if !p.Wait(time.Minute) {
		t.Error("the process lives")
	}
	finish(t, s)
	if n := links(t, x.Path); n != 0 {
		t.Errorf("%d links to %s are left", n, x.Path)
	}
	if _, err := probe.Attach(p, &plan(t, open(t, build(t))).fn("main.hot", false).checked().Plan,
		probe.Limits{}); !errors.Is(err, process.ErrExited) {
		t.Errorf("attaching to a dead process: got the error %v, want %v", err, process.ErrExited)
	}
}

// The tracer is killed while it attaches or detaches probes, or while they are hit. The kernel detaches them, and the
// target lives.
func TestTracerIsKilled(t *testing.T) {
	if pid := os.Getenv("TEST_TRACE"); pid != "" { // the tracer
		n, _ := strconv.Atoi(pid)
		h := branches(t, os.Getenv("TEST_BINARY"), 5000)
		h.fn("main.pick", true).checked().exits()
		p, err := process.Open(n)
		if err != nil {
			t.Fatal(err)
		}
		for fmt.Println("begins"); ; {
			s, err := probe.Attach(p, &h.Plan, probe.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	targettest.NeedRights(t)
	x := targettest.Start(t, build(t), "calls", "2", "200")
	x.KillTracers(15, 500*time.Millisecond, t.Name(), fmt.Sprint("TEST_TRACE=", x.Process.Pid), "TEST_BINARY="+x.Path)
	if n := links(t, x.Path); n != 0 {
		t.Errorf("%d links are left", n)
	}
	x.Ends()
}

// The file of a running program is replaced by another one: probes go into the program
// that runs.
func TestFileIsReplaced(t *testing.T) {
	targettest.NeedRights(t)
	for _, how := range []string{"replaced", "deleted"} {
		t.Run(how, func(t *testing.T) {
			h := plan(t, open(t, build(t)))
			h.fn("main.pick", false).checked()
			path := filepath.Join(t.TempDir(), "target")
			copyFile(t, h.path, path)
			x := targettest.Start(t, path, "calls", "2", "500")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if how == "replaced" {
				copyFile(t, os.Args[0], path)
			}
			s := h.attach(x, probe.Limits{})
			x.Work()
			if n := finish(t, s).Sites[0].Hits; n != 1000 {
				t.Errorf("%d hits, want 1000", n)
			}
			h.clean(x)
			x.Ends()
		})
	}
}

// A process in a container has another ID there, and a path that is not ours.
func TestContainer(t *testing.T) {
	targettest.NeedRights(t)
	machinetest.NeedProcess(t, "in namespaces and another root",
		&syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Chroot: "/"})
	h := plan(t, open(t, build(t)))
	h.fn("main.pick", true).checked().exits()
	dir := t.TempDir()
	copyFile(t, h.path, filepath.Join(dir, "target"))
	x := targettest.StartWith(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS, Chroot: dir},
		"/target", "calls", "2", "500")
	s := h.attach(x, probe.Limits{})
	x.Work()
	c := finish(t, s)
	if n, times := h.hits(c, "main.pick", probe.Entry), c.Times[0]; n != 1000 || times.Calls != 1000 {
		t.Errorf("%d hits, %d calls timed, want 1000", n, times.Calls)
	}
	h.clean(x)
	x.Ends()
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// A process that was opened has ended, and another one has its ID: it gets no probes.
func TestIDIsUsedAgain(t *testing.T) {
	targettest.NeedRights(t)
	h := plan(t, open(t, build(t)))
	h.fn("main.pick", false).checked()
	old := targettest.Start(t, h.path, "panics", "0")
	p := openProcess(t, old)
	old.Work()
	old.Ends()
	const last = "/proc/sys/kernel/ns_last_pid"
	for range 200 {
		if err := os.WriteFile(last, []byte(fmt.Sprint(old.Process.Pid-1)), 0); err != nil {
			t.Skip("choosing a process ID:", err)
		}
		x := targettest.Start(t, h.path, "calls", "1", "10")
		if x.Process.Pid != old.Process.Pid {
			x.Work()
			x.Ends()
			continue
		}
		if _, err := probe.Attach(p, &h.Plan, probe.Limits{}); !errors.Is(err, process.ErrExited) {
			t.Errorf("got the error %v, want %v", err, process.ErrExited)
		}
		x.Work()
		h.clean(x)
		x.Ends()
		return
	}
	t.Skipf("no process got the ID %d again: others were faster", old.Process.Pid)
}

func TestTargetExecutesAnotherProgram(t *testing.T) {
	targettest.NeedRights(t)
	h := plan(t, open(t, build(t)))
	h.fn("main.pick", false).checked()
	x := targettest.Start(t, h.path, "exec")
	p := openProcess(t, x)
	s := h.attach(x, probe.Limits{})
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	x.Ask("")
	x.Expect("ready") // of the new program
	if err := p.Check(); !errors.Is(err, process.ErrExec) {
		t.Errorf("got the error %v, want %v", err, process.ErrExec)
	}
	finish(t, s)
	x.Work()
	h.clean(x)
	x.Ends()
}

// A site with too many hits is switched off by the kernel and loses its probe; the others
// count every hit.
func TestLimit(t *testing.T) {
	targettest.NeedRights(t)
	const calls, limit = 3000, 500
	h := plan(t, open(t, build(t)))
	h.fn("main.pick", false).checked()  // 3000 hits
	h.fn("main.deep", false).checked()  // 1830 hits
	h.fn("runtime.GC", false).checked() // 3 hits
	h.fn("main.work", false).checked()  // 1 hit
	h.Sites[1].Slow = true              // its limit is limit/20
	x := targettest.Start(t, h.path, "calls", "1", fmt.Sprint(calls))
	s := h.attach(x, probe.Limits{Hits: limit})
	x.Work()
	if left, err := s.Prune(); !left || err != nil {
		t.Errorf("Prune: got %v, %v, want sites left", left, err)
	}
	for i, want := range []bool{false, false, true, true} {
		if got := h.isProbed(x, h.Sites[i]); got != want {
			t.Errorf("%s has a probe: %v, want %v", h.Funcs[i].Name, got, want)
		}
	}
	if n := links(t, x.Path); n != 1 {
		t.Errorf("%d links, want 1", n)
	}
	c := finish(t, s)
	for i, want := range []uint64{limit, limit / 20, 3, 1} {
		// The work takes some milliseconds; a new second can begin in it, on each CPU.
		if got := c.Sites[i]; (got.Off > 0) != (want > 3) || got.Hits < want || got.Hits > calls-1 {
			t.Errorf("%s: %d hits, off after %v, want %d hits", h.Funcs[i].Name, got.Hits, got.Off, want)
		}
	}
	h.clean(x)
	x.Ends()
}

// When a limit switches off the probe at one end of calls, their timing ends: calls whose
// return is not seen did not panic, and returns whose entry is not seen did not begin
// before the probes.
func TestTimingEndsWithAProbe(t *testing.T) {
	targettest.NeedRights(t)
	const calls, limit = 3000, 500
	for _, end := range []probe.Kind{probe.Entry, probe.Exit} {
		h := plan(t, open(t, build(t)))
		h.fn("main.pick", true).checked().exits()
		h.fn("main.work", true).checked().exits()
		for i := range h.Sites {
			h.Sites[i].Slow = h.Sites[i].Kind == end // its limit is limit/20, and the other end has limit
		}
		x := targettest.Start(t, h.path, "calls", "2", fmt.Sprint(calls))
		began := time.Now()
		s := h.attach(x, probe.Limits{Hits: limit})
		x.Work()
		c := finish(t, s)
		x.Ends()
		got := h.times(c, "main.pick")
		if got.Replaced+got.Unmatched != 0 || got.Calls == 0 || got.Calls > h.hits(c, "main.pick", end) || got.Open > 2 {
			t.Errorf("without the probe of the %v: got %+v, want calls with both ends alone", end, got)
		}
		if got.Off <= 0 || got.Off > time.Since(began) {
			t.Errorf("without the probe of the %v: the timing ended after %v, want the time when that was switched off", end,
				got.Off)
		}
		if got := h.times(c, "main.work"); got.Calls != 2 || got.Off != 0 || got.Open+got.Replaced+got.Unmatched != 0 {
			t.Errorf("another function: got %+v, want 2 calls", got)
		}
	}
}

// While a link takes the place of another one, both have the sites. Hits count once.
func TestTwoLinksCountOnce(t *testing.T) {
	targettest.NeedRights(t)
	h := plan(t, open(t, build(t)))
	h.fn("main.pick", true).checked().exits()
	x := targettest.Start(t, h.path, "calls", "2", "500")
	s := h.attach(x, probe.Limits{})
	next, err := s.LinkNext()
	if err != nil {
		t.Fatal(err)
	}
	x.Work()
	if err := next.Close(); err != nil {
		t.Error(err)
	}
	if n := h.hits(finish(t, s), "main.pick", probe.Entry); n != 1000 {
		t.Errorf("%d hits, want 1000", n)
	}
	h.clean(x)
	x.Ends()
}

// Thousands of sites are one link: attaching and detaching does not take minutes, and
// leaves nothing.
func TestThousandsOfSites(t *testing.T) {
	targettest.NeedRights(t)
	const sites = 5000
	h := branches(t, build(t), sites)
	x := targettest.Start(t, h.path, "busy")
	p := openProcess(t, x)
	x.Work()
	begin := time.Now()
	s, err := probe.Attach(p, &h.Plan, probe.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	attached := time.Now()
	if n := h.probed(x); n != sites {
		t.Errorf("%d of %d instructions have probes", n, sites)
	}
	detach := time.Now()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d sites: attached in %v, detached in %v", sites, attached.Sub(begin), time.Since(detach))
	h.clean(x)
	x.Ends()
}

// branches plans probes at conditional jumps.
func branches(t *testing.T, path string, sites int) *byHand {
	t.Helper()
	b := open(t, path)
	h := plan(t, b)
	h.fn("many", false)
	for name, s := range b.symbols {
		if len(h.Sites) == sites {
			break
		}
		if elf := s.Info & 15; elf != 2 || s.Size == 0 || !strings.Contains(name, ".") || s.Section >= 100 {
			continue
		}
		for _, x := range decodable(t, b, name) {
			if x.Op == x86asm.JBE || x.Op == x86asm.JE || x.Op == x86asm.JNE {
				h.site(probe.Edge, x)
			}
			if len(h.Sites) == sites {
				break
			}
		}
	}
	if len(h.Sites) != sites {
		t.Fatalf("%s has only %d sites", path, len(h.Sites))
	}
	return h
}

// decodable returns the instructions of a function before the first that is unknown.
func decodable(t *testing.T, b *binary, symbol string) (list []instruction) {
	s := b.symbols[symbol]
	text := b.file.Section(".text")
	if s.Value < text.Addr || s.Value+s.Size > text.Addr+text.Size {
		return nil
	}
	code := make([]byte, s.Size)
	if _, err := text.ReadAt(code, int64(s.Value-text.Addr)); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(code); {
		x, err := x86asm.Decode(code[at:], 64)
		if err != nil {
			return list
		}
		list = append(list, instruction{x, s.Value + uint64(at), code[at : at+x.Len]})
		at += x.Len
	}
	return list
}
