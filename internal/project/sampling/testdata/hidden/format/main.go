// Command format writes rows of fields with a separator between them. Fields that contain
// the separator are quoted. The separator can be any text, and is always a comma.
//
//	format          # some seconds of work, then a checksum
//	format forever
package main

import (
	"fmt"
	"hash/fnv"
	"os"
)

type writer struct {
	separator string
	out       []byte
}

func (w *writer) row(fields []string) {
	for i, f := range fields {
		if i > 0 {
			w.out = append(w.out, w.separator...)
		}
		if w.quoted(f) {
			w.out = append(w.out, '"')
			w.out = append(w.out, f...)
			w.out = append(w.out, '"')
		} else {
			w.out = append(w.out, f...)
		}
	}
	w.out = append(w.out, '\n')
}

func work(times int) uint64 {
	rows := [][]string{
		{"Mercury", "the smallest planet", "0.387", "57909050", "a year has 88 days"},
		{"Venus", "hot, cloudy, slow", "0.723", "108208000", "a day is longer than a year"},
		{"Earth", "has this program", "1.000", "149598023", "water, air, penguins"},
		{"Mars", "red, dusty", "1.524", "227939366", "a volcano of twenty-two kilometres"},
	}
	w := &writer{separator: ","}
	h := fnv.New64a()
	for range times {
		w.out = w.out[:0]
		for _, r := range rows {
			w.row(r)
		}
	}
	h.Write(w.out)
	return h.Sum64()
}

func main() {
	fmt.Println("ready")
	for len(os.Args) > 1 {
		work(1 << 12)
	}
	fmt.Println("format", work(400_000))
}
