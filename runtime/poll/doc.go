// Package poll holds what instrumented code and the linked runtime must agree on:
// where the poll region is, and which kind of poll a build has.
//
// A page poll of path 5 is a load from address Base + 5 = 0x60000005. Package
// instrument/rewrite writes the address into the text of the program, and core
// maps the region there.
package poll
