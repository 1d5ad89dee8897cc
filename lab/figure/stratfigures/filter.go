package stratfigures

// This file has an experiment with the filter that the paper names and does not evaluate.

import (
	"math"
	"slices"

	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
)

// withoutFilter are samplers without a filter, the fastest first.
var withoutFilter = []string{"H[P128]2048", unfiltered, "H[P512]2048", "H[P1024]2048", "H[P2048]2048"}

// The filters of the experiment, and the sampler behind all but the last of them.
const (
	unfiltered = "H[P256]2048"

	forever = "F16384-5-never+H[P256]2048"   // masks for good
	again1M = "F16384+H[P256]2048"           // as in the co-processor's paper: all places are sampled again after a period
	oneOf8  = "F16384-5-never/8+H[P256]2048" // one of 8 events of a masked place passes, and stands for all of them
	spent   = "F16384-2-never/8+H[P128]2048" // the same, with twice the rate
)

// filtersOfPlaces puts filters of converged places in front of the sampler (STRAT-29). A filter saves messages, and so
// does a lower rate. Each filter is compared with the sampler without it, and with a sampler of a lower rate that has as many messages.
func filtersOfPlaces(env *figure.Env, res *figure.Result) error {
	filters := []string{forever, again1M, oneOf8, spent}
	specs := slices.Concat(withoutFilter, filters)
	res.Describe("%s", rule)
	list, err := env.ReplayRecordings(res, figure.Programs, "loads", specs, func(*figure.Batch) {})
	if err != nil {
		return err
	}
	res.Describe("as many messages: the error without a filter is that of two samplers with more and with fewer messages, with a power law between them; if the slowest of them has more messages, its own; - if the fastest has fewer")
	end := figure.Table{Title: "error at the end", Columns: slices.Concat([]string{"recording"}, figure.SpreadHeads(append([]string{unfiltered}, filters...)...))}
	lower := figure.Table{Title: "error at the end with a lower rate (medians)", Columns: slices.Concat([]string{"recording"}, withoutFilter)}
	sent := figure.Table{Title: "messages (medians)", Columns: slices.Concat([]string{"recording"}, specs)}
	long := figure.Table{Title: "events from which on the error stays below 5 % (medians)", Columns: slices.Concat([]string{"recording"}, specs)}
	fair := figure.Table{Title: "error at the end to that without a filter and with as many messages", Columns: slices.Concat([]string{"recording"}, figure.SpreadHeads(filters...))}
	for _, b := range list {
		name := []figure.Value{figure.Text(b.String())}
		e, r, m, l, f := slices.Clone(name), slices.Clone(name), slices.Clone(name), slices.Clone(name), slices.Clone(name)
		for i, x := range specs {
			errors := b.Tally(figure.OfEngine(x, errorPercent))
			if i < len(withoutFilter) {
				r = append(r, figure.Percent(errors.Median()))
			}
			if x == unfiltered || i >= len(withoutFilter) {
				e = append(e, errors.Spread(figure.Percent)...)
			}
			m = append(m, figure.NumberOf("messages")(b.Tally(figure.OfEngine(x, messages)).Median()))
			l = append(l, figure.After(b.Tally(figure.OfEngine(x, stays)).Median()))
		}
		for _, x := range filters {
			f = append(f, b.Tally(toAsMany(x)).Spread(figure.Factor)...)
		}
		end.Rows, lower.Rows, sent.Rows, long.Rows, fair.Rows = append(end.Rows, e), append(lower.Rows, r), append(sent.Rows, m), append(long.Rows, l), append(fair.Rows, f)
	}
	res.Tables = append(res.Tables, end, lower, sent, fair, long)
	p := figure.InRole("li")
	if own := figure.OfProgram(list, p); own != nil {
		res.AddLines("strat-filter-"+p.Name, errorLines("Filters of converged places: "+p.Name+", error", own, append([]string{unfiltered}, filters...)))
	} else {
		res.AddLines("strat-filter", errorLines("Filters of converged places: error", list, append([]string{unfiltered}, filters...)))
	}
	for i, x := range filters {
		key := []string{"forever", "again", "one-of-8", "twice-the-rate"}[i]
		res.Compare(key+"-messages", x+": messages to those without", figure.TallyAll(list, quotient(x, unfiltered, messages)), figure.Times, "says nothing", figure.Below(figure.Times(1)))
		res.Compare(key+"-error", x+": error at the end to that without", figure.TallyAll(list, quotient(x, unfiltered, errorPercent)), figure.Times, "can be improved", figure.AtMost(figure.Times(1)))
		res.Compare(key+"-worst", x+": the same, the program with the most", across(list, quotient(x, unfiltered, errorPercent), figure.Tally.Most),
			figure.Times, "can be improved", figure.AtMost(figure.Times(1)))
		res.Compare(key+"-fair", x+": error to that with as many messages", figure.TallyAll(list, toAsMany(x)), figure.Times, "can be improved", figure.AtMost(figure.Times(1)))
		res.Compare(key+"-stays", x+": stays below 5 % from, to that without", figure.TallyAll(list, quotient(x, unfiltered, stays)), figure.Times, "can be faster", figure.AtMost(figure.Times(1)))
	}
	return nil
}

// toAsMany is the measure that divides the error of a filtered sampler by the error without a filter at as many
// messages. Errors of samplers that differ in their rates alone follow a power of the number of messages, so the error
// without a filter lies on the line between two of them in logarithms. For example: 4 % with 100 messages and 2 % with 400
// mean 2.83 % with 200. A filter with fewer messages than the slowest sampler is compared with that one, which has the
// advantage. A filter with more messages than the fastest has nothing to be compared with: NaN.
func toAsMany(filtered string) figure.Measure {
	return func(of func(string) *replay.Result) float64 {
		x := of(filtered)
		slow := of(withoutFilter[len(withoutFilter)-1])
		for _, e := range slices.Backward(withoutFilter) {
			fast := of(e)
			if fast.Messages < x.Messages {
				slow = fast
				continue
			}
			return errorPercent(x) / betweenRates(x.Messages, slow, fast)
		}
		return math.NaN()
	}
}

// betweenRates returns the error in percent with a number of messages that is not more than that of the faster of two
// samplers. With fewer than that of the slower it is the slower one's.
func betweenRates(sent uint64, slow, fast *replay.Result) float64 {
	if sent <= slow.Messages {
		return errorPercent(slow)
	}
	part := math.Log(float64(sent)/float64(slow.Messages)) / math.Log(float64(fast.Messages)/float64(slow.Messages))
	return errorPercent(slow) * math.Pow(errorPercent(fast)/errorPercent(slow), part)
}
