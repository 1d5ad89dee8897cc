//go:build pepexact

package core

const mode = modeExact
