package report

// This file writes what taps have seen.

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/runtime/schema"
)

// ValuesOptions select sites and values.
type ValuesOptions struct {
	N      int            // how many values of a site; 0 is all
	Func   *regexp.Regexp // only sites in functions whose names match; nil is all
	Events int64          // a site is worth specialising that has at least so many events,
	Share  float64        // of which the most frequent value has at least this share
}

// Values writes the sites of a values, types or call targets file, those with
// most events first, with what was seen there most often,
//
//	main.count  words.go:7:15  load w[0] byte, 990 events, 2 values
//	 share  count  value
//	60.61%    600  120
//	39.39%    390  97
//
// and then the sites that have a value so frequent that code for it alone may
// be worthwhile. If the file is not exact, there are bounds beside shares and
// counts (profile.Seen.ShareError, profile.Word.CountError), and a share must be
// as great less its bound.
func Values(w io.Writer, f *profile.File, src *source.Tree, o ValuesOptions) error {
	words, err := f.Words()
	if err != nil {
		return err
	}
	all := profile.SumSites(words)
	sites := slices.DeleteFunc(slices.Clone(all), func(s profile.Seen) bool {
		return o.Func != nil && !o.Func.MatchString(s.Site.Func.Name)
	})
	if len(sites) == 0 && len(all) > 0 {
		return fmt.Errorf("%s: no function of a tap matches %q: without -func, pep values shows all", f.Name, o.Func)
	}
	page := newPage(w)
	page.comments(f)
	page.line("%s", valuesSummary(f, all))
	for _, s := range sites {
		v := valueTable{f, src, s}
		v.write(page, o.N)
	}
	if len(all) > 0 {
		page.specialise(f, src, sites, o)
	}
	return page.flush()
}

func valuesSummary(f *profile.File, all []profile.Seen) string {
	if len(all) == 0 {
		return "no event was recorded: no tap was reached, or the engine kept what it had"
	}
	funcs := make(map[profile.Func]bool)
	var events int64
	for _, s := range all {
		funcs[s.Site.Func] = true
		events += s.Count
	}
	return fmt.Sprintf("%s: %s in %s, %s", cmp.Or(f.Binary, f.Name), count(len(all), "tap"), count(len(funcs), "function"), about(f, events))
}

// about says how many events there were, as far as that is known.
func about(f *profile.File, events int64) string {
	if f.Exact() {
		return fmt.Sprintf("%d events", events)
	}
	return fmt.Sprintf("about %d events", events)
}

// A valueTable is what is shown of a site.
type valueTable struct {
	f   *profile.File
	src *source.Tree
	profile.Seen
}

// things are what is seen in files of a kind.
var things = map[schema.Kind]string{
	schema.Values:      "value",
	schema.Types:       "type",
	schema.CallTargets: "target",
}

func (v valueTable) write(p page, n int) {
	thing := things[v.f.Kind]
	what := v.Site.Kind + " " + v.Site.Expr
	if v.Site.Type != "" {
		what += " " + v.Site.Type
	}
	p.line("")
	p.line("%s  %s  %s, %s, %s", v.Site.Func.Name, v.Site.Pos, what, about(v.f, v.Count), count(len(v.Words), thing))

	shown := v.Words
	if n > 0 {
		shown = shown[:min(n, len(shown))]
	}
	t := table{numbers: 2}
	if v.f.Exact() {
		t.row("share", "count", thing)
	} else {
		t.numbers = 4
		t.row("share", "±", "count", "±", thing)
	}
	rest := v.Count
	for _, x := range shown {
		rest -= x.Count
		cells := []string{share(x.Count, v.Count), fmt.Sprint(x.Count), v.text(x)}
		if !v.f.Exact() {
			cells = []string{cells[0], percent(v.ShareError(x), 1), cells[1], fmt.Sprintf("%.0f", x.CountError()), cells[2]}
		}
		t.row(cells...)
	}
	p.table(t)
	if more := len(v.Words) - len(shown); more > 0 {
		p.line("and %s more, %s", count(more, thing), share(rest, v.Count))
	}
}

// text is a value as it is shown: a function with its place.
func (v valueTable) text(x profile.Word) string {
	if x.Target.File == "" {
		return x.Value
	}
	return fmt.Sprintf("%s  %s:%d", x.Value, v.src.Short(x.Target.File), x.Target.StartLine)
}

func (p page) specialise(f *profile.File, src *source.Tree, sites []profile.Seen, o ValuesOptions) {
	t := table{numbers: 2}
	t.row("events", "share", "condition", "place")
	for _, s := range sites {
		top := s.Words[0]
		least := float64(top.Count) / float64(max(s.Count, 1))
		if !f.Exact() {
			least -= s.ShareError(top)
		}
		if s.Count < o.Events || least < o.Share || top.Value == schema.Other {
			continue
		}
		relation := " == "
		if f.Kind == schema.Types && top.Value != schema.Nil {
			relation = " is a "
		}
		t.row(fmt.Sprint(s.Count), share(top.Count, s.Count), s.Site.Expr+relation+top.Value,
			fmt.Sprintf("%s %s:%d", s.Site.Func.Name, src.Short(s.Site.Func.File), s.Site.Pos.Line))
	}
	rule := fmt.Sprintf("at least %d events, %s of them alike", o.Events, percent(o.Share, 1))
	if len(t.rows) == 1 {
		p.line("")
		p.line("worth specialising: none (%s)", rule)
		return
	}
	p.line("")
	p.line("worth specialising (%s):", rule)
	p.table(t)
}
