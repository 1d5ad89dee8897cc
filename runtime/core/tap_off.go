//go:build !peppolltaps

package core

// pollTaps says that taps are polls of the tap region.
const pollTaps = false

const defaultTaps = tapsFull
