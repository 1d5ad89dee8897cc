package report

// This file lists the values, types and call targets that taps have reported.

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/analyze/specialise"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/internal/listing"
)

// ValuesOptions select sites and values.
type ValuesOptions struct {
	N      int            // how many values of a site; 0 is all
	Func   *regexp.Regexp // only sites in functions whose names match; nil is all
	Events int64          // a site is worth specialising that has at least so many events,
	Share  float64        // of which the most frequent value has at least this share

	Calls map[profile.Func]int64 // how often functions were called; nil if that is not known

	OnlySpecialise bool // list no sites but those
}

// A ValueTable lists what windows or taps have noted. Totals are of the whole file, whatever is
// selected. If the file is not exact, counts are estimates and have bounds
// (profile.Seen.ShareError, profile.Word.CountError); of an exact file the bounds
// are 0.
type ValueTable struct {
	Findings  []Finding `json:"findings"`
	Profile   Profile   `json:"profile"`
	Taps      int       `json:"taps" unit:"taps"`           // of the whole profile
	Functions int       `json:"functions" unit:"functions"` // that these are in
	Events    int64     `json:"events" unit:"events"`
	Wait      int64     `json:"wait" unit:"ns"`
	// taps, those with most events first; of loads instructions, those with the longest `wait` first
	Sites       []ValueSite `json:"sites"`
	LeastEvents int64       `json:"specialise_events" unit:"events"` // `-events`: taps below `specialise` have so many
	// `-share`: their most frequent value has this share, less `share_error`
	LeastShare float64          `json:"specialise_share" unit:"ratio"`
	Specialise []Specialisation `json:"specialise"` // taps that are worth specialising

	listed int  // values of a site that are wanted at most; 0 is all
	only   bool // what is worth specialising
	whole  bool // of all packages
}

// A ValueSite is a tap with its most frequent values.
type ValueSite struct {
	Func   string `json:"function"`
	File   string `json:"file"`
	Pool   string `json:"pool"`
	Pos    string `json:"position"`
	Source string `json:"source"`
	Kind   string `json:"kind"`
	Expr   string `json:"expression"`
	Type   string `json:"type"`
	Events int64  `json:"events" unit:"events"`
	// of an argument in windows: calls of its function, if `pep` knows them; those that are inlined have no event
	Calls int64 `json:"calls" unit:"calls"`
	Wait  int64 `json:"wait" unit:"ns"`
	// with 95 % confidence, the larger one of the profile's `wait_error` and `wait_below`
	WaitError int64   `json:"wait_error" unit:"ns"`
	Distinct  int     `json:"distinct" unit:"values"` // that were told apart, `(other)` being one
	Rows      []Value `json:"rows"`                   // the most frequent values
	Rest      int     `json:"more_values" unit:"values"`
	RestShare float64 `json:"more_share" unit:"ratio"` // of the values that are not listed
	Ranges    bool    `json:"ranges"`                  // some values are ranges
}

// A Value is a value, type or call target.
type Value struct {
	// value, type or called function; `(other)` for those that were not told apart
	Value      string  `json:"value"`
	File       string  `json:"target_file"`
	Line       int64   `json:"target_line" unit:"line"`
	Count      int64   `json:"count" unit:"events"`
	CountError float64 `json:"count_error" unit:"events"` // with 95 % confidence
	Share      float64 `json:"share" unit:"ratio"`        // of the tap's events
	// likewise, the larger one of the profile's `share_error` and `share_below`
	ShareError float64 `json:"share_error" unit:"ratio"`
	Messages   int64   `json:"messages" unit:"messages"`
	// of a range with all narrower ranges and values in it
	Within int64 `json:"within" unit:"events"`
}

// A Specialisation is a site whose most frequent value may be worth code of its
// own.
type Specialisation struct {
	Events    int64   `json:"events" unit:"events"`
	Share     float64 `json:"share" unit:"ratio"` // of its most frequent value
	Kind      string  `json:"kind"`
	Condition string  `json:"condition"` // `n == 42`, `r is a *os.File`
	Func      string  `json:"function"`
	File      string  `json:"file"`
	Line      int64   `json:"line" unit:"line"`
}

// Values lists the sites of a values, types or call targets file that are worth
// specialising: one value is so frequent that code for this value alone may be faster. Then it lists all sites
// with their most frequent values. Sites with most events come first, in profiles of all packages those of the
// main module. (If the file is not exact, the share of the value less its bound must be great enough.) A site as
// text:
//
//	main.count  words.go:7:15  load w[0] byte, 990 events, 2 values
//	 share  count  value
//	60.61%    600  120
//	39.39%    390  97
//
// Of a loads file the sites are instructions,
// those first for which the program waited longest:
//
//	m.next  m.go:12  load 0x4a2c07, count 1000, waits 800ms, 80.00% ± 9.50% of all, 3 levels
//
// If some values are ranges, the column within has all events in a range, and the column
// count has only those that no narrower range and no single value in it has:
//
//	share   ±  count   ±  within  value
//	93.0%   …    930   …     930  66
//	 6.0%   …     60   …     990  [64, 79]
//	 1.0%   …     10   …    1000  [0, 255]
func Values(f *profile.File, src *source.Tree, o ValuesOptions) (*ValueTable, error) {
	words, err := f.Words()
	if err != nil {
		return nil, err
	}
	all := profile.SumSites(words)
	sites := slices.DeleteFunc(slices.Clone(all), func(s profile.Seen) bool {
		return o.Func != nil && !o.Func.MatchString(s.Site.Func.Name)
	})
	if len(sites) == 0 && len(all) > 0 {
		return nil, fmt.Errorf("%s: %w %q: without -func, pep values shows all", f.Name, errNoMatch, o.Func)
	}
	prefer := func(s profile.Seen) int { // the user can change the main module
		if f.Kind != schema.Loads && f.Own(profile.PackageOf(s.Site.Func.Name)) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(sites, func(s, t profile.Seen) int { return cmp.Compare(prefer(t), prefer(s)) })
	t := &ValueTable{Profile: profileOf(f), Taps: len(all), LeastEvents: o.Events, LeastShare: o.Share, listed: o.N,
		only: o.OnlySpecialise, whole: f.Whole()}
	funcs := make(map[profile.Func]bool)
	for _, s := range all {
		funcs[s.Site.Func] = true
		t.Events += s.Count
		t.Wait += s.Wait
	}
	t.Functions = len(funcs)
	var special []specialise.Site[Specialisation]
	for _, s := range sites {
		if !o.OnlySpecialise {
			t.Sites = append(t.Sites, valueSite(s, src, o, f))
		}
		if x, ok := specialSite(f, s); ok {
			x.Prefer = prefer(s)
			special = append(special, x)
		}
	}
	t.Specialise = specialise.Find(special, o.Events, o.Share)
	t.Findings = t.find()
	return t, nil
}

var errNoMatch = errors.New("no function of a tap matches")

// AllValues returns the tables of files of several kinds: of those that have a site in a function that is wanted. It is
// an error if none has.
func AllValues(files []*profile.File, src *source.Tree, o ValuesOptions) (tables []*ValueTable, err error) {
	var none error
	for _, f := range files {
		t, err := Values(f, src, o)
		switch {
		case err == nil:
			tables = append(tables, t)
		case !errors.Is(err, errNoMatch):
			return nil, err
		default:
			none = err
		}
	}
	if len(tables) == 0 {
		return nil, none
	}
	return tables, nil
}

func valueSite(s profile.Seen, src *source.Tree, o ValuesOptions, f *profile.File) ValueSite {
	x := ValueSite{
		Func: s.Site.Func.Name, File: s.Site.Func.File, Pool: s.Site.Pool, Kind: s.Site.Kind,
		Expr: s.Site.Expr, Type: s.Site.Type, Events: s.Count, Wait: s.Wait, WaitError: s.WaitError(),
		Distinct: len(s.Words),
	}
	if x.Kind == tuple.Arg.String() {
		x.Calls = o.Calls[s.Site.Func]
	}
	switch {
	case f.Kind == schema.Loads: // an instruction has no column
		x.Pos = fmt.Sprintf("%s:%d", s.Site.Pos.File, s.Site.Pos.Line)
	case s.Site.Pool == "":
		x.Pos = s.Site.Pos.String()
	}
	x.Source = src.Trimmed(s.Site.Func.File, s.Site.Pos.Line)
	shown := s.Words
	if o.N > 0 {
		shown = shown[:min(o.N, len(shown))]
	}
	rest := s.Count
	for _, w := range shown {
		rest -= w.Count
		v := Value{Value: w.Value, File: w.Target.File, Line: w.Target.StartLine, Count: w.Count,
			Share: listing.Ratio(w.Count, s.Count), Messages: w.Messages, Within: w.Within}
		if !f.Exact() {
			v.CountError, v.ShareError = w.CountError(f.Period.Value), s.ShareError(w, f.Period.Value)
		}
		x.Rows = append(x.Rows, v)
	}
	x.Ranges = s.Ranged()
	x.Rest, x.RestShare = len(s.Words)-len(shown), listing.Ratio(rest, s.Count)
	return x
}

// nearlyAll is a share of calls that is not worth a word. Windows see the arguments of a call that outlasts them, but
// not where its first path ends, so there may be more arguments than calls.
const nearlyAll = .95

// useful has the kinds of taps whose words code could be specialised for. The others say
// where the program is, or what it writes.
var useful = map[string]bool{
	tuple.Arg.String(): true, tuple.Result.String(): true, tuple.Load.String(): true, tuple.Call.String(): true,
	tuple.Type.String(): true, tuple.Const.String(): true, tuple.Op.String(): true,
}

// specialSite returns what specialise.Find needs of a site, if code can be specialised for its most frequent value.
// Addresses differ from run to run, so for them it never can. A function may load a field several times.
func specialSite(f *profile.File, s profile.Seen) (x specialise.Site[Specialisation], ok bool) {
	top := s.Words[0]
	constant := s.Site.Expr == top.Value // return true
	if !specialises(f.Kind) || !useful[s.Site.Kind] || s.Site.Pool != "" || s.Site.Expr == schema.NoText || constant ||
		top.Address && top.Value != schema.Nil || top.Value == schema.Other || top.Range != nil && !top.Range.Single() {
		return x, false
	}
	least := listing.Ratio(top.Count, s.Count)
	if !f.Exact() {
		least = s.ShareBounds(top, f.Period.Value).Low
	}
	relation := " == "
	if f.Kind == schema.Types && top.Value != schema.Nil {
		relation = " is a "
	}
	row := Specialisation{
		Events: s.Count, Share: listing.Ratio(top.Count, s.Count), Kind: s.Site.Kind,
		Condition: s.Site.Expr + relation + top.Value,
		Func:      s.Site.Func.Name, File: s.Site.Func.File, Line: s.Site.Pos.Line,
	}
	return specialise.Site[Specialisation]{Row: row, Events: s.Count, Least: least,
		Same: []any{[3]string{row.Func, row.File, row.Condition}}}, true
}

// specialises reports whether code can be specialised for what is in files of a kind, and
// not for a store, a branch, a context or a cache.
func specialises(k schema.Kind) bool {
	return k != schema.Deps && k != schema.Contexts && k != schema.Loads
}

// things has the word for a value in the files of each kind.
var things = map[schema.Kind]string{
	schema.Values:      "value",
	schema.Types:       "type",
	schema.CallTargets: "target",
	schema.Deps:        "source",
	schema.Contexts:    "context",
	schema.Loads:       "level",
}

// Name implements listing.Listing.
func (t *ValueTable) Name() string { return "values" }

// Print implements listing.Listing.
func (t *ValueTable) Print(p *listing.Page) {
	if t.Taps == 0 {
		p.Say(listing.Plain, "no event was recorded: no tap was reached, or the engine sent no message before the end")
		t.Profile.printNotes(p)
		return
	}
	t.Profile.printWarning(p)
	p.Line("%s: %s in %s, %s", p.Short(t.Profile.name()), listing.Count(t.Taps, t.place()),
		listing.Count(t.Functions, "function"), t.about(t.Events))
	t.printSpecialise(p)
	if !t.only {
		t.printSites(p)
	}
	t.Profile.printNotes(p)
}

func (t *ValueTable) printSites(p *listing.Page) {
	// Engines that count ranges send few messages, and count all events.
	ranged := slices.ContainsFunc(t.Sites, func(s ValueSite) bool { return s.Ranges })
	vague, why := 0, "with too few events to tell a share"
	for _, s := range t.Sites {
		hidden := s.vague()
		if t.whole {
			hidden, why = hidden || s.Events < t.Events/1000, "with less than 0.1% of the events, or too few to tell a share"
		}
		if t.Profile.Kind == schema.Loads {
			hidden, why = s.Wait < t.Wait/1000, "with less than 0.1% of the waits"
		}
		if t.listed > 0 && !ranged && hidden {
			vague++
			continue
		}
		t.printSite(p, s)
	}
	if vague > 0 {
		p.Line("")
		p.Line("%s not listed, %s (-n 0 lists all)", listing.Count(vague, t.place()), why)
	}
}

func (t *ValueTable) printSpecialise(p *listing.Page) {
	if !specialises(t.Profile.Kind) {
		return
	}
	p.Line("")
	rule, counted := fmt.Sprintf("at least %d events, %s of them alike", t.LeastEvents, listing.Percent(t.LeastShare)),
		"events"
	if t.Profile.windows {
		rule, counted = fmt.Sprintf("a count of at least %d, %s of it alike with 95 %% confidence", t.LeastEvents,
			listing.Percent(t.LeastShare)), "count"
	}
	if len(t.Specialise) == 0 {
		p.Line("worth specialising: none (%s)", rule)
		return
	}
	p.Line("worth specialising (%s):", rule)
	table := &listing.Table{Numbers: 2, Names: []int{4, 5}}
	table.Heading(counted, "share", "kind", "condition", "function", "line")
	for _, x := range t.Specialise {
		table.Row(fmt.Sprint(x.Events), listing.Percent(x.Share), x.Kind, x.Condition, x.Func,
			fmt.Sprintf("%s:%d", p.Short(x.File), x.Line))
		table.Style(3, listing.Hot)
	}
	p.Table("", table)
}

// vague reports whether the shares of a site may be anything: 100 % ± 100 %. That is so if there is
// a single event.
func (s *ValueSite) vague() bool { return len(s.Rows) > 0 && s.Rows[0].ShareError >= 1 }

// place is the word for what has values.
func (t *ValueTable) place() string {
	switch {
	case t.Profile.Kind == schema.Loads:
		return "load"
	case t.Profile.windows:
		return "place"
	}
	return "tap"
}

// about returns a number of events as text, with "about" if it is an estimate. Windows do not know how often something
// happened: their counts are in proportion to that, as those of paths are.
func (t *ValueTable) about(events int64) string {
	switch {
	case t.Profile.Exact:
		return fmt.Sprintf("%d events", events)
	case t.Profile.windows:
		return fmt.Sprintf("count %d", events)
	}
	return fmt.Sprintf("about %d events", events)
}

// waits returns the share of all waits that are for a site's loads, with its bound.
func (t *ValueTable) waits(s ValueSite) string {
	share := listing.Percent(listing.Ratio(s.Wait, t.Wait))
	if s.WaitError == 0 {
		return share
	}
	return share + " ± " + listing.Percent(min(listing.Ratio(s.WaitError, t.Wait), 1))
}

func (t *ValueTable) printSite(p *listing.Page, s ValueSite) {
	thing := things[t.Profile.Kind]
	what := s.Kind + " " + s.Expr
	if s.Type != "" {
		what += " " + s.Type
	}
	p.Line("")
	events := t.about(s.Events)
	if t.Profile.Kind == schema.Loads {
		events += fmt.Sprintf(", waits %v, %s of all", time.Duration(s.Wait).Round(time.Millisecond), t.waits(s))
	}
	if share := listing.Ratio(s.Events, s.Calls); s.Calls > 0 && share < nearlyAll {
		events += fmt.Sprintf(" in %s of the calls (inlined ones have none)", listing.Percent(share))
	}
	p.Say(listing.Plain, "%s  %s  %s, %s, %s", s.Func, cmp.Or(s.Pos, s.Pool), what, events,
		listing.Count(s.Distinct, thing))
	table := &listing.Table{Numbers: 2}
	row := func(within string, cells ...string) {
		if s.Ranges { // a column before the last
			cells = slices.Insert(cells, len(cells)-1, within)
		}
		table.Numbers = len(cells) - 1
		if len(table.Rows) == 0 {
			table.Heading(cells...)
		} else {
			table.Row(cells...)
		}
	}
	if t.Profile.Exact {
		row("within", "share", "count", thing)
	} else {
		row("within", "share", "±", "count", "±", thing)
	}
	for _, v := range s.Rows {
		text := v.Value
		if v.File != "" {
			text = fmt.Sprintf("%s  %s:%d", v.Value, p.Short(v.File), v.Line)
		}
		share, count := listing.Percent(v.Share), fmt.Sprint(v.Count)
		if within := fmt.Sprint(v.Within); t.Profile.Exact {
			row(within, share, count, text)
		} else {
			row(within, share, listing.Percent(v.ShareError), count, listing.Number(v.CountError, 0), text)
		}
	}
	p.Table("", table)
	if s.Rest > 0 {
		p.Line("and %s more, %s", listing.Count(s.Rest, thing), listing.Percent(s.RestShare))
	}
}
