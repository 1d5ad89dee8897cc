package convert

// This file reads the label sets of a .pep file.

import (
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/runtime/pepfile"
)

// labelSets are the label sets of a file, each once.
type labelSets struct {
	sets   [][]pprofenc.Label
	number [pepfile.AllLabels + 1]uint32 // by what keys have: 1 + the index in sets, 0 if that is of no intact slot
}

// labelSets reads the sets. Sets that two slots have become one.
func (c Counts) labelSets() (all labelSets) {
	if c.Slots == 0 && c.Streams == 0 {
		return all
	}
	known := make(map[pepfile.LabelSet]uint32)
	for i := range uint32(pepfile.LabelSets) {
		s := c.LabelSet(i)
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
			all.sets = append(all.sets, set)
			number = uint32(len(all.sets))
			known[*s] = number
		}
		all.number[i+1] = number
	}
	return all
}
