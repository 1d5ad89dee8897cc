//go:build linux && amd64

package probe

// This file attaches and detaches probes.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/tracer/internal/interp/bpf/probe"
	"github.com/pepgo/pep/tracer/internal/proc/process"
	"github.com/pepgo/pep/tracer/internal/proc/rights"
	"github.com/pepgo/pep/tracer/internal/proc/uprobe"
)

// Limits bound what probes cost. The zero value has no limit of hits and the bounds named
// Default….
type Limits struct {
	Hits    uint64 // per second on one CPU, of a site: more switch it off; a slow site may have a twentieth; 0 is no limit
	Values  uint   // distinct values that are counted of a word
	Calls   uint32 // calls that may be under way, of all functions that are timed
	Secrets bool   // pointers and strings are recorded as they are
}

// The bounds of memory in the kernel.
const (
	DefaultValues = 1000
	MaxValues     = 1 << 16
	DefaultCalls  = 1 << 16

	maxValues = 1 << 18 // of all words together; a value takes about 80 bytes
	maxTexts  = 1 << 15 // likewise; about 130 bytes
)

// slots is the number of slots of scratch memory; the program in the kernel has it as SLOTS.
const slots = 256

// slowness is how many times as much a probe costs if the kernel steps over its
// instruction. A kernel in a virtual machine needs 10 µs instead of 0.5 µs.
const slowness = 20

// A Session is a set of probes in a process.
type Session struct {
	plan    *Plan
	process *process.Process
	objects probe.ProbeObjects
	link    *uprobe.Link // nil when detached

	generation uint32
	began      uint64 // when hits began to count, in ns of the monotonic clock
	on         []int  // indices of the sites with probes
	refused    []Skipped
	detached   []int // sites that were switched off and have no probe any more
	mayStep    bool  // there are slow sites, or the kernel stepped already before
	stepped    bool  // see Stepped
}

// Attach puts the probes of a plan into a process. They begin to count together when all
// are there.
//
// An error that wraps rights.ErrMissing says which capability or feature of the kernel is
// missing. Sites at instructions that the kernel refuses to probe, or that the process has changed, are left out, see
// Refused.
func Attach(p *process.Process, plan *Plan, limits Limits) (*Session, error) {
	if len(plan.Sites) == 0 {
		return nil, errors.New("nothing to probe: no site")
	}
	if err := rights.Check(); err != nil {
		return nil, err
	}
	s := &Session{plan: plan, process: p, mayStep: steps(p)}
	for i := range plan.Sites {
		s.on = append(s.on, i)
		s.mayStep = s.mayStep || plan.Sites[i].Slow
	}
	err := p.Check()
	if err == nil {
		err = rights.Explain(s.load(limits))
	}
	if err == nil {
		err = rights.Explain(s.attach())
	}
	// If the process lives now, its ID meant this process all the time. If not, that is why
	// attaching failed.
	if gone := p.Check(); gone != nil {
		err = gone
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// load loads the program and fills the tables of sites and words.
func (s *Session) load(limits Limits) error {
	if limits.Values == 0 {
		limits.Values = DefaultValues
	}
	if limits.Calls == 0 {
		limits.Calls = DefaultCalls
	}
	sites, words := s.tables(limits)
	var timed, texts, itabs bool
	for _, f := range s.plan.Funcs {
		timed = timed || f.Timed
	}
	for _, w := range words {
		texts = texts || w.As == uint8(probe.ProbeAsTEXT)
		itabs = itabs || w.As == uint8(probe.ProbeAsITAB)
	}
	spec, err := probe.LoadProbe()
	if err != nil {
		return err
	}
	entries := func(name string, n int, used bool) {
		if !used {
			n = 1
		}
		spec.Maps[name].MaxEntries = uint32(max(n, 1))
	}
	all := len(words) * int(limits.Values)
	entries(probe.ProbeMapSites, len(sites), true)
	entries(probe.ProbeMapCounts, len(sites), true)
	entries(probe.ProbeMapWords, len(words), true)
	entries(probe.ProbeMapValues, min(all, maxValues), true)
	entries(probe.ProbeMapTexts, min(all, maxTexts), texts)
	entries(probe.ProbeMapItabs, min(all, maxValues), itabs)
	entries(probe.ProbeMapTimes, len(s.plan.Funcs), timed)
	entries(probe.ProbeMapEnds, len(s.plan.Funcs), timed)
	entries(probe.ProbeMapCalls, int(limits.Calls), timed)
	interprets := uint32(0)
	if len(s.plan.Ops) > 0 {
		interprets = 1
	}
	entries(probe.ProbeMapOps, len(s.plan.Ops), true)
	entries(probe.ProbeMapSlots, slots, interprets > 0)
	entries(probe.ProbeMapEntries, 1, true)
	if err := spec.Variables[probe.ProbeVarInterprets].Set(interprets); err != nil {
		return err
	}
	if err := spec.Variables[probe.ProbeVarGoidOffset].Set(s.plan.GoidOffset); err != nil {
		return err
	}
	if err := spec.LoadAndAssign(&s.objects, nil); err != nil {
		return fmt.Errorf("loading the BPF program: %w", err)
	}
	return cmp.Or(put(s.objects.Sites, sites), put(s.objects.Words, words), put(s.objects.Ops, s.plan.Ops))
}

// put fills an array map.
func put[T any](m *ebpf.Map, list []T) error {
	if len(list) == 0 {
		return nil
	}
	keys := make([]uint32, len(list))
	for i := range keys {
		keys[i] = uint32(i)
	}
	_, err := m.BatchUpdate(keys, list, nil)
	return err
}

// tables makes the tables that the program in the kernel reads.
func (s *Session) tables(limits Limits) (sites []probe.ProbeSite, words []probe.ProbeWord) {
	for _, x := range s.plan.Sites {
		k := probe.ProbeSite{
			Func: uint32(x.Func), Kind: uint8(x.Kind), Condition: x.Condition, Nwords: uint8(len(x.Words)),
			Word: uint32(len(words)), Depth: x.Depth, Limit: limits.Hits,
		}
		if x.Slow && k.Limit > 0 {
			k.Limit = max(1, k.Limit/slowness)
		}
		if s.plan.Funcs[x.Func].Timed && (x.Kind == Entry || x.Kind == Exit) {
			k.Timed = 1
		}
		if f := x.Fused; f != nil {
			k.Arrives, k.Steps, k.Direction, k.Op = f.Addr, f.Steps, uint8(f.Direction), f.Op
		}
		sites = append(sites, k)
		for _, w := range x.Words {
			words = append(words, kernelWord(w, limits))
		}
	}
	return sites, words
}

func kernelWord(w Word, limits Limits) probe.ProbeWord {
	k := probe.ProbeWord{Reg: w.Reg, Size: w.Size, Disp: w.Disp, Bound: uint32(limits.Values)}
	switch {
	case w.Pointer:
		k.From, k.Then = uint8(probe.ProbeFromPOINTED), w.Then
	case w.Memory:
		k.From = uint8(probe.ProbeFromSTORED)
	}
	switch {
	case w.As == Itab:
		k.As = uint8(probe.ProbeAsITAB)
	case w.As == Text && limits.Secrets:
		k.As = uint8(probe.ProbeAsTEXT)
	case w.As == Unknown && !limits.Secrets:
		k.As = uint8(probe.ProbeAsSMALL)
	case (w.As == Text || w.As == Pointer) && !limits.Secrets:
		k.As = uint8(probe.ProbeAsNIL)
	}
	return k
}

// attach makes a link of the sites that are on, without those that cannot be probed, and then lets its hits count.
func (s *Session) attach() error {
	l, refused, err := s.next()
	if err != nil {
		return fmt.Errorf("attaching %d probes to %s of process %d: %w", len(s.on), s.process.Path, s.process.PID, err)
	}
	if len(refused) == len(s.on) {
		return errors.New("none of these instructions can be probed: the kernel refuses it, or the process has changed the code there")
	}
	for before, i := range refused {
		i -= before // those are gone
		x := s.plan.Sites[s.on[i]]
		s.refused = append(s.refused, Skipped{s.plan.Funcs[x.Func].Name, x.Kind.String(),
			fmt.Sprintf("the kernel refuses to probe the instruction at %#x, or the process has changed it", x.Addr)})
		s.on = slices.Delete(s.on, i, i+1)
	}
	s.generation++
	if s.began == 0 {
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
			return errors.Join(fmt.Errorf("reading the clock: %w", err), l.Close())
		}
		s.began = uint64(now.Nano())
	}
	if err := s.objects.Generation.Set(s.generation); err != nil {
		return errors.Join(err, l.Close())
	}
	s.link = l
	return nil
}

// next makes a link of the sites that are on, whose hits do not count yet. It returns indices of sites that cannot be
// probed.
func (s *Session) next() (l *uprobe.Link, refused []int, err error) {
	var offsets, cookies []uint64
	for _, i := range s.on {
		offsets = append(offsets, s.plan.Sites[i].Offset)
		cookies = append(cookies, uint64(s.generation+1)<<32|uint64(i))
	}
	return uprobe.Attach(s.objects.Probe, s.process.Exe(), offsets, cookies, s.process.PID)
}

// after returns the time from the beginning of the session to a moment of the monotonic clock; 0 if the moment is 0.
func (s *Session) after(at uint64) time.Duration {
	if at == 0 {
		return 0
	}
	return max(1, time.Duration(at-s.began))
}

// Refused returns the sites that the kernel did not let probe.
func (s *Session) Refused() []Skipped { return s.refused }

// Prune detaches the sites that the program has switched off, because they had more hits
// than the limit. It makes a link without them before it closes the one with them, so the
// others count on. (A hit of theirs at the moment of the change can count twice, or not.)
// Prune returns whether sites are left.
func (s *Session) Prune() (left bool, err error) {
	var off uint64
	if s.link == nil {
		return false, nil
	}
	if err := s.objects.Off.Get(&off); err != nil || off == uint64(len(s.detached)) {
		return true, err
	}
	sites, err := all[probe.ProbeSite](s.objects.Sites, len(s.plan.Sites))
	if err != nil {
		return true, err
	}
	isOff := func(i int) bool { return sites[i].Off != 0 }
	for _, i := range s.on {
		if isOff(i) {
			s.detached = append(s.detached, i)
		}
	}
	s.on = slices.DeleteFunc(s.on, isOff)
	if len(s.on) == 0 {
		return false, s.Detach()
	}
	old := s.link
	if err := s.attach(); err != nil {
		return false, errors.Join(err, s.Detach())
	}
	return true, old.Close()
}

// all reads an array map.
func all[T any](m *ebpf.Map, n int) ([]T, error) {
	keys, list := make([]uint32, n), make([]T, n)
	var cursor ebpf.MapBatchCursor
	got, err := m.BatchLookup(&cursor, keys, list, nil)
	if errors.Is(err, ebpf.ErrKeyNotExist) { // the end
		err = nil
	}
	if err == nil && got != n {
		err = fmt.Errorf("reading a map: have %d entries, want %d", got, n)
	}
	return list, err
}

// Detach removes all probes from the process: all sites stop counting together, and the
// code is as it was. What was counted can still be read.
func (s *Session) Detach() error {
	if s.link == nil {
		return nil
	}
	err := s.objects.Generation.Set(^uint32(0))
	err = errors.Join(err, s.link.Close())
	s.link = nil
	return err
}

// Close detaches and frees the counters.
func (s *Session) Close() error {
	return errors.Join(s.Detach(), s.objects.Close())
}
