package profile

// This file reads CPU profiles, such as those of runtime/pprof. They are not written by
// programs built with pepbuild.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pepgo/pep/internal/input"
)

// A Line is a line of a function, with the samples that a CPU profile has of it: those that were
// taken while it ran, and not while a function ran that it called.
type Line struct {
	Func    Func
	Line    int64
	Samples int64
}

// OpenCPU returns the lines in a CPU profile: one with the sample type cpu/nanoseconds.
// Samples of equal lines are not added up. The error is a [*KindError] if it is of another kind.
func (r *Reader) OpenCPU(name string) ([]Line, error) {
	in, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	p, raw, err := r.decode(name, in)
	if err != nil {
		return nil, err
	}
	r.used += raw
	types := sampleTypes(p)
	column, nanoseconds := slices.Index(types, "samples/count"), slices.Index(types, "cpu/nanoseconds")
	if nanoseconds < 0 {
		return nil, &KindError{name, types}
	}
	var lines []Line
	for i, s := range p.Sample {
		n := int64(0)
		switch {
		case column >= 0:
			n = s.Value[column]
		case p.Period > 0:
			n = s.Value[nanoseconds] / p.Period
		}
		if n < 0 {
			return nil, fmt.Errorf("%s: sample %d of %d: negative count %d: give a profile, not the difference of two", name,
				i+1, len(p.Sample), n)
		}
		at := frames(s)
		// A tick that comes as the goroutine gives way to another one finds it in this function, whose
		// caller is the one that was interrupted.
		for len(at) > 1 && strings.HasPrefix(at[0].Func.Name, "runtime.asyncPreempt") {
			at = at[1:]
		}
		if len(at) > 0 {
			lines = append(lines, Line{at[0].Func, at[0].Line, n})
		}
	}
	return lines, nil
}
