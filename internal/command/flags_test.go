package command_test

import (
	"io"
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
			t.Errorf("%q: exit code %d, number %d, share %g; want %d, %d, %g", test.args, code, n, share, test.code, test.n, test.share)
		}
	}
}
