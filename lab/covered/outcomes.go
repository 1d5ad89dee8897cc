package covered

// This file compares outcomes of conditions with those that gobco counts.

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// gobco runs the tests of the root package under gobco.
func (o *Options) gobco(m *Module, dir string, src *syntax, run int) (map[outcome]int64, error) {
	stats := filepath.Join(o.Work, fmt.Sprintf("gobco-%d", run))
	args := []string{"-stats", stats, "-test", "-vet=off", "-test", fmt.Sprintf("-ldflags=-X=none.run=%d", run)}
	if m.Skip != "" {
		args = append(args, "-test", "-skip="+m.Skip)
	}
	if _, err := o.say(dir, o.Gobco, nil, append(args, ".")...); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(stats)
	if err != nil {
		return nil, err
	}
	return readStats(text, src)
}

// readStats reads what gobco has counted. Of several conditions that begin at a position it takes the one that the
// source has as a condition there.
func readStats(text []byte, src *syntax) (map[outcome]int64, error) {
	var list []struct {
		Start, Code           string
		TrueCount, FalseCount int64
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	counts := make(map[outcome]int64)
	for _, c := range list {
		var p position
		words := strings.Split(c.Start, ":")
		if len(words) != 3 {
			return nil, fmt.Errorf("gobco: %q is no position", c.Start)
		}
		p.file = filepath.ToSlash(filepath.Clean(words[0]))
		if _, err := fmt.Sscan(words[1]+" "+words[2], &p.line, &p.col); err != nil {
			return nil, fmt.Errorf("gobco: %q is no position: %w", c.Start, err)
		}
		f, err := src.file(p.file)
		if err != nil {
			return nil, err
		}
		if code, ok := f.conditions[p]; ok && plain(code) != plain(c.Code) {
			continue
		}
		counts[outcome{p, true}] += c.TrueCount
		counts[outcome{p, false}] += c.FalseCount
	}
	return counts, nil
}

// plain drops what tools print in their own way.
func plain(code string) string { return strings.Join(strings.Fields(code), "") }

func (r *Report) compareOutcomes(theirs map[outcome][]int64, ours *profiled, src *syntax) error {
	for _, k := range keys(theirs, ours.outcomes, compareOutcomeKeys) {
		t, inTheirs := theirs[k]
		p, inOurs := ours.outcomes[k]
		where := fmt.Sprintf("%s %t", k.position, k.value)
		if inTheirs && inOurs {
			switch judge(t, p) {
			case equal:
				r.Outcomes.Equal++
			case varies:
				r.Outcomes.vary(t, p)
			case different:
				r.differ(&r.Outcomes, Difference{What: "outcome", Where: where, Text: fmt.Sprintf("%d, pep %d", t, p)})
			}
			continue
		}
		d := Difference{What: "outcome", Where: where, Text: "only pep has it"}
		if inTheirs {
			d.Text = "only gobco has it"
			f, err := src.file(k.file)
			if err != nil {
				return err
			}
			if _, ok := f.conditions[k.position]; !ok {
				d.Cause = causeValue
			}
		}
		r.differ(nil, d)
	}
	return nil
}

const causeValue = "Nothing branches on the value: a comparison that is stored, passed or returned, or a case of a switch with a tag, which pep has as one outcome for each clause."

func compareOutcomeKeys(a, b outcome) int {
	if c := comparePositions(a.position, b.position); c != 0 || a.value == b.value {
		return c
	}
	if a.value {
		return -1
	}
	return 1
}
