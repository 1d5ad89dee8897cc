//go:build !pepgoroutines

package options

const TellGoroutines = false
