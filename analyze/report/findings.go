package report

// This file says what in a listing is worth a look, for programs.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
)

// A Finding is something that the user may want to know or to change. A listing has those first that matter most.
type Finding struct {
	Kind    string  `json:"kind"`
	Text    string  `json:"text"`               // the same in words
	Share   float64 `json:"share" unit:"ratio"` // the number that makes it one
	Func    string  `json:"function"`
	File    string  `json:"file"`
	Line    int64   `json:"line" unit:"line"`
	Command string  `json:"command"` // that shows or changes it
}

// Kinds of findings, with what their share is of.
const (
	timeOutside    = "time_outside"     // the time
	hotPath        = "hot_path"         // the program's flow or count, as the listing is ordered
	oneSidedBranch = "one_sided_branch" // the counts of the branch
	neverTaken     = "never_taken"      // the branch, that the outcome has at most
	specialisation = "specialise"       // the events of the tap
	hotRange       = "hot_range"        // all events of the file
	hotCall        = "hot_call"         // the weight of all calls
)

const (
	outsideShare = .1  // less of the time outside is no finding
	oneSided     = .99 // a branch that goes one way at least so often is one
	oneSidedSeen = 100 // if it was seen so often
	rare         = .05 // an outcome that no sample shows is a finding if its share is at most this
	mostNever    = 10  // findings of this kind
)

// find returns the findings of a profile whose selected paths are in the order of the listing.
func (t *TopTable) find(w weight, selected []profile.Path) (list []Finding) {
	if o := t.Profile.unseenTime(); o.share >= outsideShare {
		x := Finding{Kind: timeOutside, Text: t.Profile.sayTime(o), Share: o.share}
		if o.more {
			x.Command = "pepbuild build -peppkg=all"
		}
		list = append(list, x)
	}
	if len(selected) == 0 || w.of(selected[0]) == 0 {
		return list
	}
	hot := selected[0]
	share, low, high := w.share(w.of(hot), hot.Count, hot.Estimate)
	what := t.Order
	if what == "time" {
		share, what = w.times.Path(hot.ID), "time, with what was called on it"
	}
	text := fmt.Sprintf("%s·%s has %s of the %s", hot.ID.Func.Name, hot.ID.Name(), listing.Percent(share), what)
	if t.Unseen > 0 && what == t.Order {
		text += ", bounds " + bounds(low, high)
	}
	list = append(list, Finding{Kind: hotPath, Text: text, Share: share, Func: hot.ID.Func.Name, File: hot.ID.Func.File,
		Line: hot.EndLine, Command: t.listOf(hot.ID.Func)})
	return append(list, t.oneSided(hot, selected)...)
}

// oneSided finds the branches on a path that nearly always go the way that they go there, the most frequent first.
func (t *TopTable) oneSided(hot profile.Path, paths []profile.Path) (list []Finding) {
	type way struct {
		at      profile.Decision
		outcome string
	}
	counts, seen := map[way]int64{}, map[profile.Decision]int64{}
	all := map[profile.Decision]int64{}
	for _, p := range paths {
		if p.ID.Func != hot.ID.Func {
			continue
		}
		for _, d := range p.Branches {
			at := d
			at.Outcome = ""
			counts[way{at, d.Outcome}] += p.Count
			all[at] += p.Count
			seen[at] += p.Recorded()
		}
	}
	for _, d := range hot.Branches {
		at := d
		at.Outcome = ""
		share := listing.Ratio(counts[way{at, d.Outcome}], all[at])
		if share < oneSided || seen[at] < oneSidedSeen {
			continue
		}
		file := fileOf(hot.ID.Func, d)
		text := fmt.Sprintf("%s at %s goes to %s in %s of %s", d.Kind, place(base(file), d.Line, d.Col), d.Outcome,
			listing.Percent(share), listing.Count(seen[at], t.seenThing()))
		list = append(list, Finding{Kind: oneSidedBranch, Text: text, Share: share, Func: hot.ID.Func.Name, File: file,
			Line: d.Line, Command: t.listOf(hot.ID.Func)})
	}
	slices.SortStableFunc(list, func(x, y Finding) int { return cmp.Compare(y.Share, x.Share) })
	return slices.CompactFunc(list, func(x, y Finding) bool { return x.Text == y.Text })
}

func (t *TopTable) seenThing() string {
	if t.Unseen > 0 {
		return "sample"
	}
	return "execution"
}

// listOf is the command that shows a function with the counts of its branches.
func (t *TopTable) listOf(fn profile.Func) string {
	file := t.Profile.File
	if mark := "." + string(schema.Paths) + "."; strings.Contains(file, mark) {
		return "pep list " + quoted(fn.Name) + " " + quoted(file) // of the edges of that run
	}
	return "pep list " + quoted(fn.Name)
}

// quoted is a word as a shell reads it.
func quoted(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-@:+,") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func base(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

// find returns the range with most events in it, not counting hot ranges in it.
func (t *RangeTable) find() (list []Finding) {
	for _, s := range t.Sources {
		for _, r := range s.Rows {
			x := Finding{Kind: hotRange, Text: fmt.Sprintf("%s of %s has %s of the events", shortNames(r.Text), s.Kind,
				listing.Percent(r.WeightShare)), Share: r.WeightShare, Func: s.Func, File: s.File}
			if list == nil || x.Share > list[0].Share {
				list = []Finding{x}
			}
		}
	}
	return list
}

// find returns the heaviest call.
func (t *PGOTable) find() []Finding {
	if len(t.Rows) == 0 {
		return nil
	}
	c := t.Rows[0]
	return []Finding{{Kind: hotCall, Text: fmt.Sprintf("%s calls %s with %s of the weight", c.Caller, c.Callee,
		listing.Percent(c.Share)), Share: c.Share, Func: c.Caller, File: c.File, Line: c.Line}}
}

// find returns the findings of what taps have seen.
func (t *ValueTable) find() (list []Finding) {
	if o := t.Profile.unseenTime(); o.most() {
		list = append(list, Finding{Kind: timeOutside, Text: t.Profile.sayTime(o), Share: o.share})
	}
	for _, x := range t.Specialise {
		list = append(list, Finding{Kind: specialisation,
			Text:  fmt.Sprintf("%s in %s of %s", x.Condition, listing.Percent(x.Share), t.about(x.Events)),
			Share: x.Share, Func: x.Func, File: x.File, Line: x.Line,
			Command: "pep values -func " + quoted(x.Func) + " " + quoted(t.Profile.File)})
	}
	return list
}

// find returns the outcomes that branches never had, the most frequent branches first.
func (l *Listing) find() (list []Finding) {
	if o := l.Profile.unseenTime(); o.most() {
		list = append(list, Finding{Kind: timeOutside, Text: l.Profile.sayTime(o), Share: o.share})
	}
	type never struct {
		count int64
		Finding
	}
	var all []never
	for _, x := range l.Functions {
		for _, line := range x.Lines {
			for _, b := range line.Branches {
				for _, o := range b.Outcomes {
					if b.State != string(annotate.Seen) || o.State != string(annotate.Never) || o.ShareHigh > rare {
						continue
					}
					text := fmt.Sprintf("%s at %s is never %s", b.Kind, place(base(line.File), b.Line, b.Col), o.Outcome)
					if l.Estimated {
						text += fmt.Sprintf(" in any sample, so in %s at most", listing.Percent(o.ShareHigh))
					} else {
						text += fmt.Sprintf(", in %s", listing.Count(b.Count, "execution"))
					}
					all = append(all, never{b.Reconciled,
						Finding{Kind: neverTaken, Text: text, Share: o.ShareHigh, Func: x.Func, File: line.File, Line: b.Line}})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(x, y never) int { return cmp.Compare(y.count, x.count) })
	for _, x := range all[:min(mostNever, len(all))] {
		list = append(list, x.Finding)
	}
	return list
}
