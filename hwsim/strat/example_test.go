package strat_test

import (
	"fmt"

	"github.com/pepgo/pep/hwsim/strat"
	"github.com/pepgo/pep/runtime/tuple"
)

func ExampleParse() {
	e, err := strat.Parse("P2+A4")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := tuple.New(tuple.Load, 1, 7), tuple.New(tuple.Load, 1, 8)
	msgs := e.Push([]tuple.Tuple{a, b, a, b, a, a}, nil)
	fmt.Println(len(msgs), "messages")
	for _, m := range e.Flush(msgs) {
		fmt.Println(m.Tuple.W, m.Count)
	}
	// Output:
	// 0 messages
	// 8 4
	// 7 2
}

func ExampleParseSpec_error() {
	_, err := strat.ParseSpec("H[P256]+A16")
	fmt.Println(err)
	// Output:
	// compressor H[P256]+A16, column 8: want the number of strata, from 1 to 4194304
}
