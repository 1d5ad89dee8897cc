// Package options reads the settings of a program from its environment:
//
//	PEPOPTS=samples=64,tick=5ms,taps=off
//
// gives Options with Samples 64, Tick 5,000,000 ns, Taps TapsOff, and defaults
// for all else.
package options
