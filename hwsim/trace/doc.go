// Package trace reads and writes files of tuples, in the format of package
// runtime/trace, and has a text form for them:
//
//	pep trace 1
//	build f639f9a8e9ef935e
//	exe ./app
//	comment loads of main
//	package main
//	file main.go
//	tap 0 load main.f main.go:5:9 signed64 int p.count
//	tap 1 type main.f main.go:6:12 0 any x
//	tap 2 load main.f main.go:7:7 signed64 int q.n
//	more address64 *int &q.n
//	symbol type 0x4a0 *go/types.Named
//	7 load main+0 300  # p.count main.go:5:9 main.f
//	7 type main+1 0x4a0  # *go/types.Named; x main.go:6:12 main.f
//	7 load main+2 5  # q.n main.go:7:7 main.f
//	7 more main+2 0xc000012340  # &q.n main.go:7:7 main.f
//	end 4 0
//
// A line for a tuple has stream, tag, site and word; what stands behind # is for
// readers. Sites are package+number, or a number; words are decimal, or
// hexadecimal with 0x. Of site tables the text has the taps alone, so a trace
// made of it has a build of its own if it has taps. A tap has the kind of its words
// with the width of the type: signed64, float32, length0. Lines with more behind it
// are further words of its samples.
//
//	r, err := trace.Open("app.trace", nil)
//	…
//	f := trace.Filter{Tags: []tuple.Tag{tuple.Load}, First: 1000}
//	err = f.Each(r, func(b trace.Block) error {
//		engines[b.Stream].Push(b.Tuples, out)
//		…
//	})
package trace
