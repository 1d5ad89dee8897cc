// Ordered works on ordered maps: it puts keys in, looks them up, walks over ranges and deletes.
//
// It exercises generic code, binary searches and copies of slices. Hot: github.com/tidwall/btree.
package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/tidwall/btree"
)

// rounds is the number of maps that are filled and emptied at 100 percent.
const rounds = 34

var errUsage = errors.New("usage: ordered [percent]")

// secondInput is set if the program works on its second input.
var secondInput = os.Getenv("PEPBENCH_INPUT") == "2"

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

func run(args []string, stdout io.Writer) error {
	scale, err := percent(args)
	if err != nil {
		return err
	}
	keys := 100_000 // of each map
	if secondInput {
		keys = 900
	}
	random := rand.New(rand.NewPCG(1, 2))
	n := max(1, rounds*scale/100)
	found, sum := 0, 0
	for range n {
		numbers := btree.NewMap[int, int](0)
		names := btree.NewBTreeG(func(a, b string) bool { return a < b })
		for i := range keys {
			k := random.IntN(4 * keys)
			numbers.Set(k, i)
			if i%8 == 0 {
				names.Set(strconv.Itoa(k))
			}
		}
		for range 2 * keys {
			if v, ok := numbers.Get(random.IntN(4 * keys)); ok {
				found++
				sum += v
			}
		}
		for range 200 {
			left := 200
			numbers.Ascend(random.IntN(4*keys), func(k, v int) bool {
				sum += k ^ v
				left--
				return left > 0
			})
			names.Descend(strconv.Itoa(random.IntN(4*keys)), func(s string) bool {
				sum += len(s)
				left++
				return left < 200
			})
		}
		for range keys {
			numbers.Delete(random.IntN(4 * keys))
		}
		found += numbers.Len() + names.Len()
	}
	_, err = fmt.Fprintf(stdout, "ordered: %d rounds, %d found, sum %d\n", n, found, sum)
	return err
}

// percent returns the scale that the command line asks for.
func percent(args []string) (int, error) {
	if len(args) == 0 {
		return 100, nil
	}
	p, err := strconv.ParseUint(args[0], 10, 16) // 16 bits: the product with any workload fits
	if err != nil || p == 0 || len(args) > 1 {
		return 0, fmt.Errorf("%w: bad arguments %q", errUsage, args)
	}
	return int(p), nil
}
