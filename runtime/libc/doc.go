// Package libc calls the two functions of the C library that core has use for in
// programs with C code of their own:
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
// The package is compiled twice, without and with the build tag pepcgo. What Go code
// sees of both is the same, so core is compiled against either. A program gets the one
// with the tag if a package with C code that is not of the standard library is part of
// it. The C compiler links such programs. Go itself links all others: it could not
// resolve the references, and would make most of these programs dynamically linked.
package libc
