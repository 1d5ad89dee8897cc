package report

// This file has the labels of goroutines.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
	"github.com/pepgo/pep/tracer/internal/values/capture"
	"github.com/pepgo/pep/tracer/internal/values/database"
)

// A mask hides the values of labels: each becomes a number of its key, so that different ones
// stay apart. Keys are written in the source of the program, and are shown.
type mask struct {
	secrets bool // show values
	seen    map[capture.Label]string
	keys    map[string]int // how many values
}

func newMask(secrets bool) *mask {
	return &mask{secrets, map[capture.Label]string{}, map[string]int{}}
}

// list returns labels as they are shown.
func (m *mask) list(labels capture.Labels) []capture.Label {
	list, _ := labels.List() // samplers and readers of files have checked them
	for i, l := range list {
		if m.secrets || l.Key == capture.Cut { // no value: how many labels there are
			continue
		}
		if m.seen[l] == "" {
			m.keys[l.Key]++
			m.seen[l] = fmt.Sprintf("(text %d)", m.keys[l.Key])
		}
		list[i].Value = m.seen[l]
	}
	return list
}

// listLabels returns how many interrupts hit goroutines with which labels, or nothing if no goroutine
// has labels.
func listLabels(b *database.Binary, secrets bool) (rows []ListLabels) {
	m := newMask(secrets)
	groups := b.Groups()
	if !slices.ContainsFunc(groups, func(g *database.Group) bool { return g.Labels != "" }) {
		return nil
	}
	for _, g := range groups {
		rows = append(rows, ListLabels{string(capture.MakeLabels(m.list(g.Labels))), g.Interrupts,
			share(g.Interrupts, b.Interrupts)})
	}
	return rows
}

// printedLabels is how many sets of labels a listing has as text.
const printedLabels = 10

func printLabels(p *listing.Page, rows []ListLabels) {
	if len(rows) == 0 {
		return
	}
	p.Line("")
	table := &listing.Table{Numbers: 1}
	table.Row("time", "labels of goroutines")
	for _, r := range rows[:min(len(rows), printedLabels)] {
		text := r.Labels
		if text == "" {
			text = "none"
		}
		table.Row(listing.Percent(r.Share), text)
	}
	for _, line := range table.Lines() {
		p.Line("%s", line)
	}
	if more := len(rows) - printedLabels; more > 0 {
		p.Line("and %s more", listing.Count(more, "label set"))
	}
}

// Labelled returns what a database has of goroutines with a label that matches, as key=value.
// All goroutines match nil.
func Labelled(db *database.Database, re *regexp.Regexp) *database.Database {
	if re == nil {
		return db
	}
	return db.Select(func(labels capture.Labels) bool {
		list, _ := labels.List()
		return slices.ContainsFunc(list, func(l capture.Label) bool { return re.MatchString(l.Key + "=" + l.Value) })
	})
}

// sampleLabel returns a label of profiles. Some keys say what a value is of there.
func sampleLabel(l capture.Label) pprofenc.Label {
	key, value := strings.ToValidUTF8(l.Key, "\ufffd"), strings.ToValidUTF8(l.Value, "\ufffd")
	if key == "" || strings.HasPrefix(key, "label ") ||
		slices.Contains([]string{schema.TapKind, schema.Site, schema.Expr, schema.Value, schema.Type, schema.Words,
			schema.Static, schema.Pool}, key) {
		key = "label " + key
	}
	return pprofenc.Label{Key: key, Value: value}
}
