//go:build peppolltaps

package core

// pollTaps says that the program may have polled taps.
const pollTaps = mode == modePage

// tapSlots is how many entries the table of polled taps has: bursts see a few
// thousand words a second, most of them again and again.
const tapSlots = 1 << 15
