package libc

// Calls returns the program counters of two functions to be called from the
// stack that the operating system made, as runtime.asmcgocall does. Both take
// the address of two words, the function and its argument, and return an error
// number. They are 0 in a program without C code of its own.
//
//	thread  runs the function in a new thread, with all signals blocked
//	        but those that C libraries use themselves
//	atExit  has the function called by the C function exit
func Calls() (thread, atExit uintptr)
