// Script runs scripts in Tengo, an interpreter of a small language.
//
// It exercises a loop over bytecode with one switch, and values as interfaces. Hot: github.com/d5/tengo/v2.
package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"

	"github.com/d5/tengo/v2"
)

// rounds is the number of times that all scripts run at 100 percent.
const rounds = 140

// Each script leaves its result in the variable result.
var scripts = []string{`
fib := func(n) { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
result := fib(21)
`, `
sieve := []
for i := 0; i < 20000; i++ { sieve = append(sieve, true) }
result := 0
for i := 2; i < 20000; i++ {
	if sieve[i] {
		result++
		for k := i * i; k < 20000; k += i { sieve[k] = false }
	}
}
`, `
counts := {}
words := ["path", "edge", "value", "range", "tick", "poll"]
text := ""
for i := 0; i < 6000; i++ {
	w := words[i * i % len(words)]
	if is_undefined(counts[w]) { counts[w] = 0 }
	counts[w] += len(w)
	if i % 100 == 0 { text += w }
}
result := text + string(counts["path"]) + string(counts["poll"])
`, `
sort := func(a) {
	for i := 1; i < len(a); i++ {
		v := a[i]
		k := i - 1
		for k >= 0 && a[k] > v { a[k+1] = a[k]; k-- }
		a[k+1] = v
	}
	return a
}
list := []
x := 12345
for i := 0; i < 400; i++ { x = (x * 1103515245 + 12345) % 2147483648; list = append(list, x % 1000) }
list = sort(list)
result := string(list[0]) + " " + string(list[200]) + " " + string(list[399])
`}

var errUsage = errors.New("usage: script [percent]")

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
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	for range n {
		for _, text := range scripts {
			c, err := tengo.NewScript([]byte(text)).Run()
			if err != nil {
				return err
			}
			fmt.Fprintln(sum, c.Get("result").Value())
		}
	}
	_, err = fmt.Fprintf(stdout, "script: %d rounds of %d scripts, checksum %08x\n", n, len(scripts), sum.Sum32())
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
