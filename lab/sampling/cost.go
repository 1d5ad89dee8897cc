//go:build linux && amd64

package sampling

// This file measures what sampling costs (section 3.4 of the paper).

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/pepgo/pep/tracer"
)

// Interval is the time between two interrupts. In the paper these are 62,000 instructions apart, on
// a processor with 500 MHz: with one instruction per cycle this is the time of them.
const Interval = 124 * time.Microsecond

// A Setting says how programs are sampled.
type Setting struct {
	Key string // in the names of what is measured
	way
}

// settings are those of the paper's Table 2, and those of users: 997 interrupts a second and a random skip.
func settings() (list []Setting) {
	// Events of threads interrupt the program alone, so all of the time in the kernel is that
	// of its interrupts.
	runs := func(length, every int) tracer.SampleRequest {
		return tracer.SampleRequest{Interval: Interval, Length: length, Every: every, Threads: true}
	}
	user := func(length, every int) tracer.SampleRequest {
		return tracer.SampleRequest{Interval: time.Second / 997, Length: length, Every: every, Skip: tracer.DefaultSkip,
			Threads: true}
	}
	add := func(key, modules string, q tracer.SampleRequest) {
		w := values(q)
		if modules != "" {
			w.Modules = modules
		}
		list = append(list, Setting{key, w})
	}
	for _, c := range []struct {
		prefix string
		every  int
		runs   func(length, every int) tracer.SampleRequest
	}{{"", 2, runs}, {"ours-", 1, user}} {
		alone := c.runs(0, 0)
		alone.CountOnly, alone.Skip = true, 0
		list = append(list, Setting{c.prefix + "alone", way{SampleRequest: alone}})
		add(c.prefix+"values", "", c.runs(4, c.every))
		add(c.prefix+"values-callsites", "operands,callsites", c.runs(4, c.every))
		add(c.prefix+"vreplay", "vreplay", c.runs(128, 128))
		add(c.prefix+"vreplay-callsites", "vreplay,callsites", c.runs(128, 128))
	}
	for _, length := range []int{8, 16, 32} {
		add(fmt.Sprintf("length-%d", length), "", runs(length, 2))
	}
	for _, every := range []int{4, 8, 16, 32} {
		add(fmt.Sprintf("every-%d", every), "", runs(2*every, every))
	}
	add("ours-ticks", "", tracer.SampleRequest{With: "ticks", Length: 16, Skip: tracer.DefaultSkip})
	return list
}

// A Cost is what a setting costs a program in a round.
type Cost struct {
	Plain, CPU time.Duration // user and system time of the program, without and with sampling
	Kernel     time.Duration // time of the program in the kernel for interrupts of the program
	Own        time.Duration // CPU time of this process
	Stats      Stats
}

// Costs are the costs of a setting.
type Costs struct {
	Setting
	Programs [][]Cost // by program and round
}

// A program is a name of a directory in testprogs, or a command line with a space in it: a program in
// $PATH and its arguments, in which $GOROOT stands for the directory of the Go distribution.
type program struct {
	name string
	exe  string
	args []string
}

func (e *Experiment) program(name string) (*program, error) {
	if words := strings.Fields(name); len(words) > 1 {
		exe, err := exec.LookPath(words[0])
		for i, arg := range words[1:] {
			words[1+i] = os.Expand(arg, func(v string) string {
				if v == "GOROOT" {
					return e.Goroot
				}
				return os.Getenv(v)
			})
		}
		return &program{words[0], exe, words[1:]}, err
	}
	exe := filepath.Join(e.Work, name)
	return &program{name, exe, []string{strconv.Itoa(e.Scale)}},
		build(filepath.Join(e.Root, "testprogs", name), "-o", exe, ".")
}

// Cost runs each program in each round once without sampling and once with each setting. After
// the first round it begins with no program after the limit.
func (e *Experiment) Cost(names []string, rounds int, limit time.Duration) ([]*Costs, error) {
	on, err := enableTimes()
	if err != nil {
		return nil, err
	}
	defer on.Close()
	var programs []*program
	for _, name := range names {
		p, err := e.program(name)
		if err != nil {
			return nil, err
		}
		if _, err := sampled(p.exe, p.args, nil, 0); err != nil { // so that all rounds are not lost in the end
			return nil, err
		}
		programs = append(programs, p)
	}
	var all []*Costs
	for _, s := range settings() {
		all = append(all, &Costs{s, make([][]Cost, len(programs))})
	}
	began := time.Now()
	for round := range rounds {
		for i, p := range programs {
			if round > 0 && time.Since(began) > limit {
				return all, nil
			}
			fmt.Fprintf(e.Log, "cost: round %d of %d, %s\n", round+1, rounds, p.name)
			if err := e.round(p, i, round, all); err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return all, nil
}

func (e *Experiment) round(program *program, p, round int, all []*Costs) error {
	other, err := elsewhere(false)
	if err != nil {
		return err
	}
	timer, err := elsewhere(true)
	if err != nil {
		return err
	}
	plain, err := sampled(program.exe, program.args, nil, 0)
	if err != nil {
		return err
	}
	for i := range all {
		c := all[(i+round)%len(all)] // none is always behind the same one
		r, err := sampled(program.exe, program.args, &c.way, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Key, err)
		}
		if r.stdout != plain.stdout {
			return fmt.Errorf("%s: it prints %q, without the sampler %q", c.Key, r.stdout, plain.stdout)
		}
		st := r.stats
		if st.Interrupts == 0 {
			return errors.New("it ended without an interrupt: choose a greater part of its workload")
		}
		// Clocks of CPUs interrupt other programs, too.
		other := other
		if c.ticks() {
			other = timer
		}
		kernel := st.Time - time.Duration(float64(st.Called-st.Interrupts)*other)
		c.Programs[p] = append(c.Programs[p], Cost{plain.cpu, r.cpu, kernel, r.own, st})
	}
	return nil
}

// elsewhere returns how many ns an interrupt of a program takes that is not sampled: it samples a
// program that sleeps.
//
// With ticks it is the time of a timer of the kernel that is no tick of a sampled program.
func elsewhere(ticks bool) (float64, error) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	q := tracer.SampleRequest{PIDs: []int{cmd.Process.Pid}, Interval: Interval, CountOnly: true}
	if ticks {
		q.With, q.Interval = "ticks", 0
	}
	ended, err := begin(ctx, q)
	if err != nil {
		return 0, err
	}
	for end := time.Now().Add(time.Second / 2); time.Now().Before(end); { // a CPU that sleeps has no interrupts
	}
	cancel()
	s, err := ended()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if s.Cost.Called == s.Sampling.Interrupts {
		return 0, errors.New("no other program was interrupted")
	}
	return float64(s.Cost.Time) / float64(s.Cost.Called-s.Sampling.Interrupts), nil
}

// enableTimes makes the kernel measure all BPF programs, which takes some of their time, until
// the result is closed.
func enableTimes() (io.Closer, error) {
	c, err := ebpf.EnableStats(uint32(unix.BPF_STATS_RUN_TIME))
	if err != nil {
		return nil, fmt.Errorf("statistics of BPF programs, which need CAP_SYS_ADMIN: %w", err)
	}
	return c, nil
}

// least returns a number of each program: the least of the rounds, because other load on the machine only adds.
func (c *Costs) least(f func(Cost) float64) (programs []float64) {
	for _, rounds := range c.Programs {
		programs = append(programs, slices.Min(each(rounds, f)))
	}
	return programs
}

// slowdowns returns that of each program.
func (c *Costs) slowdowns() (programs []float64) {
	for _, rounds := range c.Programs {
		cpu := slices.Min(each(rounds, func(c Cost) float64 { return float64(c.CPU) }))
		plain := slices.Min(each(rounds, func(c Cost) float64 { return float64(c.Plain) }))
		programs = append(programs, 100*(cpu/plain-1))
	}
	return programs
}

func each(rounds []Cost, f func(Cost) float64) (xs []float64) {
	for _, r := range rounds {
		xs = append(xs, f(r))
	}
	return xs
}

func inKernel(c Cost) float64 { return 100 * float64(c.Kernel) / float64(c.CPU) }
func steps(c Cost) float64    { return float64(c.Stats.Steps) / float64(c.Stats.Interrupts) }
func missed(c Cost) float64 {
	return 100 * float64(c.Stats.Missed) / float64(max(c.Stats.Interrupts-c.Stats.Passed, 1))
}

// inInterruptsOf returns the part of a program's time in interrupts: what our program in the kernel
// took, and for each interrupt what it takes outside of that, which the program gaps has measured.
func (c *Costs) inInterruptsOf(outside float64) func(Cost) float64 {
	if c.ticks() {
		outside = 0 // there would be as many interrupts without a sampler
	}
	return func(x Cost) float64 { return inKernel(x) + 100*outside*float64(x.Stats.Interrupts)/float64(x.CPU) }
}
