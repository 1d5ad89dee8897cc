package libc

// The go command leaves this file out for its name, which the compiler wants:
// only in files that begin like those of cgo it accepts these directives. It is
// part of the variant with the tag pepcgo.

//go:cgo_import_static pthread_create
//go:cgo_import_static __cxa_atexit
