//go:build !pepgoroutines

package core

const tellGoroutines = false
