package strat_test

import (
	"fmt"

	"github.com/pepgo/pep/format/tuple"
	"github.com/pepgo/pep/hwsim"
	"github.com/pepgo/pep/hwsim/strat"
)

func ExampleParse() {
	e, err := strat.Parse("P2+A4")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := tuple.New(tuple.Load, 1, 7), tuple.New(tuple.Load, 1, 8)
	out := hwsim.NewOut(16, func(msgs []hwsim.Message) {
		for _, m := range msgs {
			fmt.Println(m.Tuple.W, m.Count)
		}
	})
	e.Push([]tuple.Tuple{a, b, a, b, a, a}, out)
	out.Drain()
	fmt.Println("the end of the stream")
	e.Flush(out)
	out.Drain()
	// Output:
	// the end of the stream
	// 8 4
	// 7 2
}

func ExampleParseSpec_error() {
	_, err := strat.ParseSpec("H[P256]+A16")
	fmt.Println(err)
	// Output:
	// engine H[P256]+A16, column 8: want the number of strata, from 1 to 4194304
}
