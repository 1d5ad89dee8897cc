package copfigures

// This file has simple samplers in plain Go. They take the samples that the microcode of the simple sampler takes, and
// are so much faster that each comparison can have a band of them: the error of one sampler depends on its period and
// on where it begins, by a factor of two and more.

import (
	"math"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/lab/figure"
)

// A plainSampler takes one of period loads, and interrupts when so many samples are full.
type plainSampler struct {
	period, next uint64
	full         []tuple.Tuple // samples since the last interrupt
	seen         lowHalf
	interrupts   uint64
	points       []point
}

// The software of the simple sampler: an interrupt, and for each sample two accesses and a record.
const (
	samplesFull     = 128
	interruptCycles = 200 + samplesFull*(2*2+20)
)

// newPlain returns a sampler whose first sample is the load number first, from 0 on.
func newPlain(period, first uint64) *plainSampler {
	return &plainSampler{period: period, next: first, seen: lowHalf{metric.New()}}
}

// push gives the sampler loads; from is the number of the first one.
func (s *plainSampler) push(from uint64, t []tuple.Tuple) {
	for end := from + uint64(len(t)); s.next < end; s.next += s.period {
		if s.full = append(s.full, low(t[s.next-from])); len(s.full) == samplesFull {
			s.seen.profile.AddTuples(s.full)
			s.full = s.full[:0]
			s.interrupts++
		}
	}
}

// plain runs samplers over the loads. base is how many cycles the program has for a load. Each sampler has a point at
// the end, and if curves is true one after each growth of the loads by pointStep.
func (x *stream) plain(base float64, curves bool, samplers []*plainSampler) error {
	events, next := uint64(0), uint64(firstPoint)
	add := func() {
		for _, s := range samplers {
			cost := s.interrupts * interruptCycles
			s.points = append(s.points, point{events: events, cycles: uint64(base*float64(events)) + cost, overhead: cost,
				rms: x.rms(&s.seen)})
		}
	}
	err := x.each(func(t []tuple.Tuple) {
		for len(t) > 0 {
			n := min(uint64(len(t)), next-events)
			for _, s := range samplers {
				s.push(events, t[:n])
			}
			t, events = t[n:], events+n
			if events == next {
				if curves {
					add()
				}
				next = uint64(float64(next) * pointStep)
			}
		}
	})
	add()
	return err
}

// A band has as many samplers as follow from these numbers: bandPeriods neighbouring periods, of which the middle one
// has the overhead that is asked for, and bandPhases loads to begin with for each.
const (
	bandPeriods = 19
	bandPhases  = 5
)

// bandAt returns the samplers of a band around an overhead in percent, for a program with base cycles a load.
func bandAt(base, percent float64) (list []*plainSampler) {
	middle := math.Round(float64(interruptCycles) / samplesFull / (base * percent / 100))
	for i := range bandPeriods {
		list = append(list, inPhases(uint64(max(1, middle+float64(i-bandPeriods/2))))...)
	}
	return list
}

// inPhases returns samplers of one period that begin with different loads.
func inPhases(period uint64) (list []*plainSampler) {
	for k := range uint64(bandPhases) {
		list = append(list, newPlain(period, period*(2*k+1)/(2*bandPhases)))
	}
	return list
}

// errorsOf returns the errors of samplers at the end, and their overheads in percent.
func errorsOf(samplers []*plainSampler) (errors, overheads figure.Tally) {
	for _, s := range samplers {
		end := s.points[len(s.points)-1]
		errors, overheads = append(errors, end.rms), append(overheads, end.percent())
	}
	return errors, overheads
}
