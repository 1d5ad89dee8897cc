//go:build peppolltaps

package core

// pollTaps says that taps are polls of the tap region.
const pollTaps = mode == modePage

const defaultTaps = tapsBurst
