//go:build pepgoroutines

package core

// tellGoroutines says that streams have the numbers of goroutines in them.
const tellGoroutines = true
