// Query runs queries of jq over a tree of records.
//
// It exercises an interpreter with backtracking, values as interfaces and maps. Hot: github.com/itchyny/gojq.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"

	"github.com/itchyny/gojq"
)

// rounds is the number of times that all queries run at 100 percent.
const rounds = 90

var queries = []string{
	`[.[] | select(.age > 30 and (.tags | index("b")))] | group_by(.city) | map({city: .[0].city, n: length, mean: ((map(.age) | add) / length)}) | sort_by(-.n)`,
	`[paths(type == "number")] | length`,
	`reduce .[] as $r ({}; .[$r.city] += $r.age)`,
	`[.[] | .name | ascii_upcase | test("^N1.*7$")] | map(select(.)) | length`,
	`def fac: if . < 2 then 1 else . * (. - 1 | fac) end; [range(1; 15) | fac] | add`,
	`[limit(50; .[] | .tags[] as $t | select($t != "a") | "\(.name)-\($t)")] | join(",")`,
	`to_entries | map(select(.key % 7 == 0) | .value.age) | unique | length`,
}

var errUsage = errors.New("usage: query [percent]")

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
		queries = []string{
			`[.[] | {name, old: (.age >= 50)}] | map(select(.old | not)) | length`,
			`map(.tags | length) | add / length`,
			`[.[] | .city | ascii_downcase] | unique | join("-")`,
			`def fib: if . < 2 then . else (. - 1 | fib) + (. - 2 | fib) end; 13 | fib`,
			`[foreach .[] as $r (0; . + $r.age; select(. % 10 == 0))] | length`,
			`map(select(.name | endswith("7"))) | min_by(.age) | .name`,
		}
	}
	var programs []*gojq.Code
	for _, text := range queries {
		q, err := gojq.Parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		code, err := gojq.Compile(q)
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		programs = append(programs, code)
	}
	sum := crc32.NewIEEE()
	n := max(1, rounds*scale/100)
	for range n {
		for i, code := range programs {
			results := code.Run(records())
			for {
				v, ok := results.Next()
				if !ok {
					break
				}
				if err, ok := v.(error); ok {
					return fmt.Errorf("%s: %w", queries[i], err)
				}
				text, err := json.Marshal(v)
				if err != nil {
					return err
				}
				sum.Write(text)
			}
		}
	}
	_, err = fmt.Fprintf(stdout, "query: %d rounds of %d queries, checksum %08x\n", n, len(programs), sum.Sum32())
	return err
}

// records returns what queries are asked about.
func records() any {
	cities := []any{"Oslo", "Lima", "Kyoto", "Accra", "Quito"}
	tags := []any{"a", "b", "c", "d"}
	list := make([]any, 1500)
	for i := range list {
		list[i] = map[string]any{
			"name": "n" + strconv.Itoa(i),
			"age":  i*7919%83 + 1,
			"city": cities[i*31%len(cities)],
			"tags": tags[i%3 : i%3+i%2+1],
		}
	}
	return list
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
