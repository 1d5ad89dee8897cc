//go:build linux && amd64

// Package table lists what probes have counted, as text, as JSON and as a profile.
//
//	t := table.New(plan, counts, table.Run{Process: 4711, Program: "/usr/bin/app"}, names, 5)
//	listing.Text(os.Stdout, t)
//	os.WriteFile("app.values.pb.gz", t.Profile(), 0o600)
//
// As text a function with a probe at its entry looks like this:
//
//	main.known  main.go:35, 8000 calls
//
//	  arg x int, 8000 values
//	   share  count  value
//	  91.00%   7280  7
//	   1.00%     80  0
//	  and 8 values more, 8.00%
//
// The profile is of the kind that taps write, so pep values and go tool pprof read it.
// Package probe attaches the probes and counts; this one only formats.
package table

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/internal/probe"
)

// A Run is what was traced.
type Run struct {
	Process  int
	Program  string
	BuildID  string // hexadecimal, or empty
	Began    int64  // ns since 1970
	Duration int64  // ns
	Ended    string // why: "interrupted"
	Notes    []string
	Secrets  bool
}

// A Table lists what the probes of a session have counted.
type Table struct {
	Process int `json:"process" unit:"id"`
	// as the process sees it; ends with ` (deleted)` if the file is gone
	Program string  `json:"program"`
	Seconds float64 `json:"seconds" unit:"s"` // how long probes were attached
	// why: `interrupted`, `the time was over`, `the process ended`, …
	Ended  string `json:"ended"`
	Probes int    `json:"probes" unit:"probes"`
	Slow   int    `json:"slow_probes" unit:"probes"` // at instructions that the kernel must step over
	Hits   uint64 `json:"hits" unit:"hits"`
	// of probes: the jump led elsewhere, the probe was switched off, or it is a second one of its line
	Others    uint64     `json:"other_executions" unit:"hits"`
	Functions []Function `json:"functions"` // that with most calls first
	// what the flags ask for, and has no probe
	Skipped []Skipped `json:"skipped"`
	Notes   []string  `json:"notes"`

	run   Run
	limit int
	off   int // probes that were switched off
}

// A Function is a function with probes.
type Function struct {
	Func    string  `json:"function"`
	File    string  `json:"file"`
	Line    int     `json:"line" unit:"line"`
	Calls   *uint64 `json:"calls" unit:"calls"`     // null if its entry has no probe
	Returns *uint64 `json:"returns" unit:"returns"` // null if its returns have no probes
	// when a limit switched off their probe; null if none did
	CallsTo   *float64 `json:"calls_until" unit:"s"`
	ReturnsTo *float64 `json:"returns_until" unit:"s"` // likewise, the first of several probes
	// from entry to return, on the clock; null without `-times`
	Durations *Durations `json:"durations"`
	// arguments, results, branches, calls, lines and variables
	Sites []Site `json:"sites"`
}

// Durations are times of calls from entry to return, on the clock: waiting counts.
type Durations struct {
	Calls  uint64   `json:"calls" unit:"calls"`
	To     *float64 `json:"until" unit:"s"`            // as `calls_until`, of a probe at either end
	Mean   float64  `json:"mean" unit:"ns"`            // with the time that probes in between took
	Before uint64   `json:"began_before" unit:"calls"` // returns of calls that began before the probes
	Open   uint64   `json:"open" unit:"calls"`         // that had not returned at the end of the timing
	// as later calls in their frames tell: panics, Goexit
	Unreturned uint64 `json:"not_returned" unit:"calls"`
	// there was no space, or the goroutine could not be read
	Lost    uint64     `json:"not_measured" unit:"calls"`
	Buckets []Duration `json:"buckets"`
}

// A Duration is a number of calls that took at least half of Below, and less than Below.
type Duration struct {
	Below uint64 `json:"below" unit:"ns"` // the calls took less, and at least half of it
	Calls uint64 `json:"calls" unit:"calls"`
}

// A Site is something whose values were counted: an argument, a jump, a call, a line.
type Site struct {
	// `arg`, `result`, `branch`, `call`, `line`; `value` of a variable at a line, or `later value` if it has
	// a location only further on in the line
	Kind string `json:"kind"`
	File string `json:"file"`
	Line int    `json:"line" unit:"line"` // 0 for arguments and results
	// name, `len(s)`, `#1` without a name; of stripped programs a register
	Expr string `json:"expression"`
	Type string `json:"type"`
	Hits uint64 `json:"hits" unit:"hits"`
	// its hits came faster than the limit, and later ones were not counted
	Off      bool     `json:"switched_off"`
	OffAfter *float64 `json:"switched_off_after" unit:"s"` // null if it was not
	Slow     bool     `json:"slow"`                        // the kernel must step over an instruction for it
	Distinct int      `json:"distinct" unit:"values"`      // that were told apart
	Rows     []Value  `json:"rows"`                        // the most frequent values
	// with values that the tables had no space to tell apart
	Other  uint64 `json:"other" unit:"hits"`
	Unread uint64 `json:"unread" unit:"hits"` // whose value could not be read
}

// A Value is a value and its hits.
type Value struct {
	// as Go writes it; the type in an interface; the way of a branch; the called function
	Value string  `json:"value"`
	Count uint64  `json:"count" unit:"hits"`
	Share float64 `json:"share" unit:"ratio"` // of the hits of the site
}

// Skipped is something without a probe.
type Skipped struct {
	Func   string `json:"function"`
	What   string `json:"what"`
	Reason string `json:"reason"`
}

// Names has names of addresses in the process, as the process has them.
type Names interface {
	// Code returns the function at the address, or "".
	Code(addr uint64) string
	// Type returns the name of the type whose descriptor is at the address, or "".
	Type(addr uint64) string
}

// New makes a table with at most n values of a site; 0 is all.
func New(plan *probe.Plan, c *probe.Counts, run Run, names Names, n int) *Table {
	t := &Table{
		Process: run.Process, Program: run.Program, Seconds: float64(run.Duration) / 1e9, Ended: run.Ended,
		Probes: len(plan.Sites), Notes: run.Notes, run: run, limit: n,
	}
	for _, s := range plan.Skipped {
		t.Skipped = append(t.Skipped, Skipped(s))
	}
	b := builder{plan: plan, counts: c, secrets: run.Secrets, names: names}
	b.findShared()
	sites := make([][]int, len(plan.Funcs))
	var earliest *float64
	for i, s := range plan.Sites {
		sites[s.Func] = append(sites[s.Func], i)
		t.Others += c.Sites[i].Others
		if s.Again {
			t.Others += c.Sites[i].Hits
		} else {
			t.Hits += c.Sites[i].Hits
		}
		if at := seconds(c.Sites[i].Off); at != nil {
			t.off++
			earliest = first(earliest, at)
		}
		if s.Slow {
			t.Slow++
		}
	}
	if t.off > 0 {
		t.Notes = append(slices.Clone(t.Notes),
			fmt.Sprintf("-limit switched off %d of %s, the first after %s: later hits were not counted; -limit 0 is no limit",
				t.off, listing.Count(t.Probes, "probe"), nanoseconds(*earliest*1e9)))
	}
	for i := range plan.Funcs {
		if len(sites[i]) > 0 {
			t.Functions = append(t.Functions, b.function(i, sites[i]))
		}
	}
	slices.SortStableFunc(t.Functions, func(a, b Function) int { return cmp.Compare(weight(b), weight(a)) })
	for i := range t.Functions {
		for j := range t.Functions[i].Sites {
			s := &t.Functions[i].Sites[j]
			s.Distinct = len(s.Rows)
			if n > 0 {
				s.Rows = s.Rows[:min(n, len(s.Rows))]
			}
		}
	}
	return t
}

// weight orders functions: by calls, or by the most hits of a site.
func weight(f Function) (n uint64) {
	if f.Calls != nil {
		return *f.Calls
	}
	for _, s := range f.Sites {
		n = max(n, s.Hits)
	}
	return n
}

// Name implements listing.Listing.
func (t *Table) Name() string { return "probe" }

// Print implements listing.Listing.
func (t *Table) Print(p *listing.Page) {
	slow := ""
	if t.Slow > 0 {
		slow = fmt.Sprintf(" (%d slow)", t.Slow)
	}
	others := ""
	if t.Others > 0 {
		others = fmt.Sprintf(" and %s of probes", listing.Count(t.Others, "other execution"))
	}
	p.Line("peptrace: process %d, %.1f s until %s, %s%s, %s%s", t.Process, t.Seconds, t.Ended,
		listing.Count(t.Probes, "probe"), slow, listing.Count(t.Hits, "hit"), others)
	for _, n := range t.Notes {
		p.Line("%s", n)
	}
	for i := range t.Functions {
		t.Functions[i].print(p)
	}
	if len(t.Skipped) > 0 {
		p.Line("")
		p.Line("not probed:")
		table := &listing.Table{}
		for _, s := range t.Skipped {
			table.Row(s.Func, s.What, s.Reason)
		}
		p.Table("  ", table)
	}
}

func (f *Function) print(p *listing.Page) {
	p.Line("")
	about := ""
	if f.Calls != nil {
		about += ", " + listing.Count(*f.Calls, "call") + until(f.CallsTo)
	}
	if f.Returns != nil {
		about += ", " + listing.Count(*f.Returns, "return") + until(f.ReturnsTo)
	}
	p.Line("%s  %s:%d%s", f.Func, p.Short(f.File), f.Line, about)
	if f.Durations != nil {
		f.Durations.print(p)
	}
	for _, s := range f.Sites {
		s.print(p, f.File)
	}
}

// until says when the probe of a count was switched off, if it was.
func until(seconds *float64) string {
	if seconds == nil {
		return ""
	}
	return fmt.Sprintf(" (switched off after %s)", nanoseconds(*seconds*1e9))
}

func (d *Durations) print(p *listing.Page) {
	open := "had not returned at the end"
	p.Line("")
	p.Line("  duration with the time of probes, %s, mean %s", listing.Count(d.Calls, "call"), nanoseconds(d.Mean))
	if d.To != nil {
		p.Line("  timed until a probe at an entry or return was switched off, after %s", nanoseconds(*d.To*1e9))
		open = "had not returned then"
	}
	before := "began before the probes"
	if d.Lost > 0 { // the return of such a call has no entry either
		before += ", or were not measured"
	}
	for _, x := range []struct {
		n   uint64
		why string
	}{
		{d.Before, before}, {d.Open, open},
		{d.Unreturned, "never returned: they panicked, or their goroutine ended"},
		{d.Lost, "were not measured: too many were under way"},
	} {
		if x.n > 0 {
			p.Line("  %s %s", listing.Count(x.n, "call"), x.why)
		}
	}
	table := &listing.Table{Numbers: 3}
	if len(d.Buckets) > 0 {
		table.Row("share", "count", "below")
	}
	for _, b := range d.Buckets {
		table.Row(listing.Percent(float64(b.Calls)/float64(d.Calls)), fmt.Sprint(b.Calls), nanoseconds(float64(b.Below)))
	}
	p.Table("  ", table)
}

// nanoseconds formats a duration with three digits.
func nanoseconds(ns float64) string {
	units := []string{"ns", "µs", "ms", "s"}
	i := 0
	for ns >= 1000 && i < len(units)-1 {
		ns /= 1000
		i++
	}
	return fmt.Sprintf("%.3g %s", ns, units[i])
}

func (s *Site) print(p *listing.Page, file string) {
	p.Line("")
	head := s.Kind
	switch {
	case s.Line > 0 && s.File == file && s.Kind == "line":
		head = fmt.Sprintf("line %d", s.Line)
	case s.Line > 0 && s.File == file:
		head += fmt.Sprintf(" line %d", s.Line)
	case s.Line > 0:
		head += fmt.Sprintf(" %s:%d", p.Short(s.File), s.Line)
	}
	if s.Expr != "" {
		head += " " + s.Expr
	}
	if s.Type != "" {
		head += " " + s.Type
	}
	p.Line("  %s, %s", head, listing.Count(s.Hits, "hit"))
	if s.OffAfter != nil {
		p.Line("  switched off after %s: the hits came faster than the limit, and later ones were not counted",
			nanoseconds(*s.OffAfter*1e9))
	}
	if s.Unread > 0 {
		p.Line("  %s without a value: it could not be read", listing.Count(s.Unread, "hit"))
	}
	table := &listing.Table{Numbers: 2}
	if len(s.Rows) > 0 {
		table.Row("share", "count", "value")
	}
	rest := s.Hits - s.Unread - min(s.Other, s.Hits-s.Unread)
	for _, v := range s.Rows {
		table.Row(listing.Percent(v.Share), fmt.Sprint(v.Count), v.Value)
		rest -= min(rest, v.Count)
	}
	p.Table("  ", table)
	if more := s.Distinct - len(s.Rows); more > 0 {
		p.Line("  and %s more, %s", listing.Count(more, "value"), listing.Percent(float64(rest)/float64(s.Hits)))
	}
	if s.Other > 0 {
		p.Line("  and %s with other values, %s: the tables were full", listing.Count(s.Other, "hit"),
			listing.Percent(float64(s.Other)/float64(s.Hits)))
	}
}
