package figure

// This file has an experiment with the filter that the paper names and does not evaluate.

import (
	"slices"
	"strings"

	"github.com/pepgo/pep/hwsim/replay"
)

// The filters of the experiment.
const (
	unfiltered = "H[P256]2048"
	forever    = "F16384-5-never+H[P256]2048"   // masks for good
	again1M    = "F16384+H[P256]2048"           // as in the co-processor's paper: all places are sampled again after a period
	oneOf8     = "F16384-5-never/8+H[P256]2048" // one of 8 events of a masked place passes, and stands for all of them
	spent      = "F16384-2-never/8+H[P128]2048" // the same, with twice the rate
)

// figureFilter is STRAT-29: filters of converged places in front of the sampler, on the first
// recording of each program.
func figureFilter(env *Env, res *Result) error {
	specs := []string{unfiltered, forever, again1M, oneOf8, spent}
	res.setup("%s", rule)
	first := *env
	first.Source = firstOnly(env.Source)
	list, err := first.recorded(res, Programs, "loads", 1, specs, func(*batch) {})
	if err != nil {
		return err
	}
	end := Table{Title: "error at the end", Columns: slices.Concat([]string{"recording"}, with3(specs...))}
	sent := Table{Title: "messages (medians)", Columns: slices.Concat([]string{"recording"}, specs)}
	long := Table{Title: "events from which on the error stays below 5 % (medians)", Columns: slices.Concat([]string{"recording"}, specs)}
	for _, b := range list {
		e, m, l := []Value{text(b.String())}, []Value{text(b.String())}, []Value{text(b.String())}
		for _, x := range specs {
			e = append(e, b.tally(ofEngine(x, errorPercent)).spread(percent)...)
			m = append(m, numberOf("messages")(b.tally(ofEngine(x, messages)).median()))
			l = append(l, after(b.tally(ofEngine(x, stays)).median()))
		}
		end.Rows, sent.Rows, long.Rows = append(end.Rows, e), append(sent.Rows, m), append(long.Rows, l)
	}
	res.Tables = append(res.Tables, end, sent, long)
	p := inRole("li")
	if own := ofProgram(list, p); own != nil {
		res.lines("strat-filter-"+p.Name, errorLines("Filters of converged places: "+p.Name+", error", own, specs))
	} else {
		res.lines("strat-filter", errorLines("Filters of converged places: error", list, specs))
	}
	for _, x := range specs[1:] {
		res.compare(x+": messages to those without", tallyAll(list, quotient(x, unfiltered, messages)), times, "says nothing", below(times(1)))
		res.compare(x+": error at the end to that without", tallyAll(list, quotient(x, unfiltered, errorPercent)), times, "can be improved", atMost(times(1)))
		res.compare(x+": stays below 5 % from, to that without", tallyAll(list, quotient(x, unfiltered, stays)), times, "can be faster", atMost(times(1)))
	}
	return nil
}

// firstOnly is a source of the first recordings alone.
func firstOnly(source func(program, taps string) (replay.Source, error)) func(program, taps string) (replay.Source, error) {
	return func(program, taps string) (replay.Source, error) {
		if strings.Contains(taps, "-") {
			return nil, ErrNoTrace
		}
		return source(program, taps)
	}
}
