package flow_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const callers = `package p

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

type T struct {
	sync.Mutex
	w io.Writer
	f func() int
}

func (t *T) m(b *strings.Builder, list []string) {
	t.Lock()
	defer t.Unlock()
	t.w.Write(nil)
	t.f()
	b.WriteString("x")
	slices.Sort(list)
	_ = append(list, string(make([]byte, 3)))
	go one(list)
	func() { two[int](1) }()
}

func one(list []string) bool {
	if len(list) > 0 && strings.Contains(list[0], "a") {
		_, err := json.Marshal(list)
		return err == nil
	}
	return fmt.Sprint(list) == "" || one(nil)
}

func two[E any](e E) { G[E]{}.n(); new(G[E]).o() }

type G[E any] struct{ e E }

func (g G[E]) n()  {}
func (g *G[E]) o() { f := bytes.NewReader; f(nil); (*T).m(nil, nil, nil) }
`

// The calls of each function: those of builtins, conversions and markers are no calls.
func TestCalls(t *testing.T) {
	_, funcs := functions(t, []byte(callers))
	var got []string
	for _, f := range funcs {
		var calls []string
		for _, n := range f.Nodes {
			calls = append(calls, n.Calls...)
		}
		got = append(got, f.Name+": "+strings.Join(calls, " "))
	}
	want := []string{
		"p.(*T).m: sync.(*Mutex).Lock sync.(*Mutex).Unlock (interface) (function value) strings.(*Builder).WriteString slices.Sort[...] p.one p.(*T).m.func1",
		"p.(*T).m.func1: p.two[...]",
		"p.one: strings.Contains encoding/json.Marshal fmt.Sprint p.one",
		"p.two[...]: p.G[...].n p.(*G[...]).o",
		"p.G[...].n: ",
		"p.(*G[...]).o: bytes.NewReader p.(*T).m",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
