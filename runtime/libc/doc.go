// Package libc calls the two functions of the C library that core uses in programs with C
// code of their own:
//
//	pthread_create  makes a thread for ticks that the C library knows
//	__cxa_atexit    tells core when C code calls exit
//
// Their addresses are 0 in programs without C code:
//
//	if thread, _ := libc.Calls(); thread != 0 {
//		// make a thread for ticks
//	}
//
// The package is compiled twice, without and with the build tag pepcgo. Both variants look
// the same to Go code, so core is compiled against either. A program gets the variant with
// the tag if it has a package with C code outside of the standard library. The C compiler
// links such programs. Go itself links all other programs: it could not resolve the
// references to C functions, and would make most of these programs dynamically linked.
package libc
