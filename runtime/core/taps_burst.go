//go:build pepbursts

package core

// defaultTaps is what taps do if PEPOPTS does not say. Programs whose taps are
// made for bursts (-peptapmode=burst) are built with another.
const defaultTaps = tapsBurst
