package pepfile

// This file bounds the number of chunks where they are in a file.

// MaxChunks bounds the memory of chunks to 64 MB. What further goroutines report
// is dropped, and counted.
const MaxChunks = 1 << 15
