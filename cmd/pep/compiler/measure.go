package compiler

// This file runs programs by turns.

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/pepgo/pep/analyze/speedup"
)

// A measurement measures programs.
type measurement struct {
	builds   []*speedup.Build
	programs [][]string // by build and layout
	rounds   int        // 0 is as many as fit into budget
	note     func(format string, args ...any)
	run      runFunc
}

const (
	budget               = time.Minute
	minRounds, maxRounds = 4 * layouts, 40 * layouts
	// of a run; in shorter ones, much of the time is that of the start of a process
	leastCPU = 20 * time.Millisecond
)

// table runs all programs once and compares what they print, and then measures them in rounds.
func (m *measurement) table(pkg string) (*speedup.Table, error) {
	start := time.Now()
	code, changes, err := m.compare()
	if err != nil {
		return nil, err
	}
	round := time.Since(start) / layouts
	if m.rounds == 0 {
		m.rounds = roundsFor(round)
	}
	m.note("%d rounds of %d runs take about %v", m.rounds, len(m.builds),
		(time.Duration(m.rounds) * round).Round(time.Second))
	times, err := m.measure(code)
	if err != nil {
		return nil, err
	}
	t := speedup.New(pkg, layouts, m.builds, times)
	t.ExitCode, t.Changes = code, changes
	return t, nil
}

// roundsFor returns how many rounds fit into the budget, in whole turns of the layouts.
func roundsFor(round time.Duration) int {
	return min(max(int(budget/max(round, 1))/layouts*layouts, minRounds), maxRounds)
}

// compare runs each program, and the plain one twice. It notes whose output differs, and whether that of the plain
// program changes from run to run. The user sees what the first run prints on standard error.
func (m *measurement) compare() (code int, changes bool, err error) {
	var plain []byte
	runs := 0
	compare := func(i int, program string) error {
		output := sha256.New()
		cpu, got, err := m.run(program, output, runs == 0)
		if runs++; err != nil {
			return err
		}
		if runs == 1 {
			code, plain = got, output.Sum(nil)
			if cpu < leastCPU {
				return fmt.Errorf("the program takes %v of CPU time, and less than %v cannot be measured: let it do more",
					cpu.Round(time.Millisecond), leastCPU)
			}
		}
		if got != code {
			return m.otherCode(i, got, code)
		}
		if string(output.Sum(nil)) != string(plain) {
			m.builds[i].Differs = true
		}
		return nil
	}
	for i, list := range m.programs {
		for _, program := range list {
			if err := compare(i, program); err != nil {
				return 0, false, err
			}
		}
	}
	if err := compare(0, m.programs[0][0]); err != nil {
		return 0, false, err
	}
	if changes = m.builds[0].Differs; changes {
		for _, b := range m.builds {
			b.Differs = false
		}
	}
	return code, changes, nil
}

func (m *measurement) otherCode(i, code, plain int) error {
	return fmt.Errorf("a run of %s ends with exit code %d, and the first run of the plain program with %d: programs that do not do the same cannot be compared", m.builds[i].Command, code, plain)
}

// measure returns times by build and round. The rounds are in the layouts by turns. In each round all builds run once,
// and another one is the first each time. So changes on the machine in the meantime affect all.
func (m *measurement) measure(code int) (times [][]time.Duration, err error) {
	times = make([][]time.Duration, len(m.builds))
	for round := range m.rounds {
		for i := range m.builds {
			i = (i + round) % len(m.builds)
			cpu, got, err := m.run(m.programs[i][round%layouts], nil, false)
			if err != nil {
				return nil, err
			}
			if got != code {
				return nil, m.otherCode(i, got, code)
			}
			times[i] = append(times[i], cpu)
		}
	}
	return times, nil
}
