package covered

// This file compares vectors and MC/DC with those of package recorder.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pepgo/pep/lab/covered/recorder"
)

func (r *Report) compareVectors(decisions []*recorder.Decision, recorded []recorder.Counts, ours *profiled) {
	at := make(map[position]*recorder.Decision)
	for _, d := range decisions {
		at[position{d.File, d.Conditions[0].Line, d.Conditions[0].Col}] = d
	}
	r.Decisions = len(at)

	var runs []map[vector]int64
	for _, counts := range recorded {
		run := make(map[vector]int64)
		for d, vectors := range counts {
			for text, n := range vectors {
				run[vector{position{d.File, d.Conditions[0].Line, d.Conditions[0].Col}, text}] += n
			}
		}
		runs = append(runs, run)
	}
	theirs := series(runs)
	for _, v := range keys(theirs, ours.vectors, compareVectorKeys) {
		switch judge(theirs[v], ours.vectors[v]) {
		case equal:
			r.Vectors.Equal++
		case varies:
			r.Vectors.vary(theirs[v], ours.vectors[v])
		case different:
			text := ""
			if d := at[v.decision]; d != nil {
				text = strings.Join(strings.Fields(d.Text), " ") + ": "
			}
			r.differ(&r.Vectors, Difference{What: "vector", Where: v.decision.String(),
				Text: fmt.Sprintf("%s%s: %d, pep %d", text, v.text, theirs[v], ours.vectors[v])})
		}
	}

	have := make(map[position]bool)
	for _, run := range ours.runs {
		for p := range run.decisions {
			have[p] = true
		}
	}
	for _, p := range keys(at, have, comparePositions) {
		if problem := problem(at[p], p, ours.runs); problem != "" {
			r.differ(nil, Difference{What: "decision", Where: p.String(), Text: problem})
			continue
		}
		r.compareMCDC(at[p], p, theirs, ours)
	}
}

// problem says what is wrong with what pep says of a decision, if something is: each run must say the same.
func problem(d *recorder.Decision, p position, runs []*run) string {
	if d == nil {
		return "only pep has it"
	}
	var want []position
	for _, c := range d.Conditions {
		want = append(want, position{d.File, c.Line, c.Col})
	}
	text := strings.Join(strings.Fields(d.Text), " ")
	for _, run := range runs {
		switch x := run.decisions[p]; {
		case x == nil:
			return text + ": pep does not have it"
		case x.functions > 1:
			return fmt.Sprintf("%s: pep lists it in %d functions", text, x.functions)
		case !slices.Equal(want, x.conditions):
			return fmt.Sprintf("%s: conditions at %v, pep %v", text, want, x.conditions)
		}
	}
	return ""
}

// compareMCDC compares the conditions of a decision that are shown to decide on their own. If the vectors vary and no
// run has those that are recorded, brute force takes the vectors that pep has.
func (r *Report) compareMCDC(d *recorder.Decision, p position, theirs map[vector][]int64, ours *profiled) {
	of := func(list map[vector][]int64, run int) map[string]int64 {
		vectors := make(map[string]int64)
		for v, counts := range list {
			if v.decision == p && counts[run] > 0 {
				vectors[v.text] = counts[run]
			}
		}
		return vectors
	}
	tally := &r.Conditions.Varies
	run, vectors := 0, of(ours.vectors, 0)
	for i := range ours.runs {
		if recorded := of(theirs, i); slices.Equal(slices.Sorted(maps.Keys(recorded)),
			slices.Sorted(maps.Keys(of(ours.vectors, i)))) {
			tally, run, vectors = &r.Conditions.Equal, i, recorded
			break
		}
	}
	want, impossible := recorder.MCDC(d.Expr, len(d.Conditions), vectors)
	if impossible != "" {
		r.differ(nil, Difference{What: "vector", Where: p.String(),
			Text: "the decision cannot have the vector " + impossible})
		return
	}
	got := ours.runs[run].decisions[p]
	for i, c := range d.Conditions {
		if want.Masking[i] {
			r.Masking++
		}
		if want.Unique[i] {
			r.Unique++
		}
		if got.masking[i] == want.Masking[i] && got.unique[i] == want.Unique[i] {
			*tally++
			continue
		}
		r.differ(&r.Conditions, Difference{What: "condition", Where: position{d.File, c.Line, c.Col}.String(),
			Text: fmt.Sprintf("masking %t, unique cause %t, pep %t and %t", want.Masking[i], want.Unique[i], got.masking[i],
				got.unique[i])})
	}
}
