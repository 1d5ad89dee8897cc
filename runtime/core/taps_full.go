//go:build !pepbursts

package core

const defaultTaps = tapsFull
