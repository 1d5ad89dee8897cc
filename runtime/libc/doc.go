// Package libc calls the two functions of the C library that core has use for in
// programs with C code of their own:
//
//	pthread_create  to have a thread for ticks that the C library knows
//	__cxa_atexit    to be told of an exit that C code asks for
//
// The package is compiled twice, without and with the build tag pepcgo. Core is
// compiled against either, for what Go code sees of them is the same. Which of
// them is linked is decided for each program: the latter if a package with C code
// that is not of the standard library is part of it. The C compiler links such a
// program. All others, which Go links by itself, could not have the references,
// and most of them would become dynamically linked.
package libc
