package profile

// This file writes profiles in which a stack is a nesting of other things than calls.

import (
	pprof "github.com/google/pprof/profile"

	"github.com/pepgo/pep/format/schema"
)

// A Stack is a sample: frames, the outermost first, and a count of each sample type.
type Stack struct {
	Frames []Frame
	Counts []int64
}

// SaveStacks writes a profile for go tool pprof with sample types such as "events", whose
// unit is count. It has the comments, program and times of f, and no samples but the given
// ones.
func (f *File) SaveStacks(name string, types []string, stacks []Stack) error {
	p := &pprof.Profile{
		Comments: f.pprof.Comments, Mapping: f.pprof.Mapping,
		TimeNanos: f.pprof.TimeNanos, DurationNanos: f.pprof.DurationNanos,
		PeriodType: f.pprof.PeriodType, Period: f.pprof.Period,
	}
	for _, t := range types {
		p.SampleType = append(p.SampleType, &pprof.ValueType{Type: t, Unit: schema.Unit})
	}
	functions := map[Func]*pprof.Function{}
	locations := map[Frame]*pprof.Location{}
	for _, s := range stacks {
		sample := &pprof.Sample{Value: s.Counts}
		for i := len(s.Frames) - 1; i >= 0; i-- {
			x := s.Frames[i]
			fn := functions[x.Func]
			if fn == nil {
				fn = &pprof.Function{ID: uint64(len(p.Function) + 1), Name: x.Func.Name, SystemName: x.Func.Name,
					Filename: x.Func.File, StartLine: x.Func.StartLine}
				functions[x.Func] = fn
				p.Function = append(p.Function, fn)
			}
			at := locations[x]
			if at == nil {
				at = &pprof.Location{ID: uint64(len(p.Location) + 1), Line: []pprof.Line{{Function: fn, Line: x.Line}}}
				if old := f.pprof.Location; len(old) > 0 {
					at.Mapping = old[0].Mapping
				}
				locations[x] = at
				p.Location = append(p.Location, at)
			}
			sample.Location = append(sample.Location, at)
		}
		p.Sample = append(p.Sample, sample)
	}
	return save(name, p)
}
