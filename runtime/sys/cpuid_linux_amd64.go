package sys

// CPUID returns what the processor says of itself, by leaf and sub-leaf.
func CPUID(leaf, sub uint32) (a, b, c, d uint32)
