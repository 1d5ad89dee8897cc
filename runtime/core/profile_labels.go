package core

// This file reads the label sets of a .pep file.

import (
	"github.com/pepgo/pep/runtime/pepfile"
	"github.com/pepgo/pep/runtime/pprofenc"
	"github.com/pepgo/pep/runtime/schema"
)

// labelSets are the label sets of a file, each once.
type labelSets struct {
	sets   [][]pprofenc.Label
	number [pepfile.LabelSets + 1]uint32 // by what keys have: 1 + the index in sets, 0 for none
}

// labelSets reads the sets. Sets that two slots have become one.
func (c counted) labelSets(d *damage) (all labelSets) {
	if c.Slots == 0 {
		return all
	}
	known := make(map[pepfile.LabelSet]uint32)
	for i := range uint32(pepfile.LabelSets) {
		s := c.LabelSet(i)
		if !s.Intact() {
			d.labels++
			continue
		}
		strings := s.Labels()
		if len(strings) == 0 {
			continue
		}
		number := known[*s]
		if number == 0 {
			var set []pprofenc.Label
			for i := 0; i+1 < len(strings); i += 2 {
				set = append(set, pprofenc.Label{Key: schema.GoroutineKey(strings[i]), Value: strings[i+1]})
			}
			all.sets = append(all.sets, set)
			number = uint32(len(all.sets))
			known[*s] = number
		}
		all.number[i+1] = number
	}
	return all
}
