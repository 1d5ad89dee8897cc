//go:build !linux || !amd64

package pepfile

// This file bounds the number of chunks where they are on the heap.

// MaxChunks bounds the memory of chunks, which is on the heap here, to 4 MB. Tuples of
// further goroutines are dropped and counted.
const MaxChunks = 1 << 11
