// Package other has a path that does not end in its name.
package other

type T struct{ A int }

func (T) Read([]byte) (int, error) { return 0, nil }

type Box[X any] struct{ X X }

// Unnamed has types with a field and a method of this package.
var Unnamed = []any{struct{ x int }{}, []interface{ m() }{}}
