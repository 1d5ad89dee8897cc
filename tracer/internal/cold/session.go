//go:build linux && amd64

package cold

// This file attaches probes, takes those away that were hit, and detaches.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/analyze/cold"
	"github.com/pepgo/pep/machine/image"
	"github.com/pepgo/pep/machine/site"
	"github.com/pepgo/pep/tracer/internal/proc/rights"
	"github.com/pepgo/pep/tracer/internal/proc/uprobe"
)

// A Target is what has probes.
type Target struct {
	PID     int    // 0 is all processes of the executable, those that start later, too
	Exe     string // path to the executable
	Bias    uint64 // of the process
	Started uint64 // when the process was started, in clock ticks since boot
}

// A Hit is the first hit of a block.
type Hit struct {
	Block int
	Sight cold.Sight
}

// Options say how probes are taken away.
type Options struct {
	Careful bool // by new links, without writing to the memory of processes
}

const (
	maxLink = 1 << 14 // probes of a link; when the tracer is killed, so many at most are still attached, for nobody
	// group is how many blocks a link has if it is replaced by one of fewer blocks when blocks were hit.
	group = 512
	// regroup is how often that happens, and shed how often with several processes: then hits cost little, and the aim is
	// that processes which start later have fewer probes.
	regroup = 100 * time.Millisecond
	shed    = 5 * time.Second
)

// A Session is a set of probes.
type Session struct {
	plan    *Plan
	target  Target
	program *program
	reader  *ringbuf.Reader
	ended   chan struct{} // closed when the reader has ended
	stop    chan struct{}
	tending sync.WaitGroup
	stopped sync.Once

	mu      sync.Mutex
	known   []bool // blocks that need no probe: they were hit, or have no place
	fresh   []Hit  // since Take
	refused []int  // blocks that cannot be probed
	groups  []*blocks
	fault   *uprobe.Link
	pids    map[uint32]bool // of all hits
	texts   map[uint32]*text
	pid     int    // of the process that links are for, 0 for all
	careful string // why probes are taken away by new links, or ""
	err     error
	cost    costs
}

// blocks are blocks with a link of their own.
type blocks struct {
	list  []int
	link  *uprobe.Link // nil if there is none
	dirty bool         // some were hit
}

// Attach puts probes on the blocks of a plan, without those that are known. Errors that wrap rights.ErrMissing say
// which right is missing.
func Attach(target Target, plan *Plan, known []bool, o Options) (*Session, error) {
	if err := rights.Check(); err != nil {
		return nil, err
	}
	s := &Session{
		plan: plan, target: target, pid: target.PID, known: make([]bool, len(plan.Places)), texts: make(map[uint32]*text),
		pids:  make(map[uint32]bool),
		ended: make(chan struct{}), stop: make(chan struct{}),
	}
	copy(s.known, known)
	if o.Careful {
		s.careful = "as -careful asks for"
	}
	if err := s.attach(); err != nil {
		return nil, errors.Join(err, s.Detach())
	}
	return s, nil
}

func (s *Session) attach() (err error) {
	if s.target.PID != 0 && s.careful == "" {
		if err := s.prepare(); err != nil {
			return err
		}
	}
	if s.program, err = load(len(s.plan.Places), s.target.PID == 0); err != nil {
		return rights.Explain(err)
	}
	if s.reader, err = ringbuf.NewReader(s.program.ring); err != nil {
		return err
	}
	s.cost.begin()
	go s.read() // hits begin before all probes are there
	if s.target.PID == 0 {
		if err := s.try(); err != nil {
			return err
		}
	}
	list := s.unknown()
	began := time.Now()
	size := maxLink
	if s.Careful() != "" || s.target.PID == 0 {
		size = group
	}
	for part := range slices.Chunk(list, size) {
		g := &blocks{list: slices.Clone(part)}
		if g.link, err = s.link(part); err != nil {
			return err
		}
		s.mu.Lock()
		s.groups = append(s.groups, g)
		s.mu.Unlock()
	}
	if x := s.plan.panics; x.Offset != 0 && x.Class != site.Refused {
		l, _, err := uprobe.Attach(s.program.prog, s.target.Exe, []uint64{x.Offset}, []uint64{fault}, s.pid)
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.fault = l
		s.mu.Unlock()
	}
	s.cost.attached(len(list), time.Since(began))
	s.tending.Go(s.tend)
	return nil
}

// unknown returns the blocks that need a probe.
func (s *Session) unknown() (list []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.plan.Places {
		switch {
		case s.plan.Places[i].Class == site.Refused:
			s.known[i] = true
		case !s.known[i]:
			list = append(list, i)
		}
	}
	return list
}

// try attaches all probes to a process that never runs. Of an instruction that it cannot probe, the kernel says so
// only if the process is given. It also looks whether others are at work in a process that runs.
func (s *Session) try() error {
	if err := s.tryOther(); err != nil {
		return err
	}
	child, err := Start(exec.Command(s.target.Exe))
	if err != nil {
		return err
	}
	s.pid = child.Cmd.Process.Pid
	for part := range slices.Chunk(s.unknown(), maxLink) {
		l, err1 := s.link(part)
		if err1 == nil {
			err1 = l.Close()
		}
		err = errors.Join(err, err1)
	}
	s.pid = 0
	return errors.Join(err, child.Kill())
}

func (s *Session) tryOther() error {
	names, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, name := range names {
		if !s.same(name) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil {
			continue
		}
		im, err := image.OpenProcess(pid)
		if err != nil { // it has ended
			continue
		}
		defer im.Close()
		mem, err := openMemory(pid)
		if err != nil {
			return nil // as will be seen at its first hit
		}
		defer mem.Close()
		return s.plan.untouched(pid, &text{mem: mem, bias: im.Bias})
	}
	return nil
}

// prepare opens the memory of the process, and finds out whether it may be written, and whether there are probes of
// others.
func (s *Session) prepare() error {
	mem, err := openMemory(s.target.PID)
	if err != nil {
		s.careful = fmt.Sprintf("as the memory of process %d may not be written (%v)", s.target.PID, err)
		return nil
	}
	t := &text{mem, s.target.Bias, s.target.Started}
	s.texts[uint32(s.target.PID)] = t
	if err := s.plan.untouched(s.target.PID, t); err != nil {
		return err
	}
	// A byte that is as before: the kernel allows the write, or it does not.
	for i := range s.plan.Places {
		if x := &s.plan.Places[i]; x.Class != site.Refused {
			if err := t.write([]byte{x.Byte}, x.Addr+t.bias); err != nil && !errors.Is(err, errGone) {
				s.careful = fmt.Sprintf("as the memory of process %d may not be written (%v)", s.target.PID, err)
			}
			break
		}
	}
	return nil
}

// link makes a link of blocks. Those that the kernel refuses are known from then on, and reported.
func (s *Session) link(list []int) (*uprobe.Link, error) {
	var offsets, cookies []uint64
	for _, i := range list {
		offsets = append(offsets, s.plan.Places[i].Offset)
		cookies = append(cookies, uint64(i))
	}
	l, refused, err := uprobe.Attach(s.program.prog, s.target.Exe, offsets, cookies, s.pid)
	if err != nil {
		return nil, rights.Explain(fmt.Errorf("attaching %d probes to %s: %w", len(list), s.target.Exe, err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range refused {
		s.known[list[i]] = true
		s.refused = append(s.refused, list[i])
	}
	return l, nil
}

// Refused returns the blocks that cannot be probed, by the kernel's rules or since the process has changed their code.
func (s *Session) Refused() []int { return s.refused }

// read reads events until the session ends.
func (s *Session) read() {
	defer close(s.ended)
	var r ringbuf.Record
	for {
		err := s.reader.ReadInto(&r)
		if errors.Is(err, ringbuf.ErrClosed) || errors.Is(err, ringbuf.ErrFlushed) {
			return
		}
		if err != nil {
			s.fail(err)
			return
		}
		if e, ok := decode(r.RawSample); ok {
			s.handle(e)
		}
	}
}

func (s *Session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = errors.Join(s.err, err)
}

// handle notes a hit, and takes the probe away.
func (s *Session) handle(e event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.target.PID != 0 {
		e.pid = uint32(s.target.PID) // in a container the kernel has another number
	}
	if e.block == fault {
		s.handleFault(e)
		return
	}
	if int(e.block) >= len(s.plan.Places) {
		return
	}
	s.pids[e.pid] = true
	i := int(e.block)
	first := !s.known[i]
	if s.careful == "" {
		s.restore(e) // first, and it finds the process
	}
	s.see(i, e.pid)
	if first {
		s.cost.latency(e.at)
	}
}

// see notes that a block has run in a process.
func (s *Session) see(i int, pid uint32) {
	if s.known[i] {
		return
	}
	s.known[i] = true
	started := s.target.Started
	if t := s.texts[pid]; t != nil {
		started = t.started
	}
	s.fresh = append(s.fresh, Hit{i, cold.Sight{At: time.Now().Unix(), Age: age(started)}})
	if len(s.groups) > 0 {
		g, _ := slices.BinarySearchFunc(s.groups, i, func(g *blocks, i int) int { return g.list[len(g.list)-1] - i })
		if g < len(s.groups) {
			s.groups[g].dirty = true
		}
	}
}

// handleFault notes the block in which a fault was.
func (s *Session) handleFault(e event) {
	t := s.texts[e.pid]
	pc := e.pc
	switch {
	case t != nil:
		pc -= t.bias
	case s.target.PID != 0:
		pc -= s.target.Bias
	}
	i, _ := slices.BinarySearchFunc(s.plan.Places, pc, func(x Place, pc uint64) int {
		if x.Block.End <= pc {
			return -1
		}
		return 1
	})
	if i < len(s.plan.Places) && s.plan.Places[i].Block.Start <= pc && s.plan.Places[i].Class != site.Refused {
		s.see(i, e.pid)
	}
}

// restore takes a probe away in the process that has hit it.
func (s *Session) restore(e event) {
	x := &s.plan.Places[e.block]
	for again := false; ; again = true {
		t, err := s.textOf(e, again)
		if err == nil {
			err = t.restore(e.pc, x.Byte)
		}
		switch {
		case err == nil:
			return
		case errors.Is(err, errGone) && !again && s.target.PID == 0: // it executes the file again
		case errors.Is(err, errGone), errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ESRCH):
			return
		default:
			if s.target.PID == 0 {
				s.careful = fmt.Sprintf("as the memory of process %d may not be written (%v)", e.pid, err)
			} else {
				s.careful = fmt.Sprintf("as the memory of the process may not be written any more (%v)", err)
			}
			return
		}
	}
}

// textOf returns the text of the process of an event.
func (s *Session) textOf(e event, fresh bool) (*text, error) {
	t := s.texts[e.pid]
	if t != nil && !fresh {
		return t, nil
	}
	if t != nil {
		t.mem.Close()
		delete(s.texts, e.pid)
	}
	if s.target.PID != 0 {
		return nil, errGone
	}
	mem, err := openMemory(int(e.pid))
	if err != nil {
		return nil, err
	}
	if !s.same(fmt.Sprintf("/proc/%d/exe", e.pid)) { // it has executed another program meanwhile
		mem.Close()
		return nil, errGone
	}
	started, _ := image.StartTime(int(e.pid))
	t = &text{mem, e.pc - s.plan.Places[e.block].Addr, started}
	s.texts[e.pid] = t
	return t, nil
}

// same reports whether a path leads to the executable.
func (s *Session) same(name string) bool {
	a, err1 := os.Stat(name)
	b, err2 := os.Stat(s.target.Exe)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// tend looks after links and counters while the session lasts.
func (s *Session) tend() {
	tick := time.NewTicker(regroup)
	defer tick.Stop()
	counted, renewed := time.Now(), time.Now()
	s.count()
	for {
		select {
		case <-s.stop:
			return
		case now := <-tick.C:
			if now.Sub(counted) >= time.Second {
				counted = now
				s.count()
				s.forget()
			}
			s.mu.Lock()
			careful := s.careful != ""
			s.mu.Unlock()
			if careful || s.target.PID == 0 && now.Sub(renewed) >= shed {
				renewed = now
				s.renew()
			}
		}
	}
}

// count adds up the hits. Blocks whose event found no space in the buffer are noted here.
func (s *Session) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := s.program.counts()
	if err != nil {
		s.err = errors.Join(s.err, err)
		return
	}
	var hits, stepped uint64
	for i := range s.plan.Places {
		n := binary.LittleEndian.Uint64(b[8*i:])
		if n == 0 {
			continue
		}
		hits += n
		if s.plan.Places[i].Class == site.Stepped {
			stepped += n
		}
		if !s.known[i] {
			s.see(i, uint32(s.target.PID))
			if t := s.texts[uint32(s.target.PID)]; t != nil && s.careful == "" {
				t.restore(s.plan.Places[i].Addr+t.bias, s.plan.Places[i].Byte)
			}
		}
	}
	s.cost.count(hits, stepped)
}

// forget closes the memory of processes that have ended.
func (s *Session) forget() {
	if s.target.PID != 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for pid, t := range s.texts {
		var b [1]byte
		if errors.Is(t.read(b[:], s.plan.Text.Start+t.bias), errGone) {
			t.mem.Close()
			delete(s.texts, pid)
		}
	}
}

// renew replaces the links of groups in which blocks were hit.
func (s *Session) renew() {
	s.mu.Lock()
	s.split()
	groups := slices.Clone(s.groups)
	s.mu.Unlock()
	for _, g := range groups {
		s.mu.Lock()
		dirty := g.dirty
		g.dirty = false
		var left []int
		for _, i := range g.list {
			if !s.known[i] {
				left = append(left, i)
			}
		}
		s.mu.Unlock()
		if !dirty {
			continue
		}
		var l *uprobe.Link
		if len(left) > 0 {
			var err error
			l, err = s.link(left)
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) { // the process has ended
				return
			}
			if err != nil {
				s.fail(err)
				return
			}
		}
		s.mu.Lock()
		old := g.link
		g.link = l
		s.mu.Unlock()
		if old != nil {
			if err := old.Close(); err != nil {
				s.fail(err)
			}
		}
	}
}

// split makes groups of one large one, when writes to memory turn out to be forbidden.
func (s *Session) split() {
	for i := 0; i < len(s.groups); i++ {
		g := s.groups[i]
		if len(g.list) <= group {
			continue
		}
		var parts []*blocks
		for part := range slices.Chunk(g.list, group) {
			parts = append(parts, &blocks{list: part, dirty: true})
		}
		parts[len(parts)-1].link = g.link // until the groups before have links of their own
		s.groups = slices.Replace(s.groups, i, i+1, parts...)
		i += len(parts) - 1
	}
}

// Take returns the blocks that were hit since the last call.
func (s *Session) Take() []Hit {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.fresh
	s.fresh = nil
	return list
}

// Probes returns how many probes there were at the beginning.
func (s *Session) Probes() int { return s.cost.probes }

// Err returns what went wrong meanwhile.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Careful says why probes are taken away by new links, or "".
func (s *Session) Careful() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.careful
}

// Detach takes all probes away. What was hit before can still be taken.
func (s *Session) Detach() (err error) {
	s.stopped.Do(func() { err = s.detach() })
	return err
}

func (s *Session) detach() (err error) {
	close(s.stop)
	s.tending.Wait() // it may be making links
	began := time.Now()
	s.mu.Lock()
	groups, fault := s.groups, s.fault
	s.mu.Unlock()
	for _, g := range groups {
		if g.link != nil {
			err = errors.Join(err, g.link.Close())
		}
	}
	if fault != nil {
		err = errors.Join(err, fault.Close())
	}
	if s.reader != nil {
		s.reader.Flush() // what is there is read
		<-s.ended
		s.count()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost.detached(time.Since(began))
	for _, t := range s.texts {
		if n, first, err := s.plan.differences(t); err == nil && n > 0 {
			s.cost.differ = append(s.cost.differ,
				fmt.Sprintf("%d places of the code differ from the file, the first in %s: the program has changed it, or another tracer is at work", n, s.plan.functionOf(first)))
		}
		t.mem.Close()
	}
	if s.reader != nil {
		s.reader.Close()
	}
	if s.program != nil {
		s.program.close()
	}
	return err
}

// age returns how many seconds a process runs that was started at a time in ticks since boot.
func age(started uint64) int64 {
	const ticks = 100 // a second, on all machines that Linux runs on
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return 0
	}
	return max(0, t.Sec-int64(started/ticks))
}

// now is the time of the monotonic clock in ns, as the kernel's program has it.
func now() uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0
	}
	return uint64(t.Nano())
}
