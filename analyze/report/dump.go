package report

// This file lists every sample of a file.

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
)

// A DumpTable has every sample of a file, in an order that depends on nothing but
// the content. A file has samples of one of the first three sorts.
type DumpTable struct {
	Profile   Profile    `json:"profile"`
	Estimated bool       `json:"estimated"`
	Paths     []DumpPath `json:"paths"` // samples of a paths file
	Edges     []DumpEdge `json:"edges"` // samples of an edges file
	Words     []DumpWord `json:"words"` // samples of other files
	Unended   []Unended  `json:"unended"`
	Ticks     []DumpTick `json:"ticks"` // of a paths file
}

// A DumpTick is CPU time on a stack.
type DumpTick struct {
	Func      string   `json:"function"`
	File      string   `json:"file"`
	StartLine int64    `json:"start_line" unit:"line"`
	Line      int64    `json:"line" unit:"line"`
	CPU       int64    `json:"cpu" unit:"ns"`
	Callers   []Caller `json:"callers"`
}

// A DumpPath is a sample of a paths file.
type DumpPath struct {
	Func      string       `json:"function"`
	File      string       `json:"file"`
	StartLine int64        `json:"start_line" unit:"line"`
	Path      string       `json:"path"`
	EndFile   string       `json:"end_file"`
	EndLine   int64        `json:"end_line" unit:"line"`
	Count     int64        `json:"count" unit:"times"`
	Flow      int64        `json:"flow" unit:"branches"`
	Samples   int64        `json:"samples" unit:"samples"`
	Variance  int64        `json:"variance" unit:"times^2"`
	From      string       `json:"from"`
	Lines     string       `json:"lines"`
	Branches  []DumpBranch `json:"branches"`
	Callers   []Caller     `json:"callers"`
	Labels    []DumpLabel  `json:"labels"`
}

// A DumpLabel is a label that runtime/pprof has given the goroutine.
type DumpLabel struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A DumpBranch is a branch on a DumpPath.
type DumpBranch struct {
	File    string `json:"file"`
	Line    int64  `json:"line" unit:"line"`
	Col     int64  `json:"column" unit:"column"`
	Kind    string `json:"kind"`
	Outcome string `json:"outcome"`
}

// A DumpEdge is a sample of an edges file.
type DumpEdge struct {
	Func      string      `json:"function"`
	File      string      `json:"file"`
	StartLine int64       `json:"start_line" unit:"line"`
	Branch    string      `json:"branch"`
	Kind      string      `json:"kind"`
	Outcome   string      `json:"outcome"`
	LineFile  string      `json:"line_file"`
	Line      int64       `json:"line" unit:"line"` // that the edge leads to
	Count     int64       `json:"count" unit:"times"`
	Samples   int64       `json:"samples" unit:"samples"`
	Variance  int64       `json:"variance" unit:"times^2"`
	Callers   []Caller    `json:"callers"`
	Labels    []DumpLabel `json:"labels"`

	Independent int64 `json:"independent" unit:"samples"`
}

// A DumpWord is a sample of a values, types or call targets file.
type DumpWord struct {
	Func       string `json:"function"`
	File       string `json:"file"`
	StartLine  int64  `json:"start_line" unit:"line"`
	Pool       string `json:"pool"`
	Line       int64  `json:"line" unit:"line"` // of the tap; of a range of code the first one's
	Site       string `json:"site"`
	Kind       string `json:"kind"`
	Expr       string `json:"expression"`
	Type       string `json:"type"`
	Value      string `json:"value"`
	Words      string `json:"words"`
	Low        string `json:"low"`
	High       string `json:"high"`
	Address    bool   `json:"address"` // the label `form` is
	LowFunc    string `json:"low_function"`
	HighFunc   string `json:"high_function"`
	HighFile   string `json:"high_file"`
	LowLine    int64  `json:"low_line" unit:"line"`
	HighLine   int64  `json:"high_line" unit:"line"`
	TargetFile string `json:"target_file"`
	TargetLine int64  `json:"target_line" unit:"line"`
	Count      int64  `json:"count" unit:"events"`
	Messages   int64  `json:"messages" unit:"messages"`
	Wait       int64  `json:"wait" unit:"ns"`

	Labels []DumpLabel `json:"labels"`
}

// A Caller is a line in a function that called.
type Caller struct {
	Func string `json:"function"`
	File string `json:"file"`
	Line int64  `json:"line" unit:"line"` // of the call
}

// Dump lists everything in a file. As text it is a line per fact and then a line
// per sample, which package proftest reads back into a profile,
//
//	profile paths
//	comment "#pep.version=1 mode=exact"
//	binary /bin/app
//	build 5eed
//	period 1 paths/count
//	path func=main.sign at=/src/app/sign.go:10 path=p0 end=12 count=7 flow=7 from=entry lines=10-12 branches="11:2 if true" callers=""
//
// or for CPU time that ticks found
//
//	tick func=main.sign at=/src/app/sign.go:10 line=11 cpu=10000000 callers="main.main /src/app/main.go:9"
//
// or in an edges file
//
//	edge func=main.sign at=/src/app/sign.go:10 branch=sign.go:11:2 kind=if outcome=true line=12 count=7 callers="main.main /src/app/main.go:9" labels="handler=/users method=GET"
//
// or in an exact one of these for paths that have not ended
//
//	unended func=main.sign at=/src/app/sign.go:10 from=entry line=10 count=1
//
// or in a values, types or call targets file
//
//	word func=main.sign at=/src/app/sign.go:10 site=sign.go:11:5 kind=arg expr=n type=int value=-1 target="" count=7 messages=7
//
// or of an engine that counts ranges of all taps of a kind
//
//	word func="(all arg taps)" at=:0 pool=words line=0 kind=arg expr=word type=int value="[-4, -1]" words=0xfffffffffffffffc-0xffffffffffffffff low=-4 high=-1 target="" count=7 messages=1
//
// Samples of goroutines without labels have no labels. Values with other than plain characters are quoted as in Go.
func Dump(f *profile.File) (*DumpTable, error) {
	t := &DumpTable{Profile: profileOf(f), Estimated: f.Estimated()}
	var err error
	switch f.Kind {
	case schema.Paths:
		if err = t.addPaths(f); err == nil {
			err = t.addTicks(f)
		}
	case schema.Edges:
		err = t.addEdges(f)
	default:
		return t, t.addWords(f)
	}
	if err == nil {
		t.Unended, err = unendedOf(f, nil)
	}
	return t, err
}

func (t *DumpTable) addPaths(f *profile.File) error {
	paths, err := f.Paths()
	slices.SortStableFunc(paths, func(p, q profile.Path) int {
		return cmp.Or(p.ID.Compare(q.ID), cmp.Compare(callers(p.Callers), callers(q.Callers)),
			cmp.Compare(labelsText(labelsOf(p.Labels)), labelsText(labelsOf(q.Labels))), cmp.Compare(p.Count, q.Count))
	})
	for _, p := range paths {
		x := DumpPath{
			Func: p.ID.Func.Name, File: p.ID.Func.File, StartLine: p.ID.Func.StartLine, Path: p.ID.Name(),
			EndFile: otherFile(p.ID.Func, p.EndFile), EndLine: p.EndLine,
			Count: p.Count, Flow: p.Flow, Samples: p.Samples, Variance: p.Variance, From: p.From.In(p.ID.Func), Lines: p.Lines,
			Callers: callersOf(p.Callers),
			Labels:  labelsOf(p.Labels),
		}
		for _, d := range p.Branches {
			x.Branches = append(x.Branches, DumpBranch(d))
		}
		t.Paths = append(t.Paths, x)
	}
	return err
}

func (t *DumpTable) addTicks(f *profile.File) error {
	ticks, err := f.Ticks()
	for _, x := range ticks {
		in := x.Frames[0]
		t.Ticks = append(t.Ticks, DumpTick{in.Func.Name, in.Func.File, in.Func.StartLine, in.Line, x.Time,
			callersOf(x.Frames[1:])})
	}
	slices.SortStableFunc(t.Ticks, func(x, y DumpTick) int {
		return cmp.Or(cmp.Compare(x.Func, y.Func), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line),
			cmp.Compare(callersText(x.Callers), callersText(y.Callers)), cmp.Compare(x.CPU, y.CPU))
	})
	return err
}

func (t *DumpTable) addEdges(f *profile.File) error {
	edges, err := f.Edges()
	slices.SortStableFunc(edges, func(e, g profile.Edge) int {
		return cmp.Or(e.Branch.Compare(g.Branch), cmp.Compare(e.Outcome, g.Outcome), cmp.Compare(e.Line, g.Line),
			cmp.Compare(callers(e.Callers), callers(g.Callers)),
			cmp.Compare(labelsText(labelsOf(e.Labels)), labelsText(labelsOf(g.Labels))), cmp.Compare(e.Count, g.Count))
	})
	for _, e := range edges {
		fn := e.Branch.Func
		t.Edges = append(t.Edges, DumpEdge{fn.Name, fn.File, fn.StartLine, e.Branch.Pos.String(), e.Kind, e.Outcome,
			otherFile(fn, e.File), e.Line, e.Count, e.Samples, e.Variance, callersOf(e.Callers), labelsOf(e.Labels),
			e.Independent})
	}
	return err
}

func (t *DumpTable) addWords(f *profile.File) error {
	words, err := f.Words()
	slices.SortStableFunc(words, func(v, w profile.Word) int {
		return cmp.Or(v.Site.Compare(w.Site), cmp.Compare(v.Value, w.Value), v.Target.Compare(w.Target),
			cmp.Compare(labelsText(labelsOf(v.Labels)), labelsText(labelsOf(w.Labels))), cmp.Compare(v.Count, w.Count))
	})
	for _, w := range words {
		fn := w.Site.Func
		x := DumpWord{
			Pool: w.Site.Pool, Line: w.Line, Kind: w.Site.Kind, Expr: w.Site.Expr, Type: w.Site.Type, Value: w.Value,
			TargetFile: w.Target.File, TargetLine: w.Target.StartLine, Count: w.Count, Messages: w.Messages, Wait: w.Wait,
			Labels: labelsOf(w.Labels),
			Low:    w.Low, High: w.High, Address: w.Address,
		}
		if c := w.Code; c != nil {
			x.LowFunc, x.HighFunc, x.LowLine, x.HighLine = c.FirstFunc, c.LastFunc, c.Low, c.High
			if !c.OneFile {
				x.HighFile = c.LastFile
			}
		}
		switch {
		case x.Pool == "":
			x.Site = w.Site.Pos.String()
		case w.Target.Name != "": // a range of code: the function is that of the sample
			fn, x.TargetFile, x.TargetLine = w.Target, "", 0
			x.Value = strings.TrimPrefix(x.Value, fn.Name+" ")
		}
		x.Func, x.File, x.StartLine = fn.Name, fn.File, fn.StartLine
		if w.Range != nil {
			x.Words = fmt.Sprintf("%#x-%#x", w.Range.First, w.Range.Last)
		}
		t.Words = append(t.Words, x)
	}
	return err
}

func callersOf(frames []profile.Frame) (list []Caller) {
	for _, f := range frames {
		list = append(list, Caller{f.Func.Name, f.Func.File, f.Line})
	}
	return list
}

func callers(frames []profile.Frame) string { return callersText(callersOf(frames)) }

func labelsOf(labels []profile.Label) (list []DumpLabel) {
	for _, l := range labels {
		list = append(list, DumpLabel(l))
	}
	return list
}

// Name implements listing.Listing.
func (t *DumpTable) Name() string { return "dump" }

// Print implements listing.Listing.
func (t *DumpTable) Print(p *listing.Page) {
	estimated := func(string, ...any) string { return "" }
	if t.Estimated {
		estimated = func(format string, values ...any) string { return fmt.Sprintf(" "+format, values...) }
	}
	p.Whole("profile %s%s", t.Profile.Kind, estimated("estimated"))
	for _, c := range slices.Concat(t.Profile.others, t.Profile.Facts) {
		p.Whole("comment %q", c)
	}
	p.Whole("binary %s", quote(t.Profile.Program))
	p.Whole("build %s", quote(t.Profile.Build))
	p.Whole("period %d %s/%s", t.Profile.Period, t.Profile.PeriodType, t.Profile.PeriodUnit)
	for _, x := range t.Paths {
		var branches []string
		for _, b := range x.Branches {
			branches = append(branches, place(b.File, b.Line, b.Col)+" "+b.Kind+" "+b.Outcome)
		}
		p.Whole("path func=%s at=%s path=%s end=%s count=%d flow=%d%s from=%s lines=%s branches=%s callers=%s%s",
			quote(x.Func), at(x.File, x.StartLine), quote(x.Path), line(x.EndFile, x.EndLine), x.Count, x.Flow,
			estimated("samples=%d variance=%d", x.Samples, x.Variance),
			quote(x.From), quote(x.Lines), quote(strings.Join(branches, "; ")), quote(callersText(x.Callers)),
			labelsText(x.Labels))
	}
	for _, x := range t.Ticks {
		p.Whole("tick func=%s at=%s line=%d cpu=%d callers=%s", quote(x.Func), at(x.File, x.StartLine), x.Line, x.CPU,
			quote(callersText(x.Callers)))
	}
	for _, x := range t.Edges {
		p.Whole("edge func=%s at=%s branch=%s kind=%s outcome=%s line=%s count=%d%s callers=%s%s",
			quote(x.Func), at(x.File, x.StartLine), quote(x.Branch), quote(x.Kind), quote(x.Outcome), line(x.LineFile, x.Line),
			x.Count,
			estimated("samples=%d variance=%d independent=%d", x.Samples, x.Variance, x.Independent),
			quote(callersText(x.Callers)), labelsText(x.Labels))
	}
	for _, x := range t.Unended {
		p.Whole("unended func=%s at=%s from=%s line=%d count=%d", quote(x.Func), at(x.File, x.StartLine), quote(x.From),
			x.Line, x.Count)
	}
	for _, x := range t.Words {
		target := quote("")
		if t.Profile.Kind == schema.CallTargets {
			target = at(x.TargetFile, x.TargetLine)
		}
		place := "site=" + quote(x.Site)
		if x.Pool != "" {
			place = fmt.Sprintf("pool=%s line=%d", quote(x.Pool), x.Line)
		}
		words := ""
		if x.Words != "" {
			words = " words=" + x.Words
		}
		if x.Low != "" {
			words += " low=" + x.Low + " high=" + x.High
		}
		if x.Address {
			words += " form=" + schema.Address
		}
		if x.LowFunc != "" {
			words += fmt.Sprintf(" low_function=%s high_function=%s high_file=%s low_line=%d high_line=%d", quote(x.LowFunc),
				quote(x.HighFunc), quote(x.HighFile), x.LowLine, x.HighLine)
		}
		if t.Profile.Kind == schema.Loads {
			words += fmt.Sprintf(" wait=%d", x.Wait)
		}
		p.Whole("word func=%s at=%s %s kind=%s expr=%s type=%s value=%s%s target=%s count=%d messages=%d%s",
			quote(x.Func), at(x.File, x.StartLine), place, quote(x.Kind), quote(x.Expr), quote(x.Type), quote(x.Value), words,
			target, x.Count, x.Messages, labelsText(x.Labels))
	}
}

// line is only the number in the function's file.
func line(file string, line int64) string {
	if file == "" {
		return fmt.Sprint(line)
	}
	return at(file, line)
}

// otherFile returns the file if it is not the function's, which is what a //line directive makes of it.
func otherFile(fn profile.Func, file string) string {
	if file == fn.File {
		return ""
	}
	return file
}

func at(file string, line int64) string { return quote(fmt.Sprintf("%s:%d", file, line)) }

func callersText(callers []Caller) string {
	var texts []string
	for _, c := range callers {
		texts = append(texts, fmt.Sprintf("%s %s:%d", c.Func, c.File, c.Line))
	}
	return strings.Join(texts, "; ")
}

// labelsText is "" if there are no labels.
func labelsText(labels []DumpLabel) string {
	if len(labels) == 0 {
		return ""
	}
	var texts []string
	for _, l := range labels {
		texts = append(texts, quote(l.Key)+"="+quote(l.Value))
	}
	return " labels=" + quote(strings.Join(texts, " "))
}

// quote quotes a value unless it can be read as one value without quotes.
func quote(s string) string {
	q := strconv.Quote(s)
	if s == "" || strings.ContainsAny(s, " =") || q != `"`+s+`"` {
		return q
	}
	return s
}
