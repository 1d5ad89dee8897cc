package listing

// This file writes JSON. It does not use encoding/json, for three reasons. That package
// replaces bytes that are not UTF-8, so that two names can become the same. It cannot write
// NaN. And it does not write rows before all rows are known.

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON writes a listing as a JSON object: its name, the version, the units of its
// numbers, and its fields.
//
// Integers of up to 64 bits are written in full. A floating-point number that is NaN or
// infinite is null. Bytes of names that are not UTF-8 are written as in a Go string, \xff,
// and a table without rows is [].
func JSON(w io.Writer, l Listing) error {
	e := &encoder{b: bufio.NewWriter(w)}
	e.open('{')
	e.key("listing")
	e.text(l.Name())
	e.key("version")
	e.value(reflect.ValueOf(Version))
	e.key("units")
	e.open('{')
	for _, f := range Fields(l) {
		if f.Unit != "" {
			e.key(f.Name)
			e.text(f.Unit)
		}
	}
	e.close('}')
	e.fields(reflect.Indirect(reflect.ValueOf(l)))
	e.close('}')
	e.b.WriteByte('\n')
	return e.b.Flush()
}

// An encoder writes indented JSON.
type encoder struct {
	b     *bufio.Writer
	depth int
	some  bool // the innermost object or array has something in it
}

func (e *encoder) open(c byte) {
	e.b.WriteByte(c)
	e.depth++
	e.some = false
}

func (e *encoder) close(c byte) {
	e.depth--
	if e.some {
		e.line()
	}
	e.b.WriteByte(c)
	e.some = true
}

// next begins a further member of an object or array.
func (e *encoder) next() {
	if e.some {
		e.b.WriteByte(',')
	}
	e.line()
	e.some = true
}

func (e *encoder) line() { e.b.WriteString("\n" + strings.Repeat("  ", e.depth)) }

func (e *encoder) key(name string) {
	e.next()
	e.text(name)
	e.b.WriteString(": ")
}

func (e *encoder) fields(v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			e.key(f.Tag.Get("json"))
			e.value(v.Field(i))
		}
	}
}

func (e *encoder) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		e.open('{')
		e.fields(v)
		e.close('}')
	case reflect.Slice, reflect.Func:
		e.open('[')
		e.elements(v)
		e.close(']')
	case reflect.Pointer:
		if v.IsNil() {
			e.b.WriteString("null")
			return
		}
		e.value(v.Elem())
	case reflect.String:
		e.text(v.String())
	case reflect.Bool:
		fmt.Fprint(e.b, v.Bool())
	case reflect.Float32, reflect.Float64:
		e.float(v.Float())
	default:
		if v.CanInt() {
			e.b.WriteString(strconv.FormatInt(v.Int(), 10))
		} else {
			e.b.WriteString(strconv.FormatUint(v.Uint(), 10))
		}
	}
}

// elements writes the elements of a slice or sequence. A nil one has none.
func (e *encoder) elements(v reflect.Value) {
	if v.IsNil() {
		return
	}
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			e.next()
			e.value(v.Index(i))
		}
		return
	}
	for x := range v.Seq() {
		e.next()
		e.value(x)
	}
}

func (e *encoder) float(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		e.b.WriteString("null")
		return
	}
	e.b.WriteString(strconv.FormatFloat(x, 'g', -1, 64))
}

// text writes a string so that a terminal can show it, too.
func (e *encoder) text(s string) {
	e.b.WriteByte('"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(e.b, `\\x%02x`, s[i])
		case r == '"' || r == '\\':
			e.b.WriteString(`\` + string(r))
		case r == '\t':
			e.b.WriteString(`\t`)
		case r == '\n':
			e.b.WriteString(`\n`)
		case unicode.IsPrint(r):
			e.b.WriteString(s[i : i+size])
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(e.b, `\u%04x`, unit)
			}
		}
		i += size
	}
	e.b.WriteByte('"')
}
