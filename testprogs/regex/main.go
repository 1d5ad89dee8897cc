// Regex searches, splits up and rewrites a generated server log with patterns
// for each of the matchers of package regexp.
//
// It exercises interpreters of small programs: the one-pass matcher (anchored
// patterns), the backtracker (short inputs) and the NFA simulation (long
// inputs). Hot: regexp and regexp/syntax.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
)

var (
	onePass = regexp.MustCompile(`^(\d+\.\d+\.\d+\.\d+) - ([a-z]+) \[(\d+)\] "([A-Z]+) ([^ "]+)" (\d{3}) (\d+)$`)

	// Searched for line by line, which is short enough to backtrack.
	byLine = []*regexp.Regexp{
		regexp.MustCompile(`(?i)/(login|logout|admin)(/[a-z]+)*`),
		regexp.MustCompile(`\b(\d{1,2}|1\d\d|2[0-4]\d|25[0-5])\.0\.\d+\.(\d*7)\b`),
		regexp.MustCompile(`([a-z]+)=([^&" ]*)(&[a-z]+=[^&" ]*)*" [45]\d\d`),
	}

	// Searched for in whole blocks, which is too long to backtrack.
	byBlock = []*regexp.Regexp{
		regexp.MustCompile(`(?m)"(GET|PUT) [^"]*\?[^"]*" 200 \d+$`),
		regexp.MustCompile(`(alice|bob|carol|dave) \[(\d+)\]`),
		regexp.MustCompile(`(a|e|i)+[a-z]*?(ing|ion)?/(x|y)`),
	}

	query = regexp.MustCompile(`([a-z]+)=([a-z0-9]+)`)
)

const (
	blocks     = 4   // distinct blocks of log
	blockLines = 600 // lines in a block
	scans      = 120 // blocks scanned at 100 percent
)

var errUsage = errors.New("usage: regex [percent]")

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
	rng := rand.New(rand.NewPCG(5, 6))
	logs := make([][]byte, blocks)
	for i := range logs {
		logs[i] = newLog(rng)
	}
	sum := crc32.NewIEEE()
	matches := 0
	n := max(1, scans*scale/100)
	for i := range n {
		matches += scan(sum, logs[i%len(logs)])
	}
	_, err = fmt.Fprintf(stdout, "regex: %d scans, %d matches, checksum %08x\n", n, matches, sum.Sum32())
	return err
}

// scan writes what all patterns find in log and returns the number of matches.
func scan(w io.Writer, log []byte) int {
	matches := 0
	for line := range bytes.Lines(log) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if m := onePass.FindSubmatch(line); m != nil {
			matches++
			fmt.Fprintf(w, "%s %s %s\n", m[2], m[5], m[6])
		}
		for _, re := range byLine {
			if m := re.FindSubmatchIndex(line); m != nil {
				matches++
				fmt.Fprintln(w, m)
			}
		}
	}
	for _, re := range byBlock {
		all := re.FindAllSubmatchIndex(log, -1)
		matches += len(all)
		fmt.Fprintln(w, len(all), all[len(all)/2:])
	}
	w.Write(query.ReplaceAll(log, []byte("$2:$1")))
	return matches
}

// newLog returns a block of lines that onePass matches, a few garbled ones among them.
func newLog(rng *rand.Rand) []byte {
	users := []string{"alice", "bob", "carol", "dave", "erin", "mallory"}
	methods := []string{"GET", "GET", "GET", "POST", "PUT", "DELETE"}
	segments := []string{"login", "Logout", "admin", "static", "images", "station", "x", "y", "reading"}
	keys := []string{"page", "user", "sort", "id"}
	statuses := []int{200, 200, 200, 304, 404, 500}

	truncated := 20 // of so many lines, one
	if secondInput {
		users, methods, truncated = []string{"root", "guest", "x"}, []string{"POST", "HEAD"}, 2
		segments, keys = []string{"api", "v2", "Admin", "some-longer-segment_42"}, []string{"q", "callback"}
	}
	var out bytes.Buffer
	for range blockLines {
		fmt.Fprintf(&out, "%d.%d.%d.%d - %s [%d] \"%s ", rng.IntN(256), rng.IntN(3), rng.IntN(256), rng.IntN(256),
			pick(rng, users), 1_700_000_000+rng.IntN(1e8), pick(rng, methods))
		for range 1 + rng.IntN(4) {
			fmt.Fprintf(&out, "/%s", pick(rng, segments))
		}
		for i := range rng.IntN(4) {
			fmt.Fprintf(&out, "%c%s=%x", "?&"[min(i, 1)], pick(rng, keys), rng.IntN(1e6))
		}
		fmt.Fprintf(&out, "\" %d %d", pick(rng, statuses), rng.IntN(1e5))
		if rng.IntN(truncated) == 0 {
			out.WriteString(" [truncated")
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

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
