package torture

// This file keeps the results, so that an interrupted run can go on.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// A Result is the result of a case.
type Result struct {
	Part, Case              string
	Passed, Failed, Skipped int
	Seconds                 float64
	Note                    string   // figures, seeds
	Failures                []string `json:",omitempty"`
	Skips                   []string `json:",omitempty"` // with reasons
}

// pass counts n comparisons that succeeded.
func (r *Result) pass(n int) { r.Passed += n }

// fail counts a failure and says what failed.
func (r *Result) fail(format string, args ...any) {
	const most = 2000 // bytes of a message
	r.Failed++
	text := fmt.Sprintf(format, args...)
	if len(text) > most {
		text = text[:most] + "…"
	}
	r.Failures = append(r.Failures, text)
}

// skip counts a case that was skipped, with the reason.
func (r *Result) skip(format string, args ...any) {
	r.Skipped++
	r.Skips = append(r.Skips, fmt.Sprintf(format, args...))
}

// A state is the file with the results of a run.
type state struct {
	name    string
	Tool    string // hashes of the commands that the results are of
	Seed    uint64 // of the first random program
	Results []*Result
}

// openState reads the state file, if there is one. It drops the results of another
// pepbuild, which say nothing about this one, and with fresh all results. A run that
// goes on keeps its seed, unless the caller gives one.
func openState(name, tool string, fresh bool, seed uint64, out io.Writer) (*state, error) {
	s := &state{name: name, Tool: tool, Seed: seed}
	if seed == 0 {
		s.Seed = uint64(time.Now().UnixNano())
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) || fresh {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	var old state
	if err := json.Unmarshal(data, &old); err != nil {
		return nil, fmt.Errorf("%s: %w: remove it to start from the beginning", name, err)
	}
	if old.Tool != tool {
		fmt.Fprintf(out, "%s: %d results are of another pepbuild: starting from the beginning\n", name, len(old.Results))
		return s, nil
	}
	s.Results = old.Results
	if seed == 0 {
		s.Seed = old.Seed
	}
	fmt.Fprintf(out, "%s: %d cases are done\n", name, len(s.Results))
	return s, nil
}

// done reports whether a case has a result.
func (s *state) done(part, name string) bool {
	return slices.ContainsFunc(s.Results, func(r *Result) bool { return r.Part == part && r.Case == name })
}

// add stores a result. It replaces the file as a whole, so an interrupted run never
// leaves a part of one.
func (s *state) add(r *Result) error {
	s.Results = append(s.Results, r)
	data, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	tmp := s.name + ".tmp"
	if err := os.WriteFile(tmp, data, 0o666); err != nil {
		return err
	}
	return os.Rename(tmp, s.name)
}
