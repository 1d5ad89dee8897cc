// Package listing prints the listings of commands, as text for people and as JSON for
// programs.
//
// A listing is a struct with all data of the listing: numbers as numbers, and unchanged
// names. Its tags name the members and units of the JSON form:
//
//	type Top struct {
//		Total int64 `json:"total" unit:"times"`
//		Rows  []Row `json:"rows"`
//	}
//
//	type Row struct {
//		Func  string  `json:"function"`
//		Count int64   `json:"count" unit:"times"`
//		Share float64 `json:"share" unit:"ratio"`
//	}
//
// Its method Print lays it out as text, on a [Page]. So
//
//	listing.Text(os.Stdout, top)
//	listing.JSON(os.Stdout, top)
//
// print the same values, one for people to read,
//
//	count   share  function
//	    7  70.00%  main.f
//
// and the other with names and units that do not change,
//
//	{"listing": "top", "version": 4, "units": {"total": "times", "rows.count": "times", …}, "total": 10, "rows": […]}
//
// The package knows no particular listing. Packages report, replay, figure and trace
// define listings, and docs/reference/json.md explains every field to users; it is made
// from the comments of the fields.
package listing

import (
	"bufio"
	"io"
	"reflect"

	"github.com/pepgo/pep/internal/terminal"
)

// Version is the version of the JSON form of all listings. Raise it when a field is removed
// or changes its meaning; new fields do not raise it.
const Version = 4

// A Listing is a struct, or a pointer to one, whose exported fields have json tags,
// and unit tags if they are numbers.
type Listing interface {
	Name() string // "top"
	Print(p *Page)
}

// Text writes a listing as text that a terminal shows as it is, in lines of any length.
func Text(w io.Writer, l Listing) error { return TextFor(terminal.Screen{}, w, l) }

// TextFor writes a listing as text for a screen.
func TextFor(s terminal.Screen, w io.Writer, l Listing) error {
	p := &Page{b: bufio.NewWriter(w), screen: s}
	l.Print(p)
	return p.b.Flush()
}

// A Field is a field of a listing in its JSON form.
type Field struct {
	Name   string // "rows.count" for the count of each row
	Unit   string // "" if the field is no number
	Number bool
}

// Fields returns all fields of a listing, those of rows behind their table.
func Fields(l Listing) []Field { return fieldsOf(reflect.TypeOf(l), "") }

func fieldsOf(t reflect.Type, prefix string) (list []Field) {
	t = element(t)
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name := prefix + f.Tag.Get("json")
		list = append(list, Field{name, f.Tag.Get("unit"), isNumber(element(f.Type).Kind())})
		list = append(list, fieldsOf(f.Type, name+".")...)
	}
	return list
}

// element returns the type that a pointer points to, and the type of the elements of a slice
// or sequence.
func element(t reflect.Type) reflect.Type {
	for {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			t = t.Elem()
		case reflect.Func: // an iter.Seq: func(yield func(V) bool)
			t = t.In(0).In(0)
		default:
			return t
		}
	}
}

func isNumber(k reflect.Kind) bool { return reflect.Int <= k && k <= reflect.Float64 }
