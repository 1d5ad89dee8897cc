//go:build !peppart

package poll

// Part says that instrumented code lacks path registers or polls (pepbuild -pepwithout), so that it
// counts wrong paths or none.
const Part = false
