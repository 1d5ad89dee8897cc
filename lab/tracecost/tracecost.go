//go:build linux && amd64

package tracecost

import (
	"bufio"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/tracer"
)

// A Config says what to measure.
type Config struct {
	Rounds   int
	Calls    int    // in a round, of each way but Delve's
	Bpftrace string // command, or "" to leave it out
	Delve    string // command, or "" to leave it out
}

// delveCalls is how many calls Delve traces in a round: it takes milliseconds for each.
const delveCalls = 200

// A Row is a way of tracing with its cost in each round, in ns per call: CPU time of the
// program, and for Delve, which works while the program is stopped, time on the clock. The
// first row is the program without a tracer, and has its whole time.
type Row struct {
	Way string
	NS  []float64
}

// A way traces the program: it attaches and returns how to detach.
type way struct {
	name   string
	call   string // the function that the program calls
	calls  int
	stops  bool // it works while the program is stopped
	attach func(*target) (detach func() error, err error)
}

// Measure measures.
func Measure(cfg Config, progress io.Writer) ([]Row, error) {
	dir, err := os.MkdirTemp("", "tracecost")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "target")
	build := exec.Command("go", "build", "-o", path, "./tracecost/testdata/target")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: call it in the directory of the project", build, err)
	}
	ways := cfg.ways()
	rows := make([]Row, len(ways))
	for round := range cfg.Rounds {
		fmt.Fprintf(progress, "round %d of %d\n", round+1, cfg.Rounds)
		t, err := start(path)
		if err != nil {
			return nil, err
		}
		plain := 0.0
		for i, w := range ways {
			cpu, clock, err := t.traced(w)
			if err != nil {
				t.stop()
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			ns := cpu
			switch {
			case w.stops:
				ns = clock
			case i == 0:
				plain = cpu
			default:
				ns -= plain
			}
			rows[i] = Row{w.name, append(rows[i].NS, ns)}
		}
		if err := t.stop(); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (cfg Config) ways() []way {
	hit, after, either := regexp.MustCompile(`^main\.hit$`), regexp.MustCompile(`^main\.after$`),
		regexp.MustCompile(`^main\.either$`)
	line := tracer.Line{File: "target/main.go", Line: 27} // the body of after
	vars := line
	vars.All = true
	list := []way{
		{"no tracer", "hit", cfg.Calls, false,
			func(*target) (func() error, error) { return func() error { return nil }, nil }},
		{calls, "hit", cfg.Calls, false, probes(tracer.ProbeRequest{Func: hit})},
		{"peptrace: calls and arguments", "hit", cfg.Calls, false, probes(tracer.ProbeRequest{Func: hit, Args: true})},
		{"peptrace: calls and the branch", "hit", cfg.Calls, false, probes(tracer.ProbeRequest{Func: hit, Edges: true})},
		{fused, "hit", cfg.Calls, false, probes(tracer.ProbeRequest{Func: hit, Results: true})},
		{"peptrace: calls and durations, slow", "hit", cfg.Calls, false, probes(tracer.ProbeRequest{Func: hit, Times: true})},
		{"peptrace: calls and results, slow", "after", cfg.Calls, false,
			probes(tracer.ProbeRequest{Func: after, Results: true})},
		{"peptrace: calls and results, one of four slow", "either", cfg.Calls, false,
			probes(tracer.ProbeRequest{Func: either, Results: true})},
		{"peptrace: a line", "after", cfg.Calls, false, probes(tracer.ProbeRequest{Lines: []tracer.Line{line}})},
		{"peptrace: a line and its variables", "after", cfg.Calls, false,
			probes(tracer.ProbeRequest{Lines: []tracer.Line{vars}})},
	}
	if cfg.Bpftrace != "" {
		list = append(list, way{bpftrace, "hit", cfg.Calls, false,
			command(cfg.Bpftrace, "-p", "PID", "-e", "uprobe:EXE:main.hit { @calls = count(); }")})
	}
	if cfg.Delve != "" {
		list = append(list, way{delve, "hit", delveCalls, true, command(cfg.Delve, "trace", "-p", "PID", `main\.hit$`)})
	}
	return list
}

// probes traces with probes, which no limit switches off.
func probes(q tracer.ProbeRequest) func(*target) (func() error, error) {
	return func(t *target) (func() error, error) {
		q := q
		q.PID = t.cmd.Process.Pid
		ctx, cancel := context.WithCancel(context.Background())
		ready, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			probed, err := tracer.Probe(ctx, q, func(int) { close(ready) })
			if err == nil {
				err = probed.Close()
			}
			ended <- err
		}()
		detach := func() error { cancel(); return <-ended }
		select {
		case <-ready:
			return detach, nil
		case err := <-ended:
			cancel()
			return nil, fmt.Errorf("the probes have ended at once: %w", err)
		}
	}
}

// command traces with another program. It is ready when the code of the target has changed.
func command(name string, args ...string) func(*target) (func() error, error) {
	return func(t *target) (func() error, error) {
		fill := strings.NewReplacer("PID", fmt.Sprint(t.cmd.Process.Pid), "EXE", t.cmd.Path)
		var filled []string
		for _, a := range args {
			filled = append(filled, fill.Replace(a))
		}
		code, err := t.code()
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		cmd := exec.CommandContext(ctx, name, filled...)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			cancel()
			return nil, err
		}
		detach := func() error {
			defer cancel()
			cmd.Process.Signal(os.Interrupt)
			cmd.Wait() // after an interrupt the exit code says nothing
			if now, err := t.code(); err != nil || now != code {
				return fmt.Errorf("%s has not detached (%v): %s", cmd, err, out.String())
			}
			return nil
		}
		for range 1000 {
			if now, err := t.code(); err == nil && now != code {
				time.Sleep(200 * time.Millisecond) // Delve lets the target go on last
				return detach, nil
			}
			time.Sleep(20 * time.Millisecond)
		}
		return nil, errors.Join(fmt.Errorf("%s has no probe after 20 s: %s", cmd, out.String()), detach())
	}
}

// A target is a run of the program.
type target struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	hit uint64 // address of main.hit
	n   int    // bytes of it
}

func start(path string) (*target, error) {
	t := &target{cmd: exec.Command(path)}
	exe, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	symbols, err := exe.Symbols()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == "main.hit" })
	if i < 0 {
		return nil, errors.New("the target has no function main.hit")
	}
	t.hit, t.n = symbols[i].Value, int(symbols[i].Size)
	t.cmd.Stderr = os.Stderr
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	t.out = bufio.NewScanner(out)
	return t, t.cmd.Start()
}

func (t *target) stop() error {
	t.in.Close()
	return t.cmd.Wait()
}

// code returns the code of hit as it is in the process.
func (t *target) code() (string, error) {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", t.cmd.Process.Pid))
	if err != nil {
		return "", err
	}
	defer mem.Close()
	b := make([]byte, t.n)
	_, err = mem.ReadAt(b, int64(t.hit))
	return string(b), err
}

// traced returns the CPU time and the time on the clock of a call with a tracer, in ns.
func (t *target) traced(w way) (cpu, clock float64, err error) {
	detach, err := w.attach(t)
	if err != nil {
		return 0, 0, err
	}
	cpu, clock, err = t.run(w.call, w.calls)
	return cpu, clock, errors.Join(err, detach())
}

func (t *target) run(name string, calls int) (cpu, clock float64, err error) {
	if _, err := fmt.Fprintln(t.in, name, calls); err != nil {
		return 0, 0, err
	}
	if !t.out.Scan() {
		return 0, 0, fmt.Errorf("the target ended: %w", t.out.Err())
	}
	_, err = fmt.Sscan(t.out.Text(), &cpu, &clock)
	return cpu, clock, err
}

// Table returns the rows as a table in Markdown.
func Table(rows []Row) string {
	var b strings.Builder
	b.WriteString("| | ns per call | quartiles |\n|---|---:|---:|\n")
	for _, r := range rows {
		xs := slices.Sorted(slices.Values(r.NS))
		q := func(p float64) float64 { return xs[int(p*float64(len(xs)-1)+0.5)] }
		fmt.Fprintf(&b, "| %s | %s | %s–%s |\n", r.Way, number(q(.5)), number(q(.25)), number(q(.75)))
	}
	return b.String()
}

// Verdicts says whether probes are as cheap as they should be: 0.7 µs at an instruction that the
// kernel emulates, 1.5 µs for results that are computed ahead; and how they compare with other tracers.
func Verdicts(rows []Row) string {
	medians := map[string]float64{}
	for _, r := range rows {
		xs := slices.Sorted(slices.Values(r.NS))
		medians[r.Way] = xs[int(.5*float64(len(xs)-1)+0.5)]
	}
	yes := map[bool]string{true: "yes", false: "no"}
	var b strings.Builder
	fmt.Fprintf(&b, "\nBy the medians: a probe at a cheap instruction at most 700 ns: %s (%s). A fused result at most 1500 ns: %s (%s).", yes[medians[calls] <= 700], number(medians[calls]), yes[medians[fused] <= 1500], number(medians[fused]))
	for _, other := range []string{bpftrace, delve} {
		if ns, ok := medians[other]; ok {
			fmt.Fprintf(&b, " %s takes %.0f times as long as %s.", other, ns/medians[calls], calls)
		}
	}
	return b.String() + "\n"
}

// Ways that the verdicts are about.
const (
	calls    = "peptrace: calls"
	fused    = "peptrace: calls and results, fused"
	bpftrace = "bpftrace: calls"
	delve    = "dlv trace: calls, arguments, results"
)

func number(ns float64) string {
	if ns < 100 {
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.0f", ns)
}
