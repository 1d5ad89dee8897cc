//go:build pepbursts

package options

// This file is for programs that -peptapmode=burst was given for.

// defaultTaps is the mode of taps if PEPOPTS does not set one. Programs whose taps are
// made for bursts (-peptapmode=burst) are built with another default.
const defaultTaps = TapsBurst
