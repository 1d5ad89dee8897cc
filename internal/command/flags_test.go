package command_test

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/pepgo/pep/internal/command"
)

func TestFlagsOfNumbersAndPercentages(t *testing.T) {
	var n int
	var share float64
	p := command.Program{Name: "p", Verbs: []command.Verb{{Name: "v", Usage: "p v\n", Run: func(c *command.Call) error {
		number, percent := c.Number("n", 10, "things"), c.Percent("cut", 99)
		err := c.Parse(0, 0)
		n, share = *number, *percent
		return err
	}}}}
	for _, test := range []struct {
		args  []string
		n     int
		share float64
		code  int
	}{
		{nil, 10, 0.99, 0},
		{[]string{"-n", "0", "-cut", "100"}, 0, 1, 0},
		{[]string{"-n=7", "-cut=0.5"}, 7, 0.005, 0},
		{[]string{"-n", "-1"}, 10, 0.99, 2},
		{[]string{"-n", "1.5"}, 10, 0.99, 2},
		{[]string{"-cut", "0"}, 10, 0.99, 2},
		{[]string{"-cut", "101"}, 10, 0.99, 2},
		{[]string{"-cut", "NaN"}, 10, 0.99, 2},
	} {
		code := p.Run(append([]string{"v"}, test.args...), nil, io.Discard, io.Discard)
		if code != test.code || n != test.n || share != test.share {
			t.Errorf("%q: exit code %d, number %d, share %g; want %d, %d, %g", test.args, code, n, share, test.code, test.n,
				test.share)
		}
	}
}

// A flag that lists percentages, one that has one of some values, and one that is a regular expression.
func TestOtherFlags(t *testing.T) {
	for _, test := range []struct {
		args   []string
		want   string
		stderr string
	}{
		{nil, "[0.5 0.8] path <nil>", ""},
		{[]string{"-cover=1,,100", "-by=line", "-re=a.c"}, "[0.01 1] line a.c", ""},
		{[]string{"-re="}, "[0.5 0.8] path <nil>", ""},
		{[]string{"-cover=5,0"}, "", `"0" is no percentage above 0`},
		{[]string{"-by=lien"}, "", "want path, line: did you mean line?"},
		{[]string{"-re=("}, "", "missing closing )"},
	} {
		got := ""
		p := command.Program{Name: "p", Verbs: []command.Verb{{Name: "v", Run: func(c *command.Call) error {
			cover, by := c.Percents("cover", 50, 80), c.OneOf("by", "path", "line")
			var re *regexp.Regexp
			c.Regexp("re", &re)
			err := c.Parse(0, 0)
			if err == nil {
				got = fmt.Sprint(*cover, *by, " ", re)
			}
			return err
		}}}}
		var stderr strings.Builder
		p.Run(append([]string{"v"}, test.args...), nil, io.Discard, &stderr)
		if got = strings.Replace(got, "]", "] ", 1); strings.Join(strings.Fields(got), " ") != test.want ||
			!strings.Contains(stderr.String(), test.stderr) || (stderr.Len() > 0) != (test.stderr != "") {
			t.Errorf("%q: got %q, %q, want %q, %q", test.args, got, stderr.String(), test.want, test.stderr)
		}
	}
}
