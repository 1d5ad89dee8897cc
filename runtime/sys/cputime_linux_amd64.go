package sys

// This file declares the CPU time, which is in call_linux_amd64.s.

// CPUTime returns how long all threads of the process together have run, in ns. It is
// assembly because taps call it, anywhere: what the kernel writes to is in its stack frame,
// which is neither allocated nor moved.
func CPUTime() uint64

// UsedCPUPC returns the address of the assembly function usedCPU, for handlers, which have no goroutine.
func UsedCPUPC() (p uintptr)
