package hotlist

// This file has the bounds of estimates.
//
// What is to be bounded is n, how often a value v was added, if the list has sampled
// c occurrences of v at the rate p. If p were a constant, c would be binomial with n trials
// and probability p, and the interval of Clopper and Pearson (Biometrika 26, 1934) would do.
// But the list chooses p by what it has sampled, and only tells about values that it has
// sampled. This is why the interval is right nevertheless, with one change:
//
//  1. As in the comment of Merge, let each occurrence draw u once. At the rate p, the list
//     has the occurrences with u < p. Let D(p) be the number of distinct values among
//     these without v. Let q be the largest power of 15/16 with D(q) <= 15. The occurrences
//     of v have no part in q.
//
//  2. If some occurrence of v has u < q, then the list's rate is q: at q it has at most 16
//     values, with v, and at each higher rate it has at least 17, because v is still there.
//     And if v is in the list at its rate p, then D(p) <= 15, so p <= q, and by the sentence
//     before p = q. So v is in the list if and only if an occurrence of v has u < q.
//
//  3. So given q, and given that v is in the list, c is binomial with n trials and
//     probability q = p, under the condition that it is not 0. The condition matters: among a
//     million different values, all of which occur once, the list has 16, and the usual interval
//     would say of each that it occurred often. The bounds below use the distribution
//     under the condition. They are those n for which neither P(c or more | not 0) nor
//     P(c or less | not 0) is below a/2.
//
//  4. For each v the bounds then fail with probability at most a, given that v is in the
//     list. So the expected number of values in the list whose bounds fail is at most a times
//     the expected number of values in the list, which is at most 16a. With a = (1-confidence)/16,
//     the probability that the bounds of any value in the list fail is at most 1-confidence.
//     So all bounds of a list hold together, that of its first value too, which was
//     chosen for its count.
//
// At the rate 1 counts are exact. In a list of another size, its number of values takes the place of 16.

import "math"

// Bounds returns the least and the greatest number of times that a value with the given
// count has been added. With probability at least confidence, such as 0.95, the bounds of
// all values in the list hold at once.
func (l *List[V]) Bounds(count uint64, confidence float64) (least, most uint64) {
	if l.level == 0 {
		return count, count
	}
	p := l.Rate()
	half := (1 - confidence) / float64(l.slots()) / 2
	least = firstWhere(count, l.total, func(n uint64) bool { return moreOrEqual(count, n, p) >= half })
	most = firstWhere(count, l.total, func(n uint64) bool { return lessOrEqual(count, n, p) < half }) - 1

	// All other occurrences in the list are of other values.
	others := uint64(0)
	for _, e := range l.entries {
		others += e.Count
	}
	others -= count
	// Of counts that are improbable with any n, both bounds are the n that is closest.
	most = min(max(most, least), l.total-others)
	return min(least, most), most
}

// Junk reports whether bounds of a value say next to nothing: they are further apart than a factor
// of ten. Of a stream of many different values, any that are in the list are junk.
func Junk(least, most uint64) bool { return most > 10*least }

// firstWhere returns the first n of low to high at which ok holds, high+1 if there is
// none. If ok holds at n it holds at n+1.
func firstWhere(low, high uint64, ok func(n uint64) bool) uint64 {
	high++
	for low < high {
		if middle := low + (high-low)/2; ok(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// moreOrEqual returns P(X >= c | X >= 1) for X binomial with n trials and probability p, and
// c >= 1.
func moreOrEqual(c, n uint64, p float64) float64 { return atLeast(c, n, p) / atLeast(1, n, p) }

// lessOrEqual returns P(X <= c | X >= 1).
func lessOrEqual(c, n uint64, p float64) float64 {
	if c >= n {
		return 1
	}
	some := atLeast(1, n, p)
	return (atMost(c, n, p) - (1 - some)) / some
}

// atLeast returns P(X >= c) for X binomial: I_p(c, n-c+1).
func atLeast(c, n uint64, p float64) float64 {
	switch {
	case c == 0:
		return 1
	case c > n:
		return 0
	}
	return betaIncomplete(float64(c), float64(n-c+1), p)
}

// atMost returns P(X <= c) for X binomial: I_(1-p)(n-c, c+1).
func atMost(c, n uint64, p float64) float64 {
	if c >= n {
		return 1
	}
	return betaIncomplete(float64(n-c), float64(c+1), 1-p)
}

// Share returns bounds for a probability, given that of total independent trials at least
// least and at most most succeeded: by Clopper and Pearson, each with the given confidence
// that it is not passed.
func Share(least, most, total uint64, confidence float64) (low, high float64) {
	if total == 0 {
		return 0, 1
	}
	miss := 1 - confidence
	low = root(func(x float64) float64 { return atLeast(least, total, x) - miss })
	high = root(func(x float64) float64 { return miss - atMost(most, total, x) })
	return low, high
}

// root returns where the increasing function f passes 0 between 0 and 1; 0 if it is
// positive, and 1 if it is negative everywhere.
func root(f func(x float64) float64) float64 {
	low, high := 0.0, 1.0
	if f(low) >= 0 {
		return 0
	}
	if f(high) <= 0 {
		return 1
	}
	for range 60 {
		if middle := (low + high) / 2; f(middle) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// betaIncomplete returns the regularised incomplete beta function I_x(a, b), by the continued
// fraction of DLMF 8.17.22 and the method of Lentz.
func betaIncomplete(a, b, x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2): // where the fraction converges slowly
		return 1 - betaIncomplete(b, a, 1-x)
	}
	ga, _ := math.Lgamma(a)
	gb, _ := math.Lgamma(b)
	gab, _ := math.Lgamma(a + b)
	front := math.Exp(gab-ga-gb+a*math.Log(x)+b*math.Log1p(-x)) / a

	// The fraction is 1/(1+t0/(1+t1/(1+t2/…))). The method keeps the quotients of numerators
	// (c) and of denominators (d) of its successive approximations.
	c, d := 1.0, 1/nonzero(1-(a+b)*x/(a+1))
	value := d
	for m := 1.0; m < 1e6; m++ {
		change := 1.0
		for _, term := range [2]float64{
			m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m)),
			-(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1)),
		} {
			d = 1 / nonzero(1+term*d)
			c = nonzero(1 + term/c)
			change = c * d
			value *= change
		}
		if math.Abs(change-1) < 1e-15 {
			break
		}
	}
	return front * value
}

// nonzero returns x, or a tiny number if x is so small that dividing by it overflows.
func nonzero(x float64) float64 {
	if math.Abs(x) < 1e-300 {
		return 1e-300
	}
	return x
}
