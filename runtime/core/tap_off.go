//go:build !peppolltaps

package core

const pollTaps = false

const tapSlots = 0
