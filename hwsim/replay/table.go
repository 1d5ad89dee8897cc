package replay

// This file lists results.

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/trace"
	"github.com/pepgo/pep/internal/listing"
)

// limit is an error in percent. The paper states after how many events engines reach it.
const limit = 5

// A RunTable lists what engines did with the same events.
type RunTable struct {
	Events     uint64      `json:"events" unit:"events"`               // of all traces
	Tuples     int         `json:"tuples" unit:"tuples"`               // from which the error is computed
	Sites      int         `json:"sites" unit:"sites"`                 // of these
	PerMessage float64     `json:"message_cost" unit:"cycles/message"` // modelled
	PerEvent   float64     `json:"event_cost" unit:"cycles/event"`     // of the program
	Limit      float64     `json:"error_limit" unit:"percent"`         // of `first_below_limit` and `stays_below_limit`
	Engines    []EngineRow `json:"engines"`
}

// An EngineRow is what one engine did.
type EngineRow struct {
	Engine           string  `json:"engine"` // its description
	Messages         uint64  `json:"messages" unit:"messages"`
	EventsPerMessage float64 `json:"events_per_message" unit:"events/message"`
	Overhead         float64 `json:"overhead" unit:"percent"` // of the program's cycles, modelled
	Bytes            float64 `json:"storage" unit:"bytes"`    // with words of 32 bits
	// mean error of shares; null if there were too few events
	Error    float64    `json:"error" unit:"percent"`
	RMS      float64    `json:"rms_error" unit:"percent"`        // root of the mean square
	First    *uint64    `json:"first_below_limit" unit:"events"` // null for never
	Stays    *uint64    `json:"stays_below_limit" unit:"events"` // from which on it stayed there
	Meters   []MeterRow `json:"meters"`                          // what the engine counts inside of it
	Distinct int        `json:"distinct_tuples" unit:"tuples"`
	Top      []TopTuple `json:"top"` // the hottest tuples, as many as `-top` says
}

// A MeterRow is a quantity that an engine counts.
type MeterRow struct {
	Name   string  `json:"name"`
	Number float64 `json:"number" unit:"unit"`
	Unit   string  `json:"unit"`
}

// A TopTuple is one of the tuples that an engine has reported most. Its events are the
// events that the engine's messages stand for.
type TopTuple struct {
	Share     float64 `json:"share" unit:"ratio"`         // of all events
	SiteShare float64 `json:"share_of_site" unit:"ratio"` // of the events of its site
	Tag       string  `json:"tag"`
	Site      string  `json:"site"` // position in the source, or its number
	Word      uint64  `json:"word" unit:"word"`
	Text      string  `json:"word_text"`
}

// A Value returns the word of a tuple as text, as a profile of the program has it. It returns false
// if the word is no value, but a type or a function, or if the tap of the tuple is not known.
type Value func(*trace.Sites, tuple.Tuple) (text string, ok bool)

// Table lists results. For each engine it has the n tuples that the engine has reported
// most, with the names that are known of their sites and words.
func Table(results []*Result, n int, sites *trace.Sites, names trace.Names, value Value) *RunTable {
	t := &RunTable{Limit: limit}
	for _, r := range results {
		t.Events, t.Tuples, t.Sites = r.Events, r.Error.Tuples, r.Error.Places
		t.PerMessage, t.PerEvent = r.Config.Overhead.PerMessage, r.Config.Overhead.PerEvent
		row := EngineRow{
			Engine: r.Spec.String(), Messages: r.Messages, EventsPerMessage: r.Compression(), Overhead: r.Percent(),
			Bytes: cost.Of(r.Spec, cost.Word32).Bytes(), Error: 100 * r.Error.Mean, RMS: 100 * r.Error.RMS,
			First: reached(r.Errors.FirstBelow(limit)), Stays: reached(r.Errors.StaysBelow(limit)),
		}
		for _, m := range r.Meters {
			row.Meters = append(row.Meters, MeterRow{m.Name, m.Value(), m.Unit})
		}
		row.Distinct, row.Top = top(r.Profile, n, sites, names, value)
		t.Engines = append(t.Engines, row)
	}
	return t
}

// reached returns the number of events at which a curve reaches a limit, nil if it does not.
func reached(events uint64, ok bool) *uint64 {
	if !ok {
		return nil
	}
	return &events
}

// top returns how many tuples a profile has, and the n most frequent.
func top(p *metric.Profile, n int, sites *trace.Sites, names trace.Names, value Value) (distinct int, list []TopTuple) {
	all := metric.Selection{}.Of(p)
	slices.SortStableFunc(all, func(a, b tuple.Tuple) int { return cmp.Compare(p.Tuple(b), p.Tuple(a)) })
	for _, x := range all[:min(max(n, 0), len(all))] {
		word := trace.WordName(x.Tag(), x.W)
		if text, ok := value(sites, x); ok {
			word = text
		}
		if name, ok := names[trace.Word{Tag: x.Tag(), W: x.W}]; ok {
			word = name
		}
		site := sites.Name(x.Site())
		if where := sites.Describe(x); where != "" {
			site = where
		}
		share := float64(p.Tuple(x)) / float64(p.Total())
		list = append(list, TopTuple{share, p.Invariance(x), trace.TagName(x.Tag()), site, x.W, word})
	}
	return len(all), list
}

// columns are those of the table as text: the title and the value.
var columns = []struct {
	title string
	value func(r *EngineRow) string
}{
	{"engine", func(r *EngineRow) string { return r.Engine }},
	{"messages", func(r *EngineRow) string { return strconv.FormatUint(r.Messages, 10) }},
	{"events/message", func(r *EngineRow) string { return listing.Number(r.EventsPerMessage, 1) }},
	{"overhead %", func(r *EngineRow) string { return listing.Number(r.Overhead, 2) }},
	{"bytes", func(r *EngineRow) string { return listing.Number(r.Bytes, 0) }},
	{"error %", func(r *EngineRow) string { return listing.Number(r.Error, 2) }},
	{"RMS %", func(r *EngineRow) string { return listing.Number(r.RMS, 2) }},
	{"first <5 %", func(r *EngineRow) string { return eventsOrNever(r.First) }},
	{"stays <5 %", func(r *EngineRow) string { return eventsOrNever(r.Stays) }},
}

func eventsOrNever(n *uint64) string {
	if n == nil {
		return "never"
	}
	return strconv.FormatUint(*n, 10)
}

// cells returns the table as text, the titles first.
func (t *RunTable) cells() (rows [][]string) {
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	rows = append(rows, titles)
	for i := range t.Engines {
		row := make([]string, len(columns))
		for j, c := range columns {
			row[j] = c.value(&t.Engines[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// Name implements listing.Listing.
func (t *RunTable) Name() string { return "run" }

// Print implements listing.Listing.
func (t *RunTable) Print(p *listing.Page) {
	if t.Events == 0 {
		return
	}
	p.Line("%d events; the error is that of %d tuples at %d sites; overhead: %v cycles a message, %v cycles an event",
		t.Events, t.Tuples, t.Sites, t.PerMessage, t.PerEvent)
	p.Line("")
	p.Table("  ", &listing.Table{Numbers: len(columns), Rows: t.cells()})
	for _, r := range t.Engines {
		if len(r.Meters) == 0 {
			continue
		}
		p.Line("")
		p.Line("%s, inside:", r.Engine)
		table := &listing.Table{Numbers: 1}
		for _, m := range r.Meters {
			table.Row(m.text(), m.Unit, m.Name)
		}
		p.Table("  ", table)
	}
	for _, r := range t.Engines {
		if len(r.Top) == 0 {
			continue
		}
		p.Line("")
		p.Line("%s, top %d of %d tuples:", r.Engine, len(r.Top), r.Distinct)
		table := &listing.Table{}
		table.Row("share", "of site", "tag", "site", "word")
		for _, x := range r.Top {
			table.Row(listing.Percent(x.Share), listing.Percent(x.SiteShare), x.Tag, x.Site, x.Text)
		}
		p.Table("", table)
	}
}

// text returns the number as text. Counts have no fraction.
func (m *MeterRow) text() string {
	if m.Number == math.Trunc(m.Number) {
		return listing.Number(m.Number, 0)
	}
	return listing.Number(m.Number, 4)
}

// CSV writes the table of engines as comma-separated values.
func (t *RunTable) CSV(out io.Writer) error {
	w := csv.NewWriter(out)
	if err := w.WriteAll(t.cells()); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}
