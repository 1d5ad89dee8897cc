package report

// This file lists hot ranges.

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/ranges"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/machine/executable"
)

// RangesOptions select sources and ranges.
type RangesOptions struct {
	Hot   float64   // a range is hot if it has this share of all events of the file
	Cover []float64 // shares of a source's events; the table has the narrowest ranges for each of them
	// only taps in functions whose names match; of a pool of code, only ranges in such functions are listed; nil is all
	Func   *regexp.Regexp
	Site   *regexp.Regexp     // only sources whose name matches, such as "x.go:12:5  load n int"; nil is all
	Memory *executable.Memory // names addresses; may be nil,

	NoMemory error // why Memory is nil
}

// A RangeTable lists the hot ranges of a file of values, types or call targets, if its
// engine reports ranges, those of the addresses in a file of values without an engine, or those of the code in a file
// of edges. Counts of an engine are lower bounds: see package ranges. Shares are of all events of the file, or of its
// addresses; the events of a file of edges are executed branches.
type RangeTable struct {
	Findings []Finding `json:"findings"`
	Profile  Profile   `json:"profile"`
	Events   int64     `json:"events" unit:"events"`
	// `-phi`: a hot range has at least this share, without the hot ranges in it
	Hot float64 `json:"hot_share" unit:"ratio"`
	// taps, or pools of a kind, with a hot range; those with most events first
	Sources []RangeSource `json:"sources"`
	Rest    int           `json:"more_sources" unit:"sources"` // without a hot range
	RestSum int64         `json:"more_events" unit:"events"`   // of these
	NoNames string        `json:"no_names"`                    // why addresses have no names of variables

	f          *profile.File
	all        []profile.Seen // the selected sources
	first      float64        // the greatest share of one
	trees      []*ranges.Tree // of Sources
	deviations *deviations    // of the counts of words, if the file is of edges; else nil
	estimated  bool           // counts of addresses are estimates, and nothing bounds those of ranges
	view       view
}

// A RangeSource is a tap, or all taps of a kind if the engine pooled them.
type RangeSource struct {
	Pool   string  `json:"pool"`
	Func   string  `json:"function"`
	File   string  `json:"file"`
	Pos    string  `json:"position"`
	Kind   string  `json:"kind"`
	Expr   string  `json:"expression"`
	Type   string  `json:"type"` // empty if a pool has several
	Events int64   `json:"events" unit:"events"`
	Share  float64 `json:"share" unit:"ratio"`
	Ranges int     `json:"ranges" unit:"ranges"` // that have events of their own
	// counts of ranges are too low by at most this number
	Error  int64        `json:"error" unit:"events"`
	Rows   []RangeRow   `json:"rows"`   // hot ranges, each before those in it
	Covers []RangeCover `json:"covers"` // one for each percentage of `-cover`
}

// A RangeRow is a hot range.
type RangeRow struct {
	Depth int    `json:"depth" unit:"ranges"` // hot ranges around it
	First uint64 `json:"first" unit:"word"`
	Last  uint64 `json:"last" unit:"word"`
	// `[64, 79]`: the ends as the type writes them; of code, functions and lines
	Text string `json:"range"`
	// variable, section or region of addresses: `main.table+0x40 in .noptrbss`
	Where       string  `json:"where"`
	Weight      int64   `json:"weight" unit:"events"` // without those of the hot ranges in it
	WeightShare float64 `json:"weight_share" unit:"ratio"`
	// with those of all ranges in it
	Within      int64   `json:"within" unit:"events"`
	WithinShare float64 `json:"within_share" unit:"ratio"`
	// the exact number is between this and `most`; in a profile by samples with 95 % confidence
	Least      int64   `json:"least" unit:"events"`
	LeastShare float64 `json:"least_share" unit:"ratio"`
	Most       int64   `json:"most" unit:"events"`
	MostShare  float64 `json:"most_share" unit:"ratio"`
}

// A RangeCover is the set of the narrowest ranges that hold a share of a source's
// events.
type RangeCover struct {
	Share  float64      `json:"share" unit:"ratio"` // of the source's events
	Events int64        `json:"events" unit:"events"`
	Width  int          `json:"width" unit:"bits"` // the widest range has at most 2^width words
	Ranges []CoverRange `json:"ranges"`            // the narrowest that together have the share
}

// A CoverRange is one of a RangeCover.
type CoverRange struct {
	First uint64 `json:"first" unit:"word"`
	Last  uint64 `json:"last" unit:"word"`
	Text  string `json:"range"`
	Least int64  `json:"least" unit:"events"`
}

// noRanges says what a profile without ranges lacks.
func noRanges(kind schema.Kind) string {
	if kind == schema.Edges {
		return "no branch was executed"
	}
	return "no ranges in it: record with PEPOPTS=values=addresses for ranges of memory, if the program is built with " +
		"-pepvalues=all; with PEPOPTS='engine=rap(eps=1%)' for ranges of the values of each tap, " +
		"engine=rap(over=words) for those of all taps together; for ranges of code give a file of edges"
}

// Ranges lists the hot ranges of a file by source, the sources with most events first.
// As text a source looks like this:
//
//	main.count  words.go:7:15  load w[0] byte, 1000 events (50.00%), 3 ranges, counts at most 70 (3.50%) too low
//	 share  within  at most  events  range
//	46.50%  46.50%   50.00%     930  66
//	80% of its events: 66
//	95% of its events: [64, 79]
//
// The column share leaves out the hot ranges inside a range; within includes them.
func Ranges(f *profile.File, o RangesOptions) (*RangeTable, error) {
	t := &RangeTable{Profile: profileOf(f), Hot: o.Hot, f: f, view: view{o.Memory}}
	var words []profile.Word
	var err error
	if f.Kind == schema.Edges {
		words, t.deviations, err = branchWords(f)
	} else {
		words, err = f.Words()
	}
	if err != nil {
		return nil, err
	}
	pool := !slices.ContainsFunc(words, func(w profile.Word) bool { return w.Range != nil })
	if pool {
		words = addresses(words)
		t.estimated = !f.Exact()
	}
	if len(words) == 0 {
		return nil, fmt.Errorf("%s: %s", f.Name, noRanges(f.Kind))
	}
	for _, w := range words {
		t.Events += w.Count
	}
	if pool {
		words = pooled(words, o)
	}
	for _, s := range profile.SumSites(words) {
		if !pool && !o.selects(s) {
			continue
		}
		t.all = append(t.all, s)
		t.first = max(t.first, listing.Ratio(s.Count, t.Events))
		if tree := ranges.Of(s); tree == nil || !t.add(tree, o) {
			t.Rest++
			t.RestSum += s.Count
		}
	}
	if len(t.all) == 0 {
		return nil, fmt.Errorf("%s: nothing matches -func and -site: without them, pep ranges shows all", f.Name)
	}
	t.Findings = t.find()
	return t, nil
}

// selects reports whether a site is one that o selects.
func (o *RangesOptions) selects(s profile.Seen) bool {
	return (o.Site == nil || o.Site.MatchString(sourceName(s.Site))) && inFunc(s, o.Func)
}

// inFunc reports whether a site is in a function that matches. For a pool of code, it
// reports whether one of its ranges is.
func inFunc(s profile.Seen, re *regexp.Regexp) bool {
	if re == nil || re.MatchString(s.Site.Func.Name) {
		return true
	}
	return isCode(s.Site) && slices.ContainsFunc(s.Words, func(w profile.Word) bool { return ofFunc(s.Site, w.Code, re) })
}

// isCode reports whether the words of a source are positions in the code.
func isCode(s profile.Site) bool { return s.Pool == schema.PoolSites || s.Pool == schema.PoolCode }

// ofFunc reports whether a range is in a function that matches. For a pool of code,
// c says where the range is, nil if that is not known. The ranges of a tap are in the tap's
// function.
func ofFunc(s profile.Site, c *profile.Code, re *regexp.Regexp) bool {
	if re == nil || !isCode(s) {
		return true
	}
	return c != nil && c.FirstFunc == c.LastFunc && re.MatchString(c.FirstFunc)
}

// add adds a source if the source has hot ranges.
func (t *RangeTable) add(tree *ranges.Tree, o RangesOptions) (hot bool) {
	tree.Mark(o.Hot * float64(t.Events))
	s := tree.Site
	x := RangeSource{
		Pool: s.Pool, Func: s.Func.Name, File: s.Func.File, Kind: s.Kind, Expr: s.Expr, Type: s.Type,
		Events: tree.Events, Share: listing.Ratio(tree.Events, t.Events), Ranges: tree.Nodes, Error: tree.Worst,
	}
	if s.Pool == "" {
		x.Pos = s.Pos.String()
	}
	share := func(n int64) float64 { return listing.Ratio(n, t.Events) }
	tree.Walk(func(n *ranges.Node, depth int) bool {
		hot := n.Hot && ofFunc(s, codeOf(n), o.Func)
		if hot {
			least, most := t.bounds(n)
			x.Rows = append(x.Rows, RangeRow{depth, n.First, n.Last, t.view.text(s, n), t.view.where(s, n), n.Weight,
				share(n.Weight),
				n.Least, share(n.Least), least, share(least), most, share(most)})
		}
		return hot
	})
	if len(x.Rows) == 0 {
		return false
	}
	for _, c := range o.Cover {
		list, events := tree.Cover(c)
		cover := RangeCover{Share: c, Events: events}
		for _, n := range list {
			cover.Width = max(cover.Width, n.Width())
			cover.Ranges = append(cover.Ranges, CoverRange{n.First, n.Last, t.view.text(s, n), n.Least})
		}
		x.Covers = append(x.Covers, cover)
	}
	if o.NoMemory != nil && t.view.addresses(s) {
		t.NoNames = o.NoMemory.Error()
	}
	t.Sources = append(t.Sources, x)
	t.trees = append(t.trees, tree)
	return true
}

// bounds returns the bounds of the events in a range. Branches of a window depend on each other, but no dependence
// makes the standard deviation of a sum larger than the sum of the deviations. Addresses of a window do, too, but a
// range has so many that this sum says nothing.
func (t *RangeTable) bounds(n *ranges.Node) (least, most int64) {
	switch {
	case t.estimated:
		return 0, t.Events
	case t.deviations == nil:
		return n.Least, n.Most
	}
	sum := t.deviations.within(n.First, n.Last)
	b := t.f.CountBounds(n.Least, profile.Estimate{Variance: int64(min(sum*sum, math.MaxInt64/2))})
	return int64(b.Low), int64(min(math.Ceil(b.High), float64(t.Events)))
}

// A view describes ranges.
type view struct{ memory *executable.Memory }

// texts returns the texts of all ranges of a tree, for stacks. Two nested ranges can
// have the same text, because the type has no other values or the code no other taps.
// The text of the outer one then ends with its words.
func (v view) texts(tree *ranges.Tree) map[*ranges.Node]string {
	texts := map[*ranges.Node]string{}
	tree.Walk(func(n *ranges.Node, _ int) bool {
		texts[n] = v.text(tree.Site, n)
		for _, k := range n.Kids {
			if v.text(tree.Site, k) == texts[n] {
				texts[n] += fmt.Sprintf(" %#x-%#x", n.First, n.Last)
				break
			}
		}
		return true
	})
	return texts
}

func (v view) text(s profile.Site, n *ranges.Node) string {
	code := isCode(s)
	switch {
	case n.First == 0 && n.Last == math.MaxUint64 && !code:
		return "all " + words(s)
	case n.Word == nil && code:
		return codeBetween(n)
	case n.Word == nil:
		return fmt.Sprintf("[%s]", hull(n))
	case s.Type == "time.Duration":
		low, high := time.Duration(n.First), time.Duration(n.Last)
		if low == high {
			return low.String()
		}
		return fmt.Sprintf("[%v, %v]", low, high)
	}
	return n.Word.Value
}

// words says what the words of a source are.
func words(s profile.Site) string {
	switch {
	case s.Pool == schema.PoolSites:
		return "taps"
	case s.Pool == schema.PoolCode, s.Kind == "addr":
		return "addresses"
	case s.Pool == schema.PoolWords:
		return "words"
	}
	return "values"
}

// where returns the name of a range of addresses.
func (v view) where(s profile.Site, n *ranges.Node) string {
	if v.addresses(s) || s.Pool == "" && n.Word != nil && n.Word.Address && n.Word.Low != schema.Nil { // a pointer
		return v.memory.Where(n.First, n.Last)
	}
	return ""
}

// addresses reports whether the words of a source are addresses of data.
func (v view) addresses(s profile.Site) bool {
	return s.Kind == "addr" && (s.Pool == "" || s.Pool == schema.PoolWords)
}

// sourceName returns "main.f  x.go:12:5  load n int", or for a pool "(all load taps)
// words".
func sourceName(s profile.Site) string {
	if s.Pool != "" {
		return strings.TrimSpace(s.Func.Name + "  " + s.Pool + " " + s.Type)
	}
	return strings.TrimSpace(s.Func.Name + "  " + s.Pos.String() + "  " + s.Kind + " " + s.Expr + " " + s.Type)
}

// Name implements listing.Listing.
func (t *RangeTable) Name() string { return "ranges" }

// Print implements listing.Listing.
func (t *RangeTable) Print(p *listing.Page) {
	t.Profile.printWarning(p)
	p.Line("%s: %d %s; ranges with at least %s of them", p.Short(t.Profile.name()), t.Events, t.events(),
		listing.Percent(t.Hot))
	for i, s := range t.Sources {
		t.printSource(p, s, t.trees[i].Site)
	}
	p.Line("")
	if t.NoNames != "" {
		p.Line("addresses of variables have no names: %s (-program says which file it is)", t.NoNames)
	}
	switch {
	case len(t.Sources) == 0 && t.first >= t.Hot:
		p.Line("no range in the functions of -func has so many: -phi asks for a smaller percentage than %s", number(t.Hot))
	case len(t.Sources) == 0:
		p.Line("no range has so many, for no tap has: the first has %s; -phi asks for a smaller percentage than %s",
			listing.Percent(t.first), number(t.Hot))
	case t.Rest > 0:
		p.Line("and %s without such a range, %s of the events", listing.Count(t.Rest, "tap"),
			listing.Percent(listing.Ratio(t.RestSum, t.Events)))
	}
	t.Profile.printNotes(p)
}

// events says what the events of the file are.
func (t *RangeTable) events() string {
	switch {
	case t.deviations != nil:
		return "branches"
	case t.estimated && t.f.Windows():
		return "loads"
	}
	return "events"
}

// number writes a ratio as a percentage without needless digits.
func number(ratio float64) string { return fmt.Sprintf("%g", math.Round(ratio*1e6)/1e4) }

func (t *RangeTable) printSource(p *listing.Page, s RangeSource, site profile.Site) {
	p.Line("")
	switch {
	case t.deviations != nil:
		p.Line("%s, %s", shortNames(sourceName(site)), listing.Count(s.Ranges, "branch"))
	case t.estimated:
		p.Line("%s, %d %s (%s), %s", shortNames(sourceName(site)), s.Events, t.events(), listing.Percent(s.Share),
			listing.Count(s.Ranges, "different one"))
	default:
		p.Line("%s, %d events (%s), %s, counts at most %d (%s) too low", shortNames(sourceName(site)), s.Events,
			listing.Percent(s.Share),
			listing.Count(s.Ranges, "range"), s.Error, listing.Percent(listing.Ratio(s.Error, t.Events)))
	}
	limits := []string{"at most"}
	switch {
	case t.deviations != nil && t.f.Estimated():
		limits = []string{"95%"}
	case t.deviations != nil || t.estimated: // nothing bounds counts that are exact, or of samples without estimates
		limits = nil
	}
	table := &listing.Table{Numbers: 3 + len(limits)}
	cells := func(share, within string, limits []string, events, text string) []string {
		return append(append([]string{share, within}, limits...), events, text)
	}
	table.Heading(cells("share", "within", limits, t.events(), "range")...)
	var around []string // texts of the ranges around, indexed by depth
	for _, r := range s.Rows {
		text := shortNames(r.Text)
		around = append(around[:r.Depth], text)
		if r.Depth > 0 && text == around[r.Depth-1] {
			text += fmt.Sprintf(" %#x-%#x", r.First, r.Last)
		}
		text = strings.Repeat("  ", r.Depth) + text
		if r.Where != "" {
			text += "  " + r.Where
		}
		switch {
		case limits == nil:
		case t.deviations == nil:
			limits = []string{listing.Percent(r.MostShare)}
		default:
			limits = []string{bounds(r.LeastShare, r.MostShare)}
		}
		table.Row(cells(listing.Percent(r.WeightShare), listing.Percent(r.WithinShare), limits, fmt.Sprint(r.Within),
			text)...)
	}
	p.Table("", table)
	for i, c := range s.Covers {
		if i+1 < len(s.Covers) && slices.Equal(c.Ranges, s.Covers[i+1].Ranges) {
			continue // the next line says more of the same ranges
		}
		p.Line("%s%% of its %s: %s", number(c.Share), t.events(), shortNames(t.coverText(c, words(site))))
	}
}

// coverText writes the number and the width of the ranges of a cover, and one or two of
// them.
func (t *RangeTable) coverText(c RangeCover, words string) string {
	var texts []string
	for _, r := range c.Ranges {
		texts = append(texts, r.Text)
	}
	if len(texts) <= 2 {
		return strings.Join(texts, " and ")
	}
	most := slices.MaxFunc(c.Ranges, func(a, b CoverRange) int { return cmp.Compare(a.Least, b.Least) })
	if t.deviations != nil { // the width of a range is none of code
		return fmt.Sprintf("%d ranges, such as %s", len(c.Ranges), most.Text)
	}
	if c.Width == 0 {
		return fmt.Sprintf("%d single %s, such as %s", len(texts), words, most.Text)
	}
	return fmt.Sprintf("%d ranges of at most 2^%d %s, such as %s", len(texts), c.Width, words, most.Text)
}
