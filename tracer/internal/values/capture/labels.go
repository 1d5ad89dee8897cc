package capture

// This file has the labels of goroutines.

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Label is one that package runtime/pprof has given to a goroutine: pprof.Do with
// pprof.Labels("handler", "/login") gives {"handler", "/login"}.
type Label struct{ Key, Value string }

// Labels are the labels of a goroutine in one comparable string, in the form of
//
//	"handler"="/login" "user"="bob"
//
// with keys and values quoted as Go does it. A goroutine without labels has "".
type Labels string

// Samplers read so many labels of a goroutine, and so many bytes of a key or value.
const (
	MaxLabels     = 4
	MaxLabelBytes = 32
)

// Cut ends the keys and values that are longer than what samplers read. A last label with
// this key and the value "2 more" stands for two labels that were not read.
const Cut = "…"

// MakeLabels makes labels of a list.
func MakeLabels(list []Label) Labels {
	var b []byte
	for i, l := range list {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendQuote(b, l.Key)
		b = append(b, '=')
		b = strconv.AppendQuote(b, l.Value)
	}
	return Labels(b)
}

// CutLabels makes labels of what a sampler has read: the first labels of n.
func CutLabels(read []Label, n uint64) Labels {
	list := append([]Label(nil), read...)
	if more := n - uint64(len(read)); more > 0 {
		list = append(list, Label{Cut, fmt.Sprintf("%d more", more)})
	}
	return MakeLabels(list)
}

// CutString returns a key or value of which a sampler has read the beginning, and which has
// n bytes.
func CutString(read string, n uint64) string {
	if n <= uint64(len(read)) {
		return read
	}
	for i := 1; i < utf8.UTFMax && i <= len(read); i++ { // a rune may have been cut
		if tail := read[len(read)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRuneInString(tail) {
				read = read[:len(read)-i]
			}
			break
		}
	}
	return read + Cut
}

// List returns the labels one by one. The error is for text of files that is not what
// MakeLabels makes.
func (l Labels) List() (list []Label, err error) {
	rest := string(l)
	quoted := func() (s string) {
		if err != nil {
			return ""
		}
		var q string
		if q, err = strconv.QuotedPrefix(rest); err != nil {
			return ""
		}
		rest = rest[len(q):]
		s, err = strconv.Unquote(q)
		return s
	}
	for rest != "" && err == nil {
		if len(list) > 0 {
			rest = strings.TrimPrefix(rest, " ")
		}
		key := quoted()
		rest = strings.TrimPrefix(rest, "=")
		list = append(list, Label{key, quoted()})
	}
	if err != nil || MakeLabels(list) != l {
		return nil, fmt.Errorf("labels %.100q: want \"key\"=\"value\" and a space between two", string(l))
	}
	return list, nil
}
