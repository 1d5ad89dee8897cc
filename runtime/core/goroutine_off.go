//go:build !peptaps

package core

// In the tests of this package goroutines have no place for an address. None has
// a chunk.

var noNext uintptr

func nextTuple() *uintptr { return &noNext }

func ownsChunk(next *uintptr) bool { return next != &noNext }
