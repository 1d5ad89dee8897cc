//go:build !pepbursts

package options

// This file is for all other programs.

const defaultTaps = TapsFull
