// Package trace reads and writes files of tuples, in the format of package
// format/trace, and has a text form for them:
//
//	pep trace 1
//	build 4bfcda451495aa2f
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
// The line of a tuple has the stream, the tag, the site and the word. The text after #
// is a comment for human readers, which Parse ignores. A site is package+number, or a
// number. A word is decimal, or hexadecimal with 0x.
//
// The line of a tap has the kind of the tap's words with the width of their type:
// signed64, float32, length0. The lines "more" after it describe the further words of
// the tap's samples. The text has only the taps of the site tables. So if the text has
// packages, Parse makes new tables, and the trace gets the build hash of these.
//
//	r, err := trace.Open("app.trace", nil)
//	…
//	f := trace.Filter{Tags: []tuple.Tag{tuple.Load}, First: 1000}
//	err = f.Each(r, func(b trace.Block) error {
//		engines[b.Stream].Push(b.Tuples, out)
//		…
//	})
package trace
