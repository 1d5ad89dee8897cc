package commandtest

// This file compares the two forms of a listing.

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/listing"
)

// An Object is a decoded JSON object. Its methods panic if a field is missing or is
// something else.
type Object map[string]any

// At returns an object, All the objects of an array, and Each calls do for the
// strings of an array.
func (o Object) At(field string) Object { return o[field].(map[string]any) }

func (o Object) All(field string) (list []Object) {
	for _, x := range o[field].([]any) {
		list = append(list, x.(map[string]any))
	}
	return list
}

func (o Object) Each(field string, do func(string)) {
	for _, x := range o[field].([]any) {
		do(x.(string))
	}
}

// Int, Float and Text return a field that is an integer, a number or a string.
func (o Object) Int(field string) int64 {
	n, err := o[field].(json.Number).Int64()
	if err != nil {
		panic(field + ": " + err.Error())
	}
	return n
}

func (o Object) Float(field string) float64 {
	x, err := o[field].(json.Number).Float64()
	if err != nil {
		panic(field + ": " + err.Error())
	}
	return x
}

func (o Object) Text(field string) string { return o[field].(string) }

// A Listing is a command line, verb first, that lists something.
type Listing struct {
	Line string
	Rows func(o Object) []string // lines that the text must have, made from the JSON
}

// Listings runs command lines as they are and with -json, in a directory with files
// for them, and checks that the text has the rows made from the JSON, in this order.
// White space and quotes do not count. Every verb that prints a listing must be
// among the lines.
func Listings(t *testing.T, p *command.Program, files func(dir string) error, list []Listing) {
	in(t, files)
	missing := p.Listing()
	for _, l := range list {
		t.Run(l.Line, func(t *testing.T) { compare(t, p, l.Line, l.Rows) })
		missing = slices.DeleteFunc(missing, func(verb string) bool { return strings.HasPrefix(l.Line, verb+" ") })
	}
	if len(missing) > 0 {
		t.Errorf("%q list something and are not tested", missing)
	}
}

func compare(t *testing.T, p *command.Program, line string, rows func(o Object) []string) {
	t.Helper()
	verb := ""
	for _, v := range p.Verbs {
		if strings.HasPrefix(line+" ", v.Name+" ") {
			verb = v.Name
		}
	}
	text := run(t, p, p.Name+" "+line)
	data := run(t, p, p.Name+" "+verb+" -json"+strings.TrimPrefix(line, verb))
	var o Object
	d := json.NewDecoder(strings.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Errorf("behind the JSON stands more: %v", err)
	}
	if o.Text("listing") != verb || o.Int("version") != listing.Version {
		t.Errorf("got listing %v of version %v, want %s of version %d", o["listing"], o["version"], verb, listing.Version)
	}
	plain := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, `"`, "")), " ") }
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, plain(line))
	}
	want := rows(o)
	if len(want) < 3 {
		t.Fatalf("the JSON has %d rows, too few to compare:\n%s", len(want), data)
	}
	for _, row := range want {
		i := slices.Index(lines, plain(row))
		if i < 0 {
			t.Fatalf("the text does not have the line %q, or not where it should be:\n%s", plain(row), text)
		}
		lines = lines[i+1:]
	}
}
