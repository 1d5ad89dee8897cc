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
	if secondInput {
		scripts = secondScripts
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

// secondScripts are those of the second input.
var secondScripts = []string{`
result := 0
for i := 1; i < 1500; i++ {
	x := i
	for x != 1 {
		if x % 2 == 0 { x = x / 2 } else { x = 3 * x + 1 }
		result++
	}
}
`, `
text := "the path of a tick is not the path of a poll"
vowels := 0
longest := 0
for round := 0; round < 60; round++ {
	length := 0
	for c in text {
		if c == ' ' { length = 0; continue }
		length++
		if length > longest { longest = length }
		if c == 'a' || c == 'e' || c == 'i' || c == 'o' { vowels++ }
	}
}
result := string(vowels) + " " + string(longest)
`, `
column := {}
place := func(row, n) { return 0 }
place = func(row, n) {
	if row == n { return 1 }
	found := 0
	for c := 0; c < n; c++ {
		free := true
		for r := 0; r < row; r++ {
			d := column[string(r)] - c
			if d == 0 || d == row - r || d == r - row { free = false; break }
		}
		if free {
			column[string(row)] = c
			found += place(row + 1, n)
		}
	}
	return found
}
result := place(0, 6)
`}

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
