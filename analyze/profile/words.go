package profile

// This file defines the samples of taps, and takes them out of a file.

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/schema"
)

// A Site is a tap of a program, or all taps of a kind if the engine pooled them: then
// Pool says what their words are (schema.PoolWords, PoolSites or PoolCode), and there is
// no Pos. The Func of a pool has a name alone.
type Site struct {
	Pool string
	Func Func
	Pos  Pos
	Kind string // "arg", "load", "type", "call", …
	Expr string // the expression whose value it reports
	Type string // its type
}

// Compare orders sites by position.
func (s Site) Compare(t Site) int {
	return cmp.Or(cmp.Compare(s.Func.File, t.Func.File), cmp.Compare(s.Pos.Line, t.Pos.Line),
		cmp.Compare(s.Pos.Col, t.Pos.Col),
		s.Func.Compare(t.Func), cmp.Compare(s.Kind, t.Kind), cmp.Compare(s.Expr, t.Expr), cmp.Compare(s.Pool, t.Pool))
}

// A Word is one sample of a values, types, call targets, deps, contexts or loads file: a value, type
// or function that a tap reported, a store or a branch, a calling context, or where loads were from.
type Word struct {
	Site     Site
	Value    string // a value, the name of a type, or that of a function
	Target   Func   // of a call; of a range of code the function that it is in
	Line     int64  // of the tap; of a range of code the first one's
	Count    int64  // how often, estimated if the file is not exact
	Messages int64  // in how many messages; of loads, how many were timed
	Wait     int64  // how long the program waited for loads, in ns; else 0

	Labels []Label // that runtime/pprof has given the goroutines that reported it, by key

	// The profile's own bounds for the count, for its share of the site's events, and for how far the share may
	// be below the estimate, squared; 0 if it has none.
	countSquare, shareSquare, belowSquare float64

	// Of one word of each instruction that loads: bounds of its share in all waits, times these, in ns², squared.
	waitSquare, waitBelowSquare float64

	// Range is the words that the sample is about, nil if the profile does not say
	// so: then every sample is of one word. Within is the count of the range with
	// those of all narrower ranges and words in it. SumSites computes it.
	Range  *Range
	Within int64

	// Low and High are the values of the first and the last word of Range if these are integers, addresses or nil,
	// else "". Address says that the value is an address.
	Low, High string
	Address   bool

	Code *Code // of a range of code; else nil
}

// Words returns the samples of a values, types, call targets, deps, contexts or loads file, in
// the file's order.
func (f *File) Words() ([]Word, error) {
	return each(f, all, f.newWord, schema.Values, schema.Types, schema.CallTargets, schema.Deps, schema.Contexts,
		schema.Loads)
}

func (f *File) newWord(s *pprof.Sample) (Word, error) {
	l := labels{s: s}
	w := Word{
		Site: Site{Pool: l.get(schema.Pool), Kind: l.need(schema.TapKind), Expr: l.need(schema.Expr),
			Type: l.get(schema.Type)},
		Count:    s.Value[0],
		Messages: s.Value[1],
		Labels:   l.ofGoroutine(),

		countSquare: square(s, schema.CountError, 1),
		shareSquare: square(s, schema.ShareError, 1e-6),
		belowSquare: square(s, schema.ShareBelow, 1e-6),
	}
	if w.Site.Pool == "" && f.Kind != schema.Loads {
		w.Site.Pos = l.pos(schema.Site)
	}
	frames := frames(s)
	want := 1
	switch f.Kind {
	case schema.Values, schema.Deps, schema.Contexts:
		w.Value = strings.TrimPrefix(l.need(schema.Value), schema.ValueText(w.Site.Expr, ""))
	case schema.Types:
		w.Value, w.Site.Type = l.need(schema.Type), l.get(schema.Static)
	case schema.CallTargets:
		want = 2
	case schema.Loads:
		w.Value, w.Wait = strings.TrimPrefix(l.need(schema.Value), schema.ValueText(schema.Latency, "")), s.Value[2]
		w.waitSquare, w.waitBelowSquare = square(s, schema.WaitError, 1), square(s, schema.WaitBelow, 1)
	}
	w.Range = l.words()
	w.Low = l.get(schema.Low)
	w.High = cmp.Or(l.get(schema.High), w.Low)
	w.Address = l.get(schema.Form) == schema.Address
	if l.err == nil && len(frames) < want {
		l.err = fmt.Errorf("stack of %d frames, want %d", len(frames), want)
	}
	if l.err != nil {
		return Word{}, l.err
	}
	w.Site.Func, w.Line = frames[want-1].Func, frames[want-1].Line
	if f.Kind == schema.Loads {
		w.Site.Pos = Pos{File: filepath.Base(w.Site.Func.File), Line: w.Line}
	}
	if w.Site.Pool != "" {
		w.pooled(&l)
		return w, l.err
	}
	if f.Kind == schema.CallTargets {
		w.Target = frames[0].Func
		w.Value = w.Target.Name
	}
	return w, nil
}

// square returns the square of a label's number, in a unit, 0 if there is none.
func square(s *pprof.Sample, key string, unit float64) float64 {
	n := s.NumLabel[key]
	if len(n) == 0 {
		return 0
	}
	return float64(n[0]) * unit * float64(n[0]) * unit
}

// pooled makes w, which has the function of its sample, a word of a pool. A range of
// code has its function in its text, so that its value says where it is.
func (w *Word) pooled(l *labels) {
	if w.Site.Pool != schema.PoolWords && w.Value != schema.Other {
		w.Target = w.Site.Func
		w.Code = l.code(w.Target)
		w.Value = w.Target.Name + " " + w.Value
	}
	w.Site.Func = Func{Name: "(all " + w.Site.Kind + " taps)"}
}

// A Seen is a site with the words that its tap has reported, the most frequent first. The
// word (other), which stands for all words that were not told apart, comes last.
type Seen struct {
	Site     Site
	Words    []Word
	Count    int64
	Messages int64
	Wait     int64

	waitSquare, waitBelowSquare float64 // see Word
}

// A wordKey tells words of different sites and values apart.
type wordKey struct {
	site   Site
	value  string
	words  Range // values of different ranges may have the same text
	target Func
}

func (w *Word) key() wordKey {
	k := wordKey{site: w.Site, value: w.Value, target: w.Target}
	if w.Range != nil {
		k.words = *w.Range
	}
	return k
}

// SumSites adds up words of the same site and value, whatever the labels of the goroutines were. The
// sites with most events come first, those of loads for which the program waited longest.
func SumSites(words []Word) []Seen {
	index := make(map[Site]int)
	at := make(map[wordKey]int)
	var list []Seen
	for _, w := range words {
		i, ok := index[w.Site]
		if !ok {
			i = len(list)
			index[w.Site] = i
			list = append(list, Seen{Site: w.Site})
		}
		s := &list[i]
		s.Count += w.Count
		s.Messages += w.Messages
		s.Wait += w.Wait
		s.waitSquare += w.waitSquare // errors of different runs are independent
		s.waitBelowSquare += w.waitBelowSquare
		j, ok := at[w.key()]
		if !ok {
			at[w.key()] = len(s.Words)
			s.Words = append(s.Words, w)
			continue
		}
		s.Words[j].addErrors(w)
		s.Words[j].Count += w.Count
		s.Words[j].Messages += w.Messages
		s.Words[j].Wait += w.Wait
	}
	for _, s := range list {
		s.addUpRanges()
		slices.SortFunc(s.Words, func(v, w Word) int {
			return cmp.Or(compareBool(v.Value == schema.Other, w.Value == schema.Other), cmp.Compare(w.Count, v.Count),
				cmp.Compare(v.Value, w.Value), v.Target.Compare(w.Target))
		})
	}
	slices.SortFunc(list, func(s, t Seen) int {
		return cmp.Or(cmp.Compare(t.Wait, s.Wait), cmp.Compare(t.Count, s.Count), s.Site.Compare(t.Site))
	})
	return list
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// confidence is a number of standard deviations: 95 % of a normal distribution lie
// within so many around its mean.
const confidence = 1.96

// addErrors adds the bounds of w, which is of another run, to those of v. Errors of
// different runs are independent. The share of both runs is the mean of their shares,
// by their counts.
func (v *Word) addErrors(w Word) {
	all := math.Max(float64(v.Count+w.Count), 1)
	p, q := float64(v.Count)/all, float64(w.Count)/all
	v.shareSquare = p*p*v.shareSquare + q*q*w.shareSquare
	v.belowSquare = p*p*v.belowSquare + q*q*w.belowSquare
	v.countSquare += w.countSquare
}

// CountError returns the bound of the error of w's count: the true count is within it
// with 95 % confidence. The profile has it if windows noted the word. Otherwise it is
// 1.96·count/√samples, if samples come at random (Poisson). Stratified samplers do better.
func (w Word) CountError(period int64) float64 {
	if w.countSquare > 0 {
		return math.Sqrt(w.countSquare)
	}
	return confidence * float64(w.Count) / math.Sqrt(samples(w.Count, w.Messages, period))
}

// ShareBounds returns the bounds of w's share of the events at its site, with 95 % confidence.
func (s Seen) ShareBounds(w Word, period int64) Bounds {
	share := float64(w.Count) / float64(max(s.Count, 1))
	if w.shareSquare > 0 || w.belowSquare > 0 {
		return Bounds{Low: max(share-math.Sqrt(w.belowSquare), 0), High: min(share+math.Sqrt(w.shareSquare), 1)}
	}
	e := s.ShareError(w, period)
	return Bounds{Low: max(share-e, 0), High: min(share+e, 1)}
}

// ShareError returns the bound, in the same sense, of the error of w's share p of
// the events at its site: the larger one of both sides if the profile says how far it may be
// below and above, otherwise 1.96·√(p(1-p)/M) for M
// samples of the site (binomial), and 3/M if that is 0.
func (s Seen) ShareError(w Word, period int64) float64 {
	if e := max(w.shareSquare, w.belowSquare); e > 0 {
		return math.Min(math.Sqrt(e), 1)
	}
	p, m := float64(w.Count)/float64(max(s.Count, 1)), samples(s.Count, s.Messages, period)
	if e := confidence * math.Sqrt(p*(1-p)/m); e > 0 {
		return min(e, 1)
	}
	return min(3/m, 1)
}

// WaitError returns by how many ns the waits at the site may be off: the bound of their share in all waits, as that of
// ShareError, times all waits. It is the larger one of both sides, and 0 if the profile does not have it.
func (s Seen) WaitError() int64 { return int64(math.Sqrt(max(s.waitSquare, s.waitBelowSquare))) }

// samples returns how many samples a number of events stands for, if a sample stands for
// period events. A message has several samples if the engine adds up before it sends:
// H[P256]2048+A16 sends 16 samples of a word in one message, or so. And a
// message that is sent before its period is over is a sample, too.
func samples(events, messages, period int64) float64 {
	return float64(max(events/max(period, 1), messages, 1))
}
