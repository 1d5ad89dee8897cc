// Package listing prints what the commands list: tables and what belongs to them,
// as text for people and as JSON for programs.
//
// A listing is a struct that says all there is to say, with numbers as numbers and
// names as they are. Its tags are what JSON needs:
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
// and the other with names and units that stay,
//
//	{"listing": "top", "version": 1, "units": {"total": "times", "rows.count": "times", …}, "total": 10, "rows": […]}
//
// The package does not know what is listed: packages report, replay and trace do.
// docs/formats.md explains every field to users.
package listing

import (
	"bufio"
	"io"
	"reflect"
)

// Version is that of the JSON form of all listings. It is raised when a field goes
// or changes its meaning; new fields may come without.
const Version = 1

// A Listing is a struct, or a pointer to one, whose exported fields have json tags,
// and unit tags if they are numbers.
type Listing interface {
	Name() string // "top"
	Print(p *Page)
}

// Text writes a listing as text that a terminal shows as it is.
func Text(w io.Writer, l Listing) error {
	p := &Page{bufio.NewWriter(w)}
	l.Print(p)
	return p.b.Flush()
}

// A Field is a field of a listing in its JSON form.
type Field struct {
	Name   string // "rows.count" for the count of each row
	Unit   string // "" for what is no number
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

// element returns what pointers point to, and what slices and sequences have.
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
