//go:build peplinked

package core

// tracebackCache returns the address of the runtime's variable traceback_cache.
func tracebackCache() (p *uint32)

// signalQueue returns the address of the runtime's variable sig.
func signalQueue() (p *signals)
