package convert

// This file reads what windows have noted.

import (
	"github.com/pepgo/pep/format/digits"
	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/format/valuetable"
	"github.com/pepgo/pep/format/wire"
	"github.com/pepgo/pep/runtime/report"
	"github.com/pepgo/pep/runtime/sitetables"
	"github.com/pepgo/pep/runtime/symbol"
)

// notes returns what windows have noted.
func (c Counts) notes(windows []logged, symbols *symbol.Table) *report.Notes {
	n := &report.Notes{Names: symbol.NewNames(c.Here, c.Header), Site: c.noteSites(sitetables.Values(), symbols)}
	for i := range windows {
		w := &windows[i]
		x := report.NoteWindow{Weight: w.weighed.Time * w.weighed.Weight(), Unnoted: w.Unnoted}
		for _, r := range w.notes {
			x.Notes = append(x.Notes, report.Noted{Site: r.Site, Count: r.Count, Value: r.Value})
		}
		n.Windows = append(n.Windows, x)
	}
	return n
}

// tags has the tags of taps that report the same as rows of values.
var tags = [...]tuple.Tag{valuetable.Call: tuple.Call, valuetable.Type: tuple.Type, valuetable.Itab: tuple.Type,
	valuetable.Load: tuple.Load, valuetable.Arg: tuple.Arg, valuetable.Result: tuple.Result}

// noteSites returns what says what the site of a note is: a row of the table of values, or without a table the place of
// a call.
func (c Counts) noteSites(table []byte, symbols *symbol.Table) func(number uint32) (report.NoteSite, bool) {
	at := func(pc uint32) (f report.Frame, ok bool) {
		if frames := symbols.At(pc + 1); len(frames) > 0 { // as if it were a return address
			return frames[0], true
		}
		return f, false
	}
	t, err := valuetable.Open(table)
	if err != nil {
		return func(pc uint32) (s report.NoteSite, ok bool) {
			f, ok := at(pc)
			return report.NoteSite{Tag: tuple.Call, Func: f, Expr: digits.Hex(c.Text + uint64(pc))}, ok
		}
	}
	rows := make([]valuetable.Row, 0, t.Sites())
	memory := make([]valuetable.Row, t.Most)
	for fn := range t.Len() {
		n, ok := t.Decode(fn, memory)
		if !ok {
			break
		}
		rows = append(rows, memory[:n]...) // sites are numbered in this order
	}
	return func(number uint32) (s report.NoteSite, ok bool) {
		address := number&valuetable.AddressOf != 0
		number &^= valuetable.AddressOf
		if uint64(number) >= uint64(len(rows)) {
			return s, false
		}
		row := &rows[number]
		x, ok := t.Site(number)
		if !ok || int(row.Kind) >= len(tags) {
			return s, false
		}
		f, ok := at(x.PC)
		if x.Func != "" && x.Func != f.Func {
			f = report.Frame{Func: x.Func}
		}
		f.File, f.Line = x.File, x.Line
		s = report.NoteSite{Tag: tags[row.Kind], Itab: row.Kind == valuetable.Itab, Width: row.Width, Form: x.Form,
			Func: f, Col: x.Col, Expr: x.Expr, Type: x.Type}
		if address {
			s.Tag, s.Width, s.Form = tuple.Addr, 0, wire.Address
		}
		return s, ok
	}
}
