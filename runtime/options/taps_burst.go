//go:build pepbursts

package options

// This file is for programs that -peptapmode=burst was given for.

// defaultTaps is what taps do if PEPOPTS does not say. Programs whose taps are
// made for bursts (-peptapmode=burst) are built with another.
const defaultTaps = TapsBurst
