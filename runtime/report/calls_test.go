package report_test

// This file tests what profiles say of calls that go outside of what is instrumented or tapped.

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/gobuild/pepbuildtest"
)

// callsOfRound makes 12 calls in four rounds: 4 of work, 4 of strings.Repeat, 1 of strconv.Itoa, 2
// through an interface and 1 through a function value. The method and the function that these
// call make none, and work has no taps of loads in one of the programs below.
const callsOfRound = `package main

import (
	"os"
	"strconv"
	"strings"
)

type shape interface{ area(int) int }
type square struct{ side int }
type config struct{ times int }

//go:noinline
func (s square) area(n int) int { return s.side * n }

//go:noinline
func work(n int) int {
	sum := 0
	for i := range n {
		if i%3 == 0 {
			sum += i
		}
	}
	return sum
}

//go:noinline
func round(c *config, i int, list []int, s shape, f func(int) int) int {
	times := c.times
	n := times*work(list[i%len(list)]) + len(strings.Repeat("x", i%5))
	if i%4 == 0 {
		n += len(strconv.Itoa(i)) + f(i)
	}
	if i%2 == 1 {
		n += s.area(i)
	}
	return n
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	sum := 0
	list := []int{4, 5, 6}
	for i := range rounds {
		sum += round(&config{3}, i, list, square{2}, func(n int) int { return n })
	}
	if sum == 1 {
		println(sum)
	}
}
`

func TestFlowOutside(t *testing.T) {
	pepbuildtest.SkipUnlessLinux(t)
	dir := t.TempDir()
	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), callsOfRound)
	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module flow\n\ngo 1.26\n")
	flow := func(t *testing.T, flags []string, rounds, kind string) (comment string) {
		t.Helper()
		out := t.TempDir()
		cmd := exec.Command(pepbuildtest.Program(t, dir, flags...), rounds)
		cmd.Env = append(os.Environ(), "PEPDIR="+out, "PEPOPTS=tick=2ms")
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		var calls facts.List
		for _, x := range pepbuildtest.Facts(t, pepbuildtest.Pprof(t, out, kind)) {
			if x.Key >= facts.Calls {
				calls = append(calls, x)
			}
		}
		return strings.TrimPrefix(calls.Encode(), "#pep.version=1 ")
	}
	// 40,000 rounds make 40,000 calls of round, 120,000 in it, and one of strconv.Atoi.
	for _, test := range []struct {
		name  string
		flags []string
		kind  string
		want  string
	}{
		{"exact", []string{"-pepmode=exact"}, "paths",
			"calls=160001 calls_outside=50001 calls_outside_to/strings.Repeat=40000 calls_outside_to/strconv.Itoa=10000 calls_outside_to/strconv.Atoi=1 calls_peppkg_all=50001 calls_indirect=30000"},
		{"with a package", []string{"-pepmode=exact", "-peppkg=flow,strings"}, "paths", ""},
		{"taps", []string{"-pepmode=exact", "-peptaps=loads"}, "values",
			"calls=160001 calls_outside=90001 calls_outside_to/main.work=40000 calls_outside_to/strings.Repeat=40000 calls_outside_to/strconv.Itoa=10000 calls_outside_to/strconv.Atoi=1 calls_peppkg_all=50001 calls_indirect=30000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := flow(t, test.flags, "40000", test.kind)
			if test.want != "" && got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if test.want == "" && strings.Contains(got, "strings.Repeat") {
				t.Errorf("strings is instrumented: %s", got)
			}
		})
	}
	// Samples have the same shares, more or less: there are 300 bursts and more with six rounds each.
	// That is 450 calls of strconv.Itoa in as many rounds of four, so 30 % are six standard deviations.
	t.Run("sampled", func(t *testing.T) {
		t.Parallel()
		got := flow(t, []string{"-pepmode=polls"}, "10000000", "paths")
		found := regexp.MustCompile(`^calls=(\d+) calls_outside=(\d+) calls_outside_to/strings.Repeat=(\d+) calls_outside_to/strconv.Itoa=(\d+) .*calls_indirect=(\d+) calls_sampled=1$`).FindStringSubmatch(got)
		if found == nil {
			t.Fatalf("got %s", got)
		}
		for i, want := range []float64{31.25, 25, 6.25, 18.75} {
			all, _ := strconv.ParseFloat(found[1], 64)
			n, _ := strconv.ParseFloat(found[i+2], 64)
			if share := 100 * n / all; share < want*.7 || share > want*1.3 {
				t.Errorf("%g %%, want %g: %s", share, want, got)
			}
		}
	})
}
