package stratfigures

// This file has what is computed from the curves of compressors.

import (
	"math"

	"github.com/pepgo/pep/hwsim/cost"
	"github.com/pepgo/pep/hwsim/metric"
	"github.com/pepgo/pep/hwsim/replay"
	"github.com/pepgo/pep/lab/figure"
)

// limit is the error in percent of which the paper states after how many events compressors are below it.
const limit = 5

// counted returns the curve of errors from where enough places count.
func counted(r *replay.Result) metric.Curve {
	for i, n := range r.Places {
		if n >= figure.LeastPlaces {
			return r.Errors[i:]
		}
	}
	return nil
}

// until returns the points of a curve up to a number of events that have an error.
func until(c metric.Curve, events uint64) (list metric.Curve) {
	for _, p := range c {
		if p.Events <= events && !math.IsNaN(p.Error) {
			list = append(list, p)
		}
	}
	return list
}

// begin is the number of events at the first point of a curve, NaN without points.
func begin(c metric.Curve) float64 {
	if len(c) == 0 {
		return math.NaN()
	}
	return float64(c[0].Events)
}

// last is the error at the last point, NaN without points.
func last(c metric.Curve) float64 {
	if len(c) == 0 {
		return math.NaN()
	}
	return c[len(c)-1].Error
}

func reached(n uint64, ok bool) float64 {
	if !ok {
		return math.Inf(1)
	}
	return float64(n)
}

func mean(c metric.Curve) float64 {
	if len(c) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, p := range c {
		sum += p.Error
	}
	return sum / float64(len(c))
}

// geometric is the geometric mean along a curve.
func geometric(c metric.Curve) float64 {
	if len(c) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, p := range c {
		sum += math.Log(p.Error)
	}
	return math.Exp(sum / float64(len(c)))
}

// power is the power of the number of events that the points of a curve follow best; NaN of fewer than two points.
func power(c metric.Curve) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, p := range c {
		x, y := math.Log(float64(p.Events)), math.Log(p.Error)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// settled is the number of events from which on the error is below twice that at the end; NaN without points.
func settled(c metric.Curve) float64 {
	if len(c) == 0 {
		return math.NaN()
	}
	return reached(c.StaysBelow(2 * last(c)))
}

// Levels of accuracy in percent, from the first on; each is by a factor lower than the one before. A level counts if
// one of two compressors needs events for it, and the faster has it after a part of them: the slower then has time.
const (
	firstLevel = 30
	leastLevel = 0.05
	levelStep  = 1.1
	partOfRun  = 4
)

// slower returns how many times as many events one compressor needs as another for the same error: the median of the
// levels of accuracy. It is infinite if the slower one does not have most of them at the end, and NaN if there are
// none.
func slower(slow, fast *replay.Result) float64 {
	a, b := counted(slow), counted(fast)
	if len(b) == 0 {
		return math.NaN()
	}
	var all figure.Tally
	for level := float64(firstLevel); level > leastLevel; level /= levelStep {
		by, ok := b.StaysBelow(level)
		if !ok || by > b[len(b)-1].Events/partOfRun {
			break
		}
		if x := reached(a.StaysBelow(level)) / float64(by); x != 1 || by != b[0].Events {
			all = append(all, x)
		}
	}
	return all.Median()
}

// sentAt returns how many messages a compressor has sent at a point of its curve.
func sentAt(r *replay.Result, i int) float64 {
	p := r.Sent[i]
	return p.Error / 100 * cost.Default.PerEvent * float64(p.Events) / cost.Default.PerMessage
}

// fewer returns by how many messages another compressor is below the random one: the least along the curve; and the
// messages of the other to those of the random one at the point nearest to a 64th of the events.
func fewer(random, other *replay.Result) (least, atFirst float64) {
	least, atFirst = math.Inf(1), math.NaN()
	for i, p := range random.Sent {
		least = min(least, math.Round(sentAt(random, i)-sentAt(other, i)))
		if p.Events <= random.Events/64 {
			atFirst = sentAt(other, i) / sentAt(random, i)
		}
	}
	return least, atFirst
}

// errorOf is the error at the end, in percent.
func errorOf(r *replay.Result) float64 { return 100 * r.Error.Mean }

// atEqualMessages returns the error of a compressor to that of a stratified sampler with as many messages. Errors of
// samplers that differ in their rates alone follow a power of the number of messages, so the error lies between those
// of two rates. For example: 4 % with 100 messages and 2 % with 400 mean 2.83 % with 200. A compressor with fewer
// messages than the slowest sampler is compared with that one, which has the advantage; one with more than the fastest
// has nothing to be compared with: NaN.
func atEqualMessages(x *replay.Result, of func(rate int) *replay.Result) float64 {
	if x.Messages > of(rates[0]).Messages {
		return math.NaN()
	}
	slow := of(rates[len(rates)-1])
	if x.Messages <= slow.Messages {
		return errorOf(x) / errorOf(slow)
	}
	for i := len(rates) - 2; ; i-- {
		fast := of(rates[i])
		if x.Messages <= fast.Messages {
			part := math.Log(float64(x.Messages)/float64(slow.Messages)) / math.Log(
				float64(fast.Messages)/float64(slow.Messages))
			return errorOf(x) / (errorOf(slow) * math.Pow(errorOf(fast)/errorOf(slow), part))
		}
		slow = fast
	}
}

// reduced returns by which factor the rate of a stratified sampler can be lower than that of the random one without a
// greater error: on a power law between the rates. It is at most that of the slowest.
func reduced(random *replay.Result, of func(rate int) *replay.Result) float64 {
	for i := len(rates) - 1; i >= 0; i-- {
		good := errorOf(of(rates[i]))
		if good > errorOf(random) {
			continue
		}
		rate := float64(rates[i])
		if i+1 < len(rates) {
			next := float64(rates[i+1])
			rate *= math.Pow(next/rate, math.Log(errorOf(random)/good)/math.Log(errorOf(of(rates[i+1]))/good))
		}
		return rate / 256
	}
	return 0
}

// windows are parts of the stream from its beginning: as long as 512 counters, 1024 and so on can hold events back.
var windows = []uint64{1 << 17, 1 << 18, 1 << 19, 1 << 20}
