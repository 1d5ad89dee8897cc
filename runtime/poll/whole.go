//go:build !peppart

package poll

// Part says that instrumented code lacks something (pepbuild -pepwithout): path registers or polls, so that it
// counts wrong paths or none, or atomic additions, so that several threads lose counts.
const Part = false
