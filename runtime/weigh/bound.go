package weigh

// This file makes bounds of variances.

// confidence is a number of standard deviations: 95 % of a normal distribution lie within
// so many around its mean.
const confidence = 1.96

// Bound returns the bound that an estimate with a variance is within, with 95 % confidence.
// The variance comes from the clusters that have the item. These count as n = sum²/squares
// clusters of equal size (Kish, Survey Sampling, 1965, section 11.7). If they are few, the
// variance is itself uncertain, so the bound is √(1+4/n) times as wide, which is about the
// ratio of Student's distribution with n-1 degrees of freedom to the normal one: 1.18 and
// 1.15 for n = 10.
func Bound(variance, sum, squares float64) float64 {
	if sum <= 0 {
		return 0
	}
	return confidence * root(variance*(1+4*squares/(sum*sum)))
}

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
