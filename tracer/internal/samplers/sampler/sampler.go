package sampler

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"
	"github.com/cilium/ebpf/rlimit"
	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/tracer/internal/interp/bpf"
	"github.com/pepgo/pep/tracer/internal/interp/ops"
	"github.com/pepgo/pep/tracer/internal/proc/process"
	"github.com/pepgo/pep/tracer/internal/samplers/mapped"
	"github.com/pepgo/pep/tracer/internal/values/capture"
)

// A Sampler samples until it is closed. It implements capture.Source.
type Sampler struct {
	options Options
	objs    bpf.SamplerMaps
	program *ebpf.Program // interprets
	before  *ebpf.Program // with Options.Ticks: called when a timer begins
	events  events
	reader  *ringbuf.Reader
	fetch   time.Duration  // how often runs are fetched
	pidfds  map[uint32]int // of Options.PIDs

	stop chan struct{}
	done sync.WaitGroup
	lost atomic.Uint64

	searching sync.Mutex     // for layouts
	searches  sync.WaitGroup // of layouts

	mu      sync.Mutex                        // of all that follows
	layouts map[string]func() bpf.SamplerProc // by executable
	spaces  map[uint32]*space
	files   mapped.Files
	insns   []*mapped.Instruction // by index of the kernel's array
	free    []uint32
	dropped []dropped
	round   int
	full    uint64 // misses that found no free op

	labelSets  map[uint64]capture.Labels // by their hash
	lostLabels uint64                    // runs whose labels the kernel's map had no space for

	ended bool  // no process is left
	err   error // why decoding ended
}

// How often misses are decoded and ended processes are noticed: often while there is code to
// decode, which interrupts wait for, and else seldom. Each time wakes this process up, and costs
// it some system calls.
const (
	decodeOften  = 20 * time.Millisecond
	decodeSeldom = 100 * time.Millisecond
)

// Attach begins to sample. The error names the capability or the feature of the kernel that
// is missing.
func Attach(o Options) (*Sampler, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Sampler{options: o, labelSets: map[uint64]capture.Labels{}, pidfds: map[uint32]int{}, stop: make(chan struct{}),
		spaces: map[uint32]*space{}, files: mapped.Files{}, layouts: map[string]func() bpf.SamplerProc{},
		insns: make([]*mapped.Instruction, o.Ops)}
	for i := o.Ops - 1; i > 0; i-- { // 0 means that there is no op
		s.free = append(s.free, uint32(i))
	}
	if err := s.attach(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// namespace returns the inode of the PID namespace that this process is in, or 0 if it is the
// first one. In a container the kernel must translate process IDs.
func namespace() (inode uint32, err error) {
	const first = 0xeffffffc // PROC_PID_INIT_INO of the kernel
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/ns/pid", &st); err != nil {
		return 0, fmt.Errorf("sampler: the PID namespace: %w", err)
	}
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return 0, fmt.Errorf("sampler: /proc is that of another PID namespace: this process is %d, and there it is %s (%v); mount one with mount -t proc proc /proc", os.Getpid(), self, err)
	}
	if st.Ino == first {
		return 0, nil
	}
	return uint32(st.Ino), nil
}

func (s *Sampler) attach() (err error) {
	if err := s.load(); err != nil {
		return err
	}
	for _, pid := range s.options.PIDs {
		p, err := process.Open(pid) // its errors tell kernel threads and processes that have ended
		if err != nil {
			return fmt.Errorf("sampler: %w", err)
		}
		p.Close()
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return fmt.Errorf("sampler: there is no process %d: %w", pid, err)
		}
		s.pidfds[uint32(pid)] = fd
		if _, err := s.newSpace(uint32(pid)); err != nil {
			return err
		}
	}
	s.searches.Wait() // or the first runs had no goroutines and labels
	if s.reader, err = ringbuf.NewReader(s.objs.Records); err != nil {
		return err
	}
	s.fetch = s.options.fetchEvery(s.reader.BufferSize())
	s.reader.SetDeadline(time.Now()) // a reader without a deadline waits to be woken up
	if s.options.Ticks {
		err = s.events.openTicks(s.before, s.program)
	} else {
		err = s.events.open(s.program, &s.options)
	}
	if err != nil {
		return err
	}
	s.done.Go(s.maintain)
	return nil
}

// load loads the program with its parameters.
func (s *Sampler) load() error {
	o := &s.options
	ns, err := namespace()
	if err != nil {
		return err
	}
	if err := rlimit.RemoveMemlock(); err != nil && !errors.Is(err, os.ErrPermission) {
		return err // kernels before 5.11 account for maps in this limit
	}
	spec, err := bpf.LoadSampler()
	if err != nil {
		return err
	}
	spec.Maps["ops"].MaxEntries = uint32(o.Ops)
	spec.Maps["entries"].MaxEntries = uint32(o.Ops)
	number := map[bool]uint32{true: 1}
	for name, v := range map[string]uint32{"cfg_all": number[o.All], "cfg_self": uint32(os.Getpid()), "cfg_namespace": ns,
		"cfg_every":  uint32(o.Every),
		"cfg_length": uint32(o.Length), "cfg_skip": uint32(o.Skip), "cfg_interpret": number[!o.CountOnly]} {
		if err := spec.Variables[name].Set(v); err != nil {
			return err
		}
	}
	if err := spec.Variables["cfg_seed"].Set(rand.Uint64()); err != nil {
		return err
	}
	// Only the programs that are needed are loaded: the kernel looks at each for a second.
	if o.Ticks {
		var objs struct {
			bpf.SamplerMaps
			Begins *ebpf.Program `ebpf:"timer_begins"`
			Ends   *ebpf.Program `ebpf:"timer_ends"`
		}
		err = spec.LoadAndAssign(&objs, nil)
		s.objs, s.before, s.program = objs.SamplerMaps, objs.Begins, objs.Ends
	} else {
		var objs struct {
			bpf.SamplerMaps
			Sample *ebpf.Program `ebpf:"sample"`
		}
		err = spec.LoadAndAssign(&objs, nil)
		s.objs, s.program = objs.SamplerMaps, objs.Sample
	}
	var ve *ebpf.VerifierError
	if errors.As(err, &ve) {
		err = fmt.Errorf("%w: %v", err, ve)
	}
	if err != nil {
		return missing("loading the program", "CAP_BPF and CAP_PERFMON", err)
	}
	return nil
}

// Stop ends the interrupts, so that Stats are of one moment. Next still returns the runs that
// wait.
func (s *Sampler) Stop() error { return s.events.close() }

// Close detaches. Afterwards the kernel has nothing of the sampler any more.
func (s *Sampler) Close() error {
	err := s.events.close()
	select {
	case <-s.stop:
		return err
	default:
		close(s.stop)
	}
	if s.reader != nil {
		err = errors.Join(err, s.reader.Close())
	}
	s.done.Wait()
	s.searches.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sp := range s.spaces {
		sp.mem.Close()
	}
	for _, fd := range s.pidfds {
		unix.Close(fd)
	}
	return errors.Join(err, s.before.Close(), s.program.Close(), s.objs.Close())
}

// maintain decodes what the kernel has missed, notices the end of processes, and changes the
// periods of the clocks.
func (s *Sampler) maintain() {
	wait := decodeOften
	tick := time.NewTimer(wait)
	defer tick.Stop()
	redrawn := time.Now()
	var missed uint64
	again := false
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		s.mu.Lock()
		s.round++
		s.reuse()
		s.bury()
		s.mu.Unlock()
		// The kernel counts a miss before it notes the PC, so after the last change of the count
		// there may still be one.
		n, err := s.misses()
		if err != nil || n != missed || again {
			s.decodeMisses()
		}
		again = n != missed
		missed = n
		if again {
			wait = decodeOften
		} else {
			wait = min(2*wait, decodeSeldom)
		}
		tick.Reset(wait)
		if n, err := s.counter(countDropped); err == nil {
			s.lost.Store(n)
		}
		if time.Since(redrawn) > s.options.redrawEvery() {
			s.events.redraw(&s.options)
			redrawn = time.Now()
		}
	}
}

// misses returns how often the kernel has noted a PC for decodeMisses.
func (s *Sampler) misses() (sum uint64, err error) {
	for _, i := range []int{countMissed, countStale, countStops + int(ops.NotDecoded), countStops + int(ops.Changed)} {
		n, e := s.counter(i)
		sum, err = sum+n, errors.Join(err, e)
	}
	return sum, err
}

// decodeMisses decodes the code at the addresses that the kernel could not interpret.
func (s *Sampler) decodeMisses() {
	const stale = 1 << 63
	var a bpf.SamplerAddress
	var n uint64
	misses := map[bpf.SamplerAddress]uint64{}
	for it := s.objs.Misses.Iterate(); it.Next(&a, &n); {
		misses[a] = n
	}
	for a, n := range misses {
		select {
		case <-s.stop:
			return
		default:
		}
		s.objs.Misses.Delete(&a)
		s.mu.Lock() // for each anew, because Next waits for it, too
		if err := s.miss(a.Tgid, a.Pc, n&stale != 0); err != nil && s.err == nil && s.alive(a.Tgid) {
			s.err = err
		}
		s.mu.Unlock()
	}
}

func (s *Sampler) miss(tgid uint32, pc uint64, stale bool) error {
	sp := s.spaces[tgid]
	if sp != nil && stale {
		s.drop(sp)
		sp = nil
	}
	if sp == nil {
		if _, ok := s.pidfds[tgid]; !ok && !s.options.All {
			return nil // it has ended
		}
		var err error
		if sp, err = s.newSpace(tgid); err != nil {
			return nil // it ended, or is not ours to read: its interrupts go on to be counted as missed
		}
	}
	if len(s.free) <= ops.MaxOps {
		s.full++
		return nil
	}
	if sp.table.At(pc) != 0 {
		return nil
	}
	return s.decode(sp, pc)
}

// bury forgets processes that have ended.
func (s *Sampler) bury() {
	for pid, fd := range s.pidfds {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, _ := unix.Poll(fds, 0); n > 0 {
			unix.Close(fd)
			delete(s.pidfds, pid)
			s.forget(pid)
		}
	}
	if !s.options.All {
		s.ended = len(s.pidfds) == 0
		return
	}
	for pid := range s.spaces {
		if _, named := s.pidfds[pid]; !named && s.round%25 == 0 && !s.alive(pid) {
			s.forget(pid)
		}
	}
}

func (s *Sampler) forget(pid uint32) {
	s.objs.Procs.Delete(&pid)
	if sp := s.spaces[pid]; sp != nil {
		s.drop(sp)
	}
}

func (s *Sampler) alive(pid uint32) bool { return unix.Kill(int(pid), 0) != unix.ESRCH }
