package report

// This file lists source with counts beside it.

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/internal/listing"
)

// A Listing is the source of functions with counts.
type Listing struct {
	Findings  []Finding  `json:"findings"`
	Profile   Profile    `json:"profile"`
	Functions []Function `json:"functions"` // those with most flow first
	// functions none of whose paths the code of the program tells
	Untold    []UntoldFunction `json:"untold"`
	Estimated bool             `json:"estimated"`
	Missing   []string         `json:"source_not_found"`
}

// An UntoldFunction is a function none of whose paths the code of a program with windows tells, with the cause.
type UntoldFunction struct {
	Func  string `json:"function"`
	Cause string `json:"cause"`
}

// A Function is a function of a Listing.
type Function struct {
	Func      string `json:"function"`
	File      string `json:"file"`
	StartLine int64  `json:"start_line" unit:"line"`
	Calls     int64  `json:"calls" unit:"times"`       // paths that begin at its entry, reconciled
	Branches  int    `json:"branches" unit:"branches"` // that were recorded
	Decided   int64  `json:"decided" unit:"times"`     // sum of their reconciled counts
	// counts were made to fit each other: as much comes out of a loop as goes into it. If not, `reconciled` below
	// are the counts
	Reconciled bool      `json:"reconciled"`
	Note       string    `json:"note"` // what is wrong with source or counts
	Unended    []Unended `json:"unended"`
	// its lines, with those of other files that `//line` directives name
	Lines []Line `json:"lines"`
}

// A Line is a line of a Function: those that the profile knows of, and all of the
// function if there is source.
type Line struct {
	File   string `json:"file"`
	Line   int64  `json:"line" unit:"line"`
	Source string `json:"source"`
	// `seen`: it has a count; `ran`: what samples show cannot have run without it; `never`: in many samples
	// or an exact profile; `few`: never in few samples; `untold`: the code does not tell; `none`: no code of
	// its own, or none that is known
	State      string       `json:"state"`
	Count      int64        `json:"count" unit:"times"`
	Reconciled int64        `json:"reconciled" unit:"times"`
	Branches   []LineBranch `json:"branches"`
	Sites      []LineSite   `json:"sites"` // indirect calls and interfaces, by column
}

// A LineBranch is a branch on a Line.
type LineBranch struct {
	File       string `json:"file"`
	Line       int64  `json:"line" unit:"line"`
	Col        int64  `json:"column" unit:"column"`
	Kind       string `json:"kind"`
	State      string `json:"state"`
	Count      int64  `json:"count" unit:"times"`
	Reconciled int64  `json:"reconciled" unit:"times"`
	// with those that did not happen: of a switch only if the program's file was found
	Outcomes []LineOutcome `json:"outcomes"`
}

// A LineOutcome is one way that a LineBranch goes.
type LineOutcome struct {
	Outcome    string  `json:"outcome"`
	State      string  `json:"state"`
	Count      int64   `json:"count" unit:"times"`
	Share      float64 `json:"share" unit:"ratio"` // of the branch's count
	Reconciled int64   `json:"reconciled" unit:"times"`

	CountLow  float64 `json:"count_low" unit:"times"`
	CountHigh float64 `json:"count_high" unit:"times"`
	ShareLow  float64 `json:"share_low" unit:"ratio"`
	ShareHigh float64 `json:"share_high" unit:"ratio"`
}

// A LineSite is an indirect call on a Line, with the functions that it went to, or an interface whose type the code
// asks for, with its concrete types.
type LineSite struct {
	Col    int64       `json:"column" unit:"column"` // 0 if it is not known
	Kind   string      `json:"kind"`                 // "call", "type"
	Expr   string      `json:"expression"`
	Type   string      `json:"type"`
	Events int64       `json:"events" unit:"events"`
	Values []SiteValue `json:"values"`
}

// A SiteValue is a function or a type.
type SiteValue struct {
	Value     string  `json:"value"`
	Count     int64   `json:"count" unit:"events"`
	Share     float64 `json:"share" unit:"ratio"` // of the site's events
	ShareLow  float64 `json:"share_low" unit:"ratio"`
	ShareHigh float64 `json:"share_high" unit:"ratio"`
}

// List lists the source of the functions of a program whose names match, those with most flow
// first. As text:
//
//	count    share  line
//	    7             10  func sign(n int) int {
//	    7             11      if n < 0 {
//	    7  100.00%            ^ if true
//	    0    0.00%            ^ if false
//	    7             12          return -1
//	                  13      }
//	                  14      return 1
//	                  15  }
//
// The count beside a line says how often it ran. Beneath a line stand its branches, a caret under
// each (the operands of && and || are branches, too), with the count and share of every outcome.
// These counts are reconciled (see package annotate), so that they fit each other. Where no
// sample is, it says "ran" if what samples show proves that, and else "-", as far as the program's
// file is at hand. Without source the lines known to the profile are shown by number.
//
// Behind the branches stand the functions that an indirect call went to, and the types that an interface had:
//
//	60.00%            ^ call (*square).area
//	30.00%            ^ call (*circle).area
//	10.00%            ^ call others
func List(run *profile.Run, p *annotate.Program, src *source.Tree, funcs *regexp.Regexp) (*Listing, error) {
	unended, err := unendedOf(run.Paths, funcs)
	if err != nil {
		return nil, err
	}
	l := &Listing{Profile: profileOf(run.Edges), Estimated: run.Edges.Estimated()}
	var files []string
	never := ""
	for i, f := range p.Functions {
		if !funcs.MatchString(f.Name) {
			continue
		}
		mine := slices.DeleteFunc(slices.Clone(unended), func(u Unended) bool {
			return u.Func != f.Name || u.File != f.File || u.StartLine != f.Line
		})
		if f.State != annotate.Seen && f.State != annotate.Ran && len(mine) == 0 {
			never = f.Name
			if f.State == annotate.Untold {
				l.Untold = append(l.Untold, UntoldFunction{f.Name, f.Untold})
			}
			continue
		}
		d, err := p.Detail(i)
		if err != nil {
			return nil, err
		}
		x := functionOf(f, d)
		x.Unended = mine
		if !src.Has(f.File) {
			x.Note = "" // Missing says it
		}
		l.Functions = append(l.Functions, x)
		files = append(files, f.File)
		for _, line := range x.Lines {
			files = append(files, line.File)
		}
	}
	if len(l.Functions) == 0 {
		if l.Untold != nil {
			return nil, fmt.Errorf("%s: %s", run.Paths.Name, l.untoldFunctions())
		}
		if never != "" {
			return nil, fmt.Errorf("%s: %s did not run, or no sample shows it: pep list . shows all that are seen",
				run.Paths.Name, never)
		}
		return nil, fmt.Errorf("%s: no function that ran matches %q: pep list . shows all", run.Paths.Name, funcs)
	}
	l.Missing = missingSource(src, files)
	l.Findings = l.find()
	return l, nil
}

func functionOf(f *annotate.Function, d *annotate.Detail) Function {
	x := Function{Func: f.Name, File: f.File, StartLine: f.Line, Calls: d.Entries, Reconciled: d.Reconciled, Note: d.Note}
	branches, taps := d.Branches, d.Taps
	for _, line := range d.Lines {
		y := Line{File: cmp.Or(line.File, f.File), Line: line.Line, State: string(line.State), Count: line.Raw,
			Reconciled: line.Count}
		for _, r := range line.Text {
			y.Source += r[1]
		}
		for len(branches) > 0 && branches[0].File == line.File && branches[0].Line == line.Line {
			b := lineBranch(f, &branches[0])
			if b.State == string(annotate.Seen) {
				x.Branches++
				x.Decided += b.Reconciled
			}
			y.Branches = append(y.Branches, b)
			branches = branches[1:]
		}
		for len(taps) > 0 && (taps[0].File < line.File || taps[0].File == line.File && taps[0].Line <= line.Line) {
			if t := &taps[0]; t.IsSite() && t.File == line.File && t.Line == line.Line {
				y.Sites = append(y.Sites, lineSite(t))
			}
			taps = taps[1:]
		}
		x.Lines = append(x.Lines, y)
	}
	return x
}

func lineBranch(f *annotate.Function, b *annotate.Branch) LineBranch {
	x := LineBranch{File: cmp.Or(b.File, path.Base(f.File)), Line: b.Line, Col: b.Col, Kind: b.Kind,
		State: string(b.State), Reconciled: b.Count}
	for _, o := range b.Outcomes {
		x.Count += o.Raw
	}
	for _, o := range b.Outcomes {
		x.Outcomes = append(x.Outcomes, LineOutcome{
			Outcome: o.Name, State: string(o.State), Count: o.Raw, Share: listing.Ratio(o.Raw, x.Count), Reconciled: o.Count,
			CountLow: o.RawBounds.Low, CountHigh: o.RawBounds.High, ShareLow: o.Low, ShareHigh: o.High,
		})
	}
	return x
}

func lineSite(t *annotate.Tap) LineSite {
	x := LineSite{Col: t.Col, Kind: t.Kind, Expr: t.Expr, Type: t.Type, Events: t.Events}
	for _, v := range t.Values {
		x.Values = append(x.Values, SiteValue{Value: v.Text, Count: v.Count, Share: v.Share, ShareLow: v.Low,
			ShareHigh: v.High})
	}
	return x
}

// joined returns how many branches stand for two comparisons, and the kind of one of them.
func (l *Listing) joined() (n int, kind string) {
	for _, f := range l.Functions {
		for _, line := range f.Lines {
			for _, b := range line.Branches {
				if strings.HasSuffix(b.Kind, ")") {
					n++
					kind = cmp.Or(kind, b.Kind)
				}
			}
		}
	}
	return n, kind
}

// Name implements listing.Listing.
func (l *Listing) Name() string { return "list" }

// Print implements listing.Listing.
func (l *Listing) Print(p *listing.Page) {
	l.Profile.printWarning(p)
	for i := range l.Functions {
		p.Line("")
		l.Functions[i].print(p, l.Estimated, l.Profile.ran())
	}
	var notes []string
	if l.Estimated {
		notes = append(notes,
			"95%: the true share of an outcome in its branch, or of a function in its call, is within these bounds with a probability of 95%, as far as samples are random.",
			"Never seen is not never: what no sample shows may happen as often as the bound says.")
	}
	if n, kind := l.joined(); n > 0 {
		notes = append(notes, fmt.Sprintf("A kind such as %s stands for two comparisons that are one branch: %d here. With -pepmode=cover they are two.", kind, n))
	}
	if l.Untold != nil {
		notes = append(notes, l.untoldFunctions())
	}
	if l.untold() {
		notes = append(notes, untoldNote)
	}
	l.Profile.printNotes(p, notes...)
	printMissing(p, l.Missing)
}

// untoldFunctions says whose paths the code of the program does not tell.
func (l *Listing) untoldFunctions() string {
	var list []string
	for _, x := range l.Untold[:min(len(l.Untold), kindsOfTime)] {
		list = append(list, fmt.Sprintf("%s (%s)", x.Func, x.Cause))
	}
	if len(list) < len(l.Untold) {
		list = append(list, "…")
	}
	return fmt.Sprintf("the compiler has left no instructions that tell the paths of %s: %s. -pepmode=polls and -pepmode=exact tell them.",
		listing.Count(len(l.Untold), "function"), strings.Join(list, ", "))
}

// untold reports whether there is a branch whose outcomes are not told.
func (l *Listing) untold() bool {
	for _, f := range l.Functions {
		for _, line := range f.Lines {
			for _, b := range line.Branches {
				if slices.ContainsFunc(b.Outcomes, func(o LineOutcome) bool { return o.Outcome == wire.OutUntold }) {
					return true
				}
			}
		}
	}
	return false
}

func (x *Function) print(p *listing.Page, estimated bool, ran string) {
	unended := ""
	for i, u := range x.Unended {
		unended += [...]string{"; paths that have not ended: ", ", "}[min(i, 1)] + fmt.Sprintf("%d from %s", u.Count, u.From)
	}
	p.Line("%s  %s:%d, %s, decided %d times%s", x.Func, p.Short(x.File), x.StartLine, listing.Count(x.Branches, "branch"),
		x.Decided, unended)
	if x.Note != "" {
		p.Say(listing.Plain, "%s", x.Note)
	}
	t := &listing.Table{Numbers: 3}
	row := func(add func(...string), count, share, _, line, text string) { add(count, share, line, text) }
	if estimated {
		t.Numbers = 4
		row = func(add func(...string), count, share, bounds, line, text string) {
			add(count, share, bounds, line, text)
		}
	}
	row(t.Heading, "count", "share", "95%", "line", "")
	file, pkg := x.File, profile.PackageOf(x.Func)+"."
	for _, line := range x.Lines {
		if line.File != file { // by a //line directive
			file = line.File
			row(t.Row, "", "", "", "", p.Short(file)+":")
		}
		row(t.Row, countText(line.State, line.Reconciled, ran), "", "", fmt.Sprint(line.Line), detab(line.Source))
		for _, b := range line.Branches {
			for _, o := range b.Outcomes {
				share, within := "", ""
				if o.State == string(annotate.Seen) || b.Count > 0 && o.State != string(annotate.Ran) {
					share, within = listing.Percent(listing.Ratio(o.Reconciled, b.Reconciled)), bounds(o.ShareLow, o.ShareHigh)
				}
				count := countText(o.State, o.Reconciled, ran)
				if count == "-" && b.Count > 0 {
					count = "0"
				}
				row(t.Row, count, share, within, "", caret(b.Line, b.Col, line.Source, farRight)+b.Kind+" "+o.Outcome)
				t.Style(t.Numbers, outcomeStyle(o.Outcome))
			}
		}
		for _, s := range line.Sites {
			at := caret(line.Line, s.Col, line.Source, farRight/2) + s.Kind + " "
			named, others := s.named()
			for _, v := range named {
				within := ""
				if v.ShareLow < v.ShareHigh { // not all were counted
					within = bounds(v.ShareLow, v.ShareHigh)
				}
				row(t.Row, "", listing.Percent(v.Share), within, "", at+shortNames(strings.TrimPrefix(v.Value, pkg)))
			}
			if others > 0 {
				row(t.Row, "", listing.Percent(others), "", "", at+"others")
			}
		}
	}
	p.Table("", t)
}

// maxNamed is how many values of a site the text names at most.
const maxNamed = 3

// named returns the values that the text names, and the share of the others. They are those that have 95 % of the
// events. The last one is always named, as that takes no more space.
func (s *LineSite) named() (list []SiteValue, others float64) {
	left := s.Events
	for i, v := range s.Values {
		last := i == len(s.Values)-1
		if v.Value == schema.Other || !last && (i == maxNamed-1 || 20*float64(left) <= float64(s.Events)) {
			return list, listing.Ratio(left, s.Events)
		}
		list, left = append(list, v), left-v.Count
	}
	return list, 0
}

// countText is a count, or what is known without one; ran is the word for what must have run.
func countText(state string, count int64, ran string) string {
	switch annotate.State(state) {
	case annotate.Seen:
		return fmt.Sprint(count)
	case annotate.Ran:
		return ran
	case annotate.None:
		return ""
	case annotate.Untold:
		return "?"
	}
	return "-"
}

// detab replaces tabs by as many spaces as gofmt's readers mostly see.
func detab(text string) string { return strings.ReplaceAll(text, "\t", "    ") }

// farRight is the column from which on no caret stands beneath a line: the line may be cut there.
const farRight = 50

// caret is a caret under a column of a line, or line:col when that is as far to the right as a bound or the line
// is not the one shown above. Where the column is not known there is only the indentation.
func caret(line, col int64, text string, far int) string {
	indented := detab(text[:len(text)-len(strings.TrimLeft(text, " \t"))])
	switch {
	case col < 1:
		return indented
	case col > int64(len(text)):
		return fmt.Sprintf("%d:%d ", line, col)
	}
	if n := utf8.RuneCountInString(detab(text[:col-1])); n < far {
		return strings.Repeat(" ", n) + "^ "
	}
	return fmt.Sprintf("%s%d:%d ", indented, line, col)
}
