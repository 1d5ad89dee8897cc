package report

// This file writes the samples of CPU time into the profile of paths. Such a sample has the label "path: tick", and no
// count of paths: its last value is ns of CPU time. Its stack is that of the tick.

import (
	"github.com/pepgo/pep/format/pprofenc"
	"github.com/pepgo/pep/format/schema"
)

func (o *output) addTicks(list []Tick) {
	labels := o.Labels(pprofenc.Label{Key: schema.Path, Value: schema.Tick})
	for i := range list {
		t := &list[i]
		o.stack = o.stack[:0]
		if t.In != "" {
			o.stack = o.stack.Append(o.Location(o.Function(pprofenc.Function{Name: t.In}), 0))
		}
		for _, f := range t.Stack {
			o.stack = o.stack.Append(o.location(f))
		}
		o.SampleOf(nil, o.stack, []int64{0, 0, 0, 0, whole(t.Time)}, labels)
	}
}
