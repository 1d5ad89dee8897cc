//go:build linux && amd64

package table

// This file makes the rows of a table of counts.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/pepgo/pep/tracer/internal/probe"
)

type builder struct {
	plan    *probe.Plan
	counts  *probe.Counts
	secrets bool
	names   Names
	shared  map[string]bool // names that several of the recorded types have
}

// findShared finds the types that have one name, such as those of two functions: their rows must
// not be added up.
func (b *builder) findShared() {
	descriptors := map[string]uint64{}
	b.shared = map[string]bool{}
	for i := range b.plan.Sites {
		for j, w := range b.plan.Sites[i].Words {
			if w.As != probe.Dynamic && w.As != probe.Itab {
				continue
			}
			for _, v := range b.counts.Sites[i].Words[j].Values {
				name := b.names.Type(v.Value)
				if name == "" {
					continue
				}
				if other, ok := descriptors[name]; ok && other != v.Value {
					b.shared[name] = true
				}
				descriptors[name] = v.Value
			}
		}
	}
}

// function lists a function, given its sites.
func (b *builder) function(index int, sites []int) Function {
	fn := b.plan.Funcs[index]
	f := Function{Func: fn.Name, File: fn.File, Line: fn.Line}
	add := func(n **uint64, hits uint64) {
		if *n == nil {
			*n = new(uint64)
		}
		**n += hits
	}
	words := map[string]int{} // arguments, results, variables and lines: index into f.Sites
	put := func(key string, x Site) {
		if at, ok := words[key]; ok {
			f.Sites[at].merge(x)
			return
		}
		words[key] = len(f.Sites)
		f.Sites = append(f.Sites, x)
	}
	for _, i := range sites {
		s, c := &b.plan.Sites[i], &b.counts.Sites[i]
		switch s.Kind {
		case probe.Entry:
			add(&f.Calls, c.Hits)
			f.CallsTo = first(f.CallsTo, seconds(c.Off))
		case probe.Exit:
			add(&f.Returns, c.Hits)
			f.ReturnsTo = first(f.ReturnsTo, seconds(c.Off))
		case probe.Edge:
			x := site("branch", s, c)
			x.rows([]valued{{"jumps to " + s.Target, c.Taken}, {"goes on", c.Hits - c.Taken}})
			f.Sites = append(f.Sites, x)
			continue
		case probe.Call:
			x := site("call", s, c)
			if len(s.Words) == 0 {
				x.rows([]valued{{s.Target, c.Hits}})
			} else {
				b.word(&x, s.Words[0], c.Words[0])
			}
			f.Sites = append(f.Sites, x)
			continue
		case probe.Line:
			if !s.Again {
				put(fmt.Sprintf("line %s:%d", s.File, s.Line), site("line", s, c))
			}
		}
		for j, w := range s.Words {
			if w.As == probe.Text && !b.secrets {
				continue // its length is the next word
			}
			kind := "arg"
			switch {
			case s.Kind == probe.Exit:
				kind = "result"
			case s.Again:
				kind = "later value"
			case s.Kind == probe.Line:
				kind = "value"
			}
			x := site(kind, s, c)
			x.Expr, x.Type = w.Name, w.Type
			b.word(&x, w, c.Words[j])
			put(fmt.Sprintf("%s %s:%d %s", kind, s.File, s.Line, w.Name), x)
		}
	}
	if fn.Timed {
		f.Durations = durations(b.counts.Times[index])
	}
	return f
}

func site(kind string, s *probe.Site, c *probe.SiteCount) Site {
	return Site{Kind: kind, File: s.File, Line: s.Line, Hits: c.Hits, Off: c.Off > 0, OffAfter: seconds(c.Off),
		Slow: s.Slow}
}

// seconds returns a time in seconds, and nil for 0, which is none.
func seconds(t time.Duration) *float64 {
	if t == 0 {
		return nil
	}
	s := t.Seconds()
	return &s
}

// first returns the earlier of two times, of which nil is none.
func first(a, b *float64) *float64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// A valued is the text of a value, and its hits.
type valued struct {
	text  string
	count uint64
}

// rows makes rows of values, the most frequent first.
func (s *Site) rows(values []valued) {
	s.Rows = nil
	for _, v := range values {
		if v.count > 0 {
			s.Rows = append(s.Rows, Value{v.text, v.count, float64(v.count) / float64(s.Hits)})
		}
	}
	slices.SortStableFunc(s.Rows, func(a, b Value) int { return cmp.Compare(b.Count, a.Count) })
}

// word fills in what was recorded of a word. Different numbers can have the same text.
func (b *builder) word(s *Site, w probe.Word, c probe.WordCount) {
	var values []valued
	for _, v := range c.Values {
		values = append(values, valued{b.format(w, v.Value), v.Count})
	}
	for _, v := range c.Texts {
		text := strconv.Quote(v.Text)
		if v.Length > uint64(len(v.Text)) {
			text += fmt.Sprintf("… (%d bytes)", v.Length)
		}
		values = append(values, valued{text, v.Count})
	}
	s.rows(sum(values))
	s.Other, s.Unread = c.Other+c.Full, c.Faults
}

// merge adds what another site has recorded of the same result.
func (s *Site) merge(x Site) {
	var values []valued
	for _, v := range append(slices.Clone(s.Rows), x.Rows...) {
		values = append(values, valued{v.Value, v.Count})
	}
	s.Hits += x.Hits
	s.Other += x.Other
	s.Unread += x.Unread
	s.Off = s.Off || x.Off
	s.OffAfter = first(s.OffAfter, x.OffAfter)
	s.Slow = s.Slow || x.Slow
	s.rows(sum(values))
}

// sum adds up values with the same text.
func sum(values []valued) (list []valued) {
	at := map[string]int{}
	for _, v := range values {
		i, ok := at[v.text]
		if !ok {
			i = len(list)
			at[v.text] = i
			list = append(list, valued{text: v.text})
		}
		list[i].count += v.count
	}
	return list
}

// format writes a value as Go does, as far as its meaning is known.
func (b *builder) format(w probe.Word, v uint64) string {
	bits := 8 * int(w.Size)
	switch w.As {
	case probe.Signed:
		return strconv.FormatInt(int64(v)<<(64-bits)>>(64-bits), 10)
	case probe.Bool:
		if v&1 == 1 {
			return "true"
		}
		return "false"
	case probe.Float:
		if w.Size == 4 {
			return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
		}
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	case probe.Code:
		if v == 0 {
			return "nil"
		}
		if name := b.names.Code(v); name != "" {
			return name
		}
	case probe.Dynamic, probe.Itab:
		if v == 0 {
			return "nil"
		}
		if name := b.names.Type(v); b.shared[name] {
			return fmt.Sprintf("%s at %#x", name, v)
		} else if name != "" {
			return name
		}
	case probe.Unknown:
		if v == probe.Hidden && !b.secrets {
			return "large, perhaps an address"
		}
		return strconv.FormatInt(int64(v), 10)
	case probe.Pointer, probe.Text:
		if v == 0 {
			return "nil"
		}
		if !b.secrets {
			return "not nil"
		}
	default:
		return strconv.FormatUint(v, 10)
	}
	return fmt.Sprintf("%#x", v)
}

func durations(t probe.Times) *Durations {
	d := &Durations{Calls: t.Calls, To: seconds(t.Off), Before: t.Unmatched, Open: t.Open, Unreturned: t.Replaced,
		Lost: t.Full + t.Faults}
	if t.Calls > 0 {
		d.Mean = float64(t.NS) / float64(t.Calls)
	}
	for i, n := range t.Buckets {
		if n > 0 {
			d.Buckets = append(d.Buckets, Duration{1 << i, n})
		}
	}
	return d
}
