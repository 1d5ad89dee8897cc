//go:build !linux || !amd64

package pepfile

// This file bounds the number of chunks where they are on the heap.

// MaxChunks bounds the memory of chunks to 4 MB, which is on the heap. What
// further goroutines report is dropped, and counted.
const MaxChunks = 1 << 11
