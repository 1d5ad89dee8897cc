package inlining_test

import (
	"slices"
	"testing"

	"github.com/pepgo/pep/lab/inlining"
)

const plain = `# sort
/go/src/sort/search.go:59:6: can inline Search
/go/src/sort/search.go:80:12: inlining call to Search
/go/src/sort/search.go:80:40: inlining call to Search
# example.com/m
./main.go:7: inlining call to sort.Search
./main.go:8:3: x does not escape
`

const instrumented = `# sort
/go/src/sort/search.go:80:99: inlining call to Search
# example.com/m
./main.go:7:1: inlining call to sort.Search
./main.go:7:1: inlining call to core.Poll
./main.go:7:1: inlining call to core.pollArmed
./main.go:9:1: inlining call to f[go.shape.int]
`

func TestDiff(t *testing.T) {
	a, err := inlining.Parse([]byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	b, err := inlining.Parse([]byte(instrumented))
	if err != nil {
		t.Fatal(err)
	}
	if a.Total() != 3 || b.Total() != 3 {
		t.Errorf("%d and %d calls, want 3 and 3", a.Total(), b.Total())
	}
	lost, gained := a.Diff(b)
	if want := []inlining.Call{{Package: "sort", File: "search.go", Line: 80, Callee: "Search"}}; !slices.Equal(lost, want) {
		t.Errorf("lost %v, want %v", lost, want)
	}
	if want := []inlining.Call{{Package: "example.com/m", File: "main.go", Line: 9, Callee: "f[go.shape.int]"}}; !slices.Equal(gained, want) {
		t.Errorf("gained %v, want %v", gained, want)
	}
}
