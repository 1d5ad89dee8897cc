package weigh

// This file makes bounds of variances.

// confidence is a number of standard deviations: 95 % of a normal distribution lie within
// so many around its mean.
const confidence = 1.96

// Bound returns the bound that an estimate with a variance is within, with 95 % confidence.
// The variance comes from the clusters that have the item. These count as n = sum²/squares
// clusters of equal size (see [Total.Equal] and [fewer]).
func Bound(variance, sum, squares float64) float64 {
	if sum <= 0 {
		return 0
	}
	return confidence * root(variance*fewer(sum*sum/squares))
}

// fewer returns how many times as large a variance counts that is itself uncertain, since it is known from n clusters,
// or with n degrees of freedom. Bounds get √(1+4/n) times as wide, which is about the ratio of Student's distribution
// with n-1 degrees of freedom to the normal one: 1.18 and 1.15 for n = 10.
func fewer(n float64) float64 { return 1 + 4/n }

// root returns the square root of x ≥ 0, by Newton's method, and 0 of a number that has none.
// (Package math may be instrumented.)
func root(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	if x-x != 0 { // infinite
		return x
	}
	scale := 1.0
	for x > 1e8 {
		x, scale = x/1e8, scale*1e4
	}
	for x < 1e-8 {
		x, scale = x*1e8, scale/1e4
	}
	r := max(x, 1)
	for range 40 {
		r = (r + x/r) / 2
	}
	return r * scale
}
