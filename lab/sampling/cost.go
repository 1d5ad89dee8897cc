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

// A Setting is a row of a table of the paper: how programs are sampled, and what it cost there.
type Setting struct {
	Table string // of the paper
	Name  string
	Paper float64 // slowdown in percent; 0 if the paper does not have it
	way
}

// Settings are the rows. Rows of two tables that are the same are measured once, in the first.
func settings() []Setting {
	// Events of threads interrupt the program alone, so all of the time in the kernel is that
	// of its interrupts.
	runs := func(length, every int) way {
		return values(tracer.SampleRequest{Interval: Interval, Length: length, Every: every, Threads: true})
	}
	with := func(w way, modules string) way { w.Modules = modules; return w }
	vreplay := with(runs(128, 128), "vreplay")
	return []Setting{
		{"2a", aloneRow, 3.9, way{SampleRequest: tracer.SampleRequest{Interval: Interval, CountOnly: true, Threads: true}}},
		{"2a", values4, 10.7, runs(4, 2)},
		{"2a", "values by call site", 12.2, with(runs(4, 2), "operands,callsites")},
		{"2a", "vreplay", 5.9, vreplay},
		{"2a", "vreplay with call sites", 6.8, with(vreplay, "vreplay,callsites")},
		{"2b", "length 8, every 2nd", 14.8, runs(8, 2)},
		{"2b", "length 16, every 2nd", 22.7, runs(16, 2)},
		{"2b", "length 32, every 2nd", 40.4, runs(32, 2)},
		{"2c", "length 8, every 4th", 10.8, runs(8, 4)},
		{"2c", "length 16, every 8th", 9.7, runs(16, 8)},
		{"2c", "length 32, every 16th", 9.3, runs(32, 16)},
		{"2c", "length 64, every 32nd", 9.2, runs(64, 32)},
		{"", userRow, 0, values(tracer.SampleRequest{Interval: time.Second / 997, Length: 4, Skip: tracer.DefaultSkip})},
		{"", "peptrace values -with ticks", 0, values(tracer.SampleRequest{With: "ticks", Length: 16, Skip: tracer.DefaultSkip})},
		{"", "peptrace values -threads", 0, values(tracer.SampleRequest{Interval: time.Second / 997, Length: 4, Skip: tracer.DefaultSkip, Threads: true})},
	}
}

// values4 is the row that is in all of the tables 2a, 2b and 2c.
const values4 = "length 4, every 2nd"

// Other rows that the text compares.
const (
	aloneRow = "interrupts alone"
	userRow  = "peptrace values, on each CPU"
)

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
	Names    []string // of the programs
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
	return &program{name, exe, []string{strconv.Itoa(e.Scale)}}, build(filepath.Join(e.Root, "testprogs", name), "-o", exe, ".")
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
		all = append(all, &Costs{s, make([][]Cost, len(programs)), names})
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
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if r.stdout != plain.stdout {
			return fmt.Errorf("%s: it prints %q, without the sampler %q", c.Name, r.stdout, plain.stdout)
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
