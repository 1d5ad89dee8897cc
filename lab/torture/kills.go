package torture

// This file kills programs at random times, and checks the files that they leave.

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/driver"
)

//go:embed testdata/kills.go
var killsSource string

const (
	killsPerCase = 50
	latest       = 400 * time.Millisecond // kills are spread over this time after the start
)

// inFlight is how many events the program may have counted that pep has not counted. Each
// goroutine of the program counts an event itself, just before pep does. So a kill between
// the two can lose one event for each goroutine.
const inFlight = 4

// endsInFlight is how many ends of paths may be in the counts of entries, or in their sum, and not in the other: those
// of four windows, of some instructions each, which may count 16 times.
const endsInFlight = 4 * 16 * 3000

func killsCases(e *Env) (cases []Case, err error) {
	modes := e.modes("polls", "exact", "taps", driver.Windows)
	n := e.N
	if n == 0 {
		n = 1000
	}
	each, perCase := (n+len(modes)-1)/max(len(modes), 1), killsPerCase
	if e.Short {
		each, perCase = 8, 8
	}
	for _, mode := range modes {
		for first := 0; first < each; first += perCase {
			name := fmt.Sprintf("%s, kills %d to %d", mode, first+1, min(each, first+perCase))
			count := min(perCase, each-first)
			seed := e.Seed + uint64(first)
			cases = append(cases, Case{name, func(e *Env, r *Result) { e.kills(r, mode, count, seed) }})
		}
	}
	return cases, nil
}

// A killed is a program that has been killed.
type killed struct {
	e    *Env
	mode string
	exe  string
	dir  string
	pep  string // its file of counts; empty if it had none yet
	own  uint64 // events that it has counted itself

	windows uint64 // that it has taken, according to the profile
}

// kills kills a program n times.
func (e *Env) kills(r *Result, mode string, n int, seed uint64) {
	dir, err := e.program("kills", killsSource)
	exe := filepath.Join(e.Work, "kills.exe")
	if err == nil {
		err = e.build(mode, dir, exe, "")
	}
	if err != nil {
		r.fail("%v", err)
		return
	}
	rnd := rand.New(rand.NewPCG(seed, 2))
	var events, uncounted, windows uint64
	early := 0
	for i := range n {
		after := time.Duration(rnd.Int64N(int64(latest)))
		k, err := e.kill(mode, exe, after)
		var lost uint64
		if err == nil && k.pep != "" {
			lost, err = k.check()
		}
		if k != nil {
			os.RemoveAll(k.dir)
		}
		switch {
		case err != nil:
			r.fail("kill %d, after %v: %v", i, after, err)
			continue
		case k.pep == "":
			early++
		}
		r.pass(1)
		events += k.own
		uncounted += lost
		windows += k.windows
	}
	r.Note = fmt.Sprintf("seed %d, %d events, %d said to be lost or not to be sure, %d killed before they had a file",
		seed, events, uncounted, early)
	if mode == driver.Windows {
		r.Note += fmt.Sprintf(", %d windows", windows)
	}
}

// kill starts the program and kills it.
func (e *Env) kill(mode, exe string, after time.Duration) (*killed, error) {
	dir, err := os.MkdirTemp(e.Work, "run-")
	if err != nil {
		return nil, err
	}
	k := &killed{e: e, mode: mode, exe: exe, dir: dir}
	counters := filepath.Join(dir, "counters")
	if err := os.WriteFile(counters, make([]byte, 4096), 0o666); err != nil {
		return k, err
	}
	p := &process{opts: "tick=1ms", Process: driver.Process{
		Exe: exe, Args: []string{counters}, Dir: dir, Limit: time.Minute,
		Started: func(p *os.Process, _ io.Reader) {
			time.Sleep(after)
			p.Kill()
		},
	}}
	if mode == driver.Windows {
		p.Ticks = exe
	}
	if o := p.run(); o.State != "signal: killed" || o.Stderr != "" {
		return k, fmt.Errorf("ended with %s, stderr %q", o.State, o.Stderr)
	}
	data, err := os.ReadFile(counters)
	if err != nil {
		return k, err
	}
	for i := range inFlight {
		k.own += binary.LittleEndian.Uint64(data[i*64:])
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pep"))
	if len(files) > 1 {
		return k, fmt.Errorf("%d files of counts: %s", len(files), list(dir))
	}
	if len(files) == 1 {
		k.pep = files[0]
	} else if k.own > 0 {
		return k, fmt.Errorf("%d events, and no file of counts, but %s", k.own, list(dir))
	}
	return k, err
}

// check makes profiles of the file of counts, and compares them with the counts of the
// program. It returns how many events are lost according to the profiles.
func (k *killed) check() (lost uint64, err error) {
	if o := writer(k.exe, k.dir, k.pep).run(); o.State != "exit status 0" || o.Stderr != "" || o.Stdout != "" {
		if k.own == 0 && strings.Contains(o.Stderr, "not a .pep file") {
			return 0, nil // killed while it was made
		}
		return 0, fmt.Errorf("PEP_WRITE: %s, stdout %q, stderr %q", o.State, o.Stdout, o.Stderr)
	}
	f, err := k.open(schema.Paths)
	if err != nil {
		return 0, err
	}
	paths, err := f.Paths()
	if err != nil {
		return 0, err
	}
	switch k.mode {
	case "exact":
		return 0, k.exact(paths)
	case "taps":
		if lost, err = k.words(); err != nil {
			return 0, err
		}
	}
	return lost, k.samples(f, paths)
}

func (k *killed) open(kind schema.Kind) (*profile.File, error) {
	name, err := driver.Profile(k.dir, kind)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, list(k.dir))
	}
	return profile.Open(name)
}

// exact compares the counts of the paths of event.
func (k *killed) exact(paths []profile.Path) error {
	var got uint64
	for _, p := range paths {
		if p.ID.Func.Name == "main.event" {
			got += uint64(p.Recorded())
		}
	}
	return near("paths of event", got, 0, 0, k.own)
}

// words compares how often the profile has the argument of event.
func (k *killed) words() (lost uint64, err error) {
	f, err := k.open(schema.Values)
	if err != nil {
		return 0, err
	}
	words, err := f.Words()
	if err != nil {
		return 0, err
	}
	var got uint64
	for _, w := range words {
		if w.Site.Func.Name == "main.event" && w.Site.Kind == "arg" {
			got += uint64(w.Count)
		}
	}
	lost, unsure := f.Fact(facts.Dropped)+f.Fact(facts.InEngines)+f.Fact(facts.InBuffers), f.Fact(facts.Unsure)
	return lost + unsure, near("words of event", got, lost, unsure, k.own)
}

// near compares a count of the profile with the program's own. The profile says how
// many events are lost, and how many may have been counted twice or not at all.
func near(what string, got, lost, unsure, own uint64) error {
	if got > own+unsure || got+lost+unsure+inFlight < own {
		return fmt.Errorf("%d %s, %d lost and %d uncertain according to the profile, but there were %d", got, what, lost,
			unsure, own)
	}
	return nil
}

// samples compares the samples in the file with the number of samples that were taken.
func (k *killed) samples(f *profile.File, paths []profile.Path) error {
	var got uint64
	for _, p := range paths {
		got += uint64(p.Recorded())
	}
	taken, unsure := f.Fact(facts.Samples), uint64(inFlight)
	if k.mode == driver.Windows {
		unsure = endsInFlight
		k.windows = f.Fact(facts.Windows)
	}
	if got > taken+unsure || got+unsure < taken {
		return fmt.Errorf("%d samples in the profile, %d were taken: %s", got, taken, f.Facts[0].Encode())
	}
	return nil
}
