package report

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/pepgo/pep/analyze/annotate"
	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/analyze/profile/proftest"
	"github.com/pepgo/pep/analyze/source"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/listing"
)

// A file that a Reader lets through within a memory has listings within that, with
// the file itself: as many samples as fit, of every shape.
func TestListingsFitIntoTheMemoryOfTheReader(t *testing.T) {
	const memory = 16 << 20
	src := source.NewTree("")
	deep := strings.Repeat("; main.f x.go:1", 300)[2:]
	long := strings.Repeat("; 1:1 if true", 300)[2:]
	for _, shape := range []struct{ name, head, sample string }{
		{"paths", "profile paths", `path func=main.f%d at=x.go:%[1]d path=p0 count=1 flow=1 from=entry lines=1 branches="1:1 if true"`},
		{"paths with callers", "profile paths",
			`path func=main.f%d at=x.go:%[1]d path=p0 count=1 flow=1 callers="` + deep + `"`},
		{"long paths", "profile paths", `path func=main.f%d at=x.go:%[1]d path=p0 count=1 flow=1 branches="` + long + `"`},
		{"edges", "profile edges", `edge func=main.f%d at=x.go:%[1]d branch=x.go:%[1]d:1 kind=if outcome=true line=2 count=1`},
		{"edges with callers", "profile edges",
			`edge func=main.f%d at=x.go:%[1]d branch=x.go:%[1]d:1 kind=if outcome=true line=2 count=1 callers="` + deep + `"`},
		{"values", "profile values", `word func=main.f%d at=x.go:%[1]d site=x.go:%[1]d:1 kind=load expr=x type=int value=1 count=1 messages=1`},
		{"values of a tap", "profile values", `word func=main.f at=x.go:1 site=x.go:1:1 kind=load expr=x type=int value=%d count=1 messages=1`},
	} {
		t.Run(shape.name, func(t *testing.T) {
			load := func(n int) (*profile.File, error) {
				text := bytes.NewBufferString(shape.head + "\nperiod 1 events/count\n")
				for i := range n {
					fmt.Fprintf(text, shape.sample+"\n", i+1)
				}
				data, err := proftest.Raw(text.String())
				if err != nil {
					t.Fatal(err)
				}
				return (&profile.Reader{Memory: memory}).Parse("big", bytes.NewReader(data))
			}
			n := 64
			for ; n < 1<<20; n *= 2 {
				if _, err := load(n); err != nil {
					break
				}
			}
			before := live()
			f, err := load(n / 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, list := range []func() (listing.Listing, error){
				func() (listing.Listing, error) { return Top(f, src, TopOptions{}) },
				func() (listing.Listing, error) { return annotated(t, f, src) },
				func() (listing.Listing, error) { return Values(f, src, ValuesOptions{}) },
				func() (listing.Listing, error) { return Dump(f) },
			} {
				l, err := list()
				if err != nil {
					continue // for another kind of file
				}
				got := live() - before
				t.Logf("%s of %d samples: %d MB of %d", l.Name(), n/2, got>>20, memory>>20)
				if got > memory {
					t.Errorf("%s of %d samples takes %d bytes, with a memory of %d", l.Name(), n/2, got, memory)
				}
				runtime.KeepAlive(l)
			}
			runtime.KeepAlive(f)
		})
	}
}

// live returns how many bytes are in use.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// annotated lists all functions of a run that has a file of paths or of edges, and an empty one of the other
// kind.
func annotated(t *testing.T, f *profile.File, src *source.Tree) (listing.Listing, error) {
	run := &profile.Run{Paths: f, Edges: parse(t, "profile edges\nperiod 1 events/count\n")}
	if f.Kind == schema.Edges {
		run = &profile.Run{Paths: parse(t, "profile paths\nperiod 1 events/count\n"), Edges: f}
	}
	program, err := annotate.New(annotate.Input{Run: run, Source: src})
	if err != nil {
		return nil, err
	}
	return List(run, program, src, regexp.MustCompile(""))
}
