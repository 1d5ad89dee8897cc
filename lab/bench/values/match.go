package values

// This file compares profiles of values.

import (
	"go/token"
	"math"
	"strings"

	"github.com/pepgo/pep/analyze/accuracy"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/lab/bench/bounds"
)

// A valueSite is where the source has a value, as both taps and windows name it. Columns and functions are not in it: a
// line may have an expression twice, and generic code is in several functions.
type valueSite struct {
	kind, file string
	line       int64
	expr       string
}

func siteOf(w *profile.Word) valueSite {
	return valueSite{w.Site.Kind, w.Site.Func.File, w.Line, w.Site.Expr}
}

// A siteValues is what a profile says of a site.
type siteValues struct {
	count    float64
	messages float64
	values   map[string]float64 // without those that the profile has not told apart
	address  bool               // of values, which differ between builds
}

// top returns the share of the most frequent value.
func (s *siteValues) top() (share float64) {
	for _, n := range s.values {
		share = max(share, n/s.count)
	}
	return share
}

// overlap returns the sum over all values of the lesser one of their two shares.
func (s *siteValues) overlap(t *siteValues) (sum float64) {
	for v, n := range s.values {
		sum += min(n/s.count, t.values[v]/t.count)
	}
	return sum
}

// valueCounts are the sites of a profile.
type valueCounts map[valueSite]*siteValues

func countValues(words []profile.Word) valueCounts {
	c := make(valueCounts)
	for i := range words {
		c.add(siteOf(&words[i]), valueOf(&words[i]), &words[i])
	}
	return c
}

// valueOf returns the value of a word, as both taps and windows name it.
func valueOf(w *profile.Word) string {
	if w.Site.Kind == "type" {
		return shortType(w.Value)
	}
	return w.Value
}

// shortType returns a type without its package, which taps name by its name, and targets by its path: *Buffer of
// *bytes.Buffer.
func shortType(name string) string {
	base := strings.TrimLeft(name, "*")
	if at := strings.LastIndexByte(base, '.'); at >= 0 && !strings.ContainsAny(base, "[](){} ") {
		return name[:len(name)-len(base)] + base[at+1:]
	}
	return name
}

func (c valueCounts) add(site valueSite, value string, w *profile.Word) {
	s := c[site]
	if s == nil {
		s = &siteValues{values: make(map[string]float64)}
		c[site] = s
	}
	s.count += float64(w.Count)
	s.messages += float64(w.Messages)
	s.address = s.address || w.Address
	if value != schema.Other {
		s.values[value] += float64(w.Count)
	}
}

// of returns the events at sites of a kind.
func (c valueCounts) of(kind string) (events float64) {
	for site, s := range c {
		if site.kind == kind {
			events += s.count
		}
	}
	return events
}

// addTypesOfCalls adds the types that the targets of windows tell: taps report the type of x at a call of x.m, too.
func (c valueCounts) addTypesOfCalls(words []profile.Word) {
	for i := range words {
		w := &words[i]
		if site, ok := typeSite(siteOf(w)); ok {
			if t := receiver(w.Value); t != "" {
				c.add(site, t, w)
			}
		}
	}
}

// typeSite returns the site of the type of x, of a call of x.m.
func typeSite(call valueSite) (valueSite, bool) {
	at := strings.LastIndexByte(call.expr, '.')
	if call.kind != "call" || at < 0 || !token.IsIdentifier(call.expr[at+1:]) {
		return valueSite{}, false
	}
	return valueSite{"type", call.file, call.line, call.expr[:at]}, true
}

// receiver returns the short type of a method's receiver: *pipe of io.(*pipe).Read, "" of a function.
func receiver(method string) string {
	if method == schema.Nil {
		return method
	}
	name := method
	if i := strings.LastIndexByte(method, '/'); !strings.Contains(method, "[") {
		name = method[i+1:]
	}
	_, name, _ = strings.Cut(name, ".")
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return ""
	}
	if t, ok := strings.CutPrefix(name[:at], "(*"); ok {
		return "*" + strings.TrimSuffix(t, ")")
	}
	return name[:at]
}

// withRow returns the share of the events of a kind that are at sites with a row, and how many sites there are.
func (c valueCounts) withRow(rows map[valueSite]bool, kind string) (share float64, sites int) {
	for site, s := range c {
		if site.kind == kind {
			sites++
			if rows[site] {
				share += s.count
			}
		}
	}
	return share / c.of(kind), sites
}

// A Match says how well a profile of values agrees with that of full taps. Sites have the weights of their events
// in the latter.
type Match struct {
	Top     float64 // mean difference of the shares of the most frequent value
	Values  float64 // mean overlap of the shares of values
	Sites   float64 // overlap of the shares that sites have in all events at sites of full taps
	Seen    float64 // share of the events that are at sites with an event in the profile
	LeftOut float64 // share of the events at sites of addresses, which are not in Top and Values
}

// matchValues compares the sites of a kind. Sites that full taps do not have, such as those of package runtime, do not
// count.
func matchValues(truth, seen valueCounts, kind string) (m Match) {
	var compared, here float64
	all := truth.of(kind)
	for site, s := range seen {
		if site.kind == kind && truth[site] != nil {
			here += s.count
		}
	}
	for site, t := range truth {
		if site.kind != kind {
			continue
		}
		s := seen[site]
		if t.address || s != nil && s.address {
			m.LeftOut += t.count / all
		}
		if s == nil || s.count == 0 {
			continue
		}
		m.Seen += t.count / all
		m.Sites += min(t.count/all, s.count/here)
		if t.address || s.address {
			continue
		}
		compared += t.count
		m.Top += t.count * math.Abs(t.top()-s.top())
		m.Values += t.count * t.overlap(s)
	}
	m.Top /= compared
	m.Values /= compared
	return m
}

// Values whose bounds are compared have a share of the events of their site between these.
const (
	leastShare = 0.02
	mostShare  = 0.995 // of a site with nearly one value all bounds hold
)

// leastMessages is how many messages of full taps are the truth of a share: 1 in 1021 events is random, too. The share
// is then off by 0.005 at most, as a rule.
const leastMessages = 10000

// A valueID is a value of a site.
type valueID struct {
	site  valueSite
	value string
}

// hotShares returns the shares whose bounds are compared: those at sites of a kind with more than accuracy.HotShare of
// all events. Addresses are not there. exact says that full taps were not thinned.
func (c valueCounts) hotShares(kind string, exact bool) map[valueID]float64 {
	shares := make(map[valueID]float64)
	all := c.of(kind)
	for site, s := range c {
		if site.kind != kind || s.count <= accuracy.HotShare*all || s.address || !exact && s.messages < leastMessages {
			continue
		}
		for v, n := range s.values {
			if share := n / s.count; share >= leastShare && share <= mostShare {
				shares[valueID{site, v}] = share
			}
		}
	}
	return shares
}

// addShares compares the bounds of a run with true shares, and returns how many values the run has not seen at sites
// that it has seen. Sites with one name that are several in the profile have no bounds together, so they do not count.
func addShares(h *bounds.Hits, shares map[valueID]float64, run *valuesRun) (unseen int) {
	sites := make(map[valueSite]int)
	known := make(map[valueID]profile.Bounds)
	for _, s := range profile.SumSites(run.words) {
		site := siteOf(&s.Words[0])
		sites[site]++
		for _, w := range s.Words {
			known[valueID{site, valueOf(&w)}] = s.ShareBounds(w, run.periods[site.kind])
		}
	}
	for id, share := range shares {
		if sites[id.site] != 1 {
			continue
		}
		if b, ok := known[id]; ok {
			h.Add(b, share, true)
		} else {
			unseen++
		}
	}
	return unseen
}
