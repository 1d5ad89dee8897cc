//go:build pepgoroutines

package options

// TellGoroutines says that streams have the numbers of goroutines in them.
const TellGoroutines = true
