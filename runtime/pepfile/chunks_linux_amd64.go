package pepfile

// This file bounds the number of chunks where they are in a file.

// MaxChunks bounds the memory of chunks to 64 MB. Tuples of further goroutines are
// dropped and counted.
const MaxChunks = 1 << 15
