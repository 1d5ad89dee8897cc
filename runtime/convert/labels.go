package convert

// This file reads the label sets of a .pep file.

import (
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/runtime/pepfile"
)

// labelSets are the label sets of a file, each once. The first count with labels has all sets read: they take 64 pages,
// and few programs use labels.
type labelSets struct {
	of     Counts
	read   bool
	sets   [][]pprofenc.Label
	number [pepfile.TooManyLabels + 1]uint32 // by what keys have: 1 + the index in sets, 0 if that is of no intact slot
}

// numberOf returns 1 + the index in sets of what a key has, 0 if that is of no intact slot.
func (l *labelSets) numberOf(labels uint32) uint32 {
	if !l.read {
		l.read = true
		l.readAll()
	}
	return l.number[min(labels, pepfile.TooManyLabels)]
}

// readAll reads the sets. Sets that two slots have become one.
func (l *labelSets) readAll() {
	if l.of.Slots == 0 && l.of.Streams == 0 {
		return
	}
	known := make(map[pepfile.LabelSet]uint32)
	for i := range uint32(pepfile.LabelSets) {
		s := l.of.LabelSet(i)
		if !s.Intact() {
			continue
		}
		strings := s.Labels()
		number := known[*s]
		if number == 0 {
			var set []pprofenc.Label
			for i := 0; i+1 < len(strings); i += 2 {
				set = append(set, pprofenc.Label{Key: strings[i], Value: strings[i+1]})
			}
			l.sets = append(l.sets, set)
			number = uint32(len(l.sets))
			known[*s] = number
		}
		l.number[i+1] = number
	}
}
