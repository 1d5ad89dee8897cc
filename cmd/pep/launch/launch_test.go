package launch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pepgo/pep/cmd/pep/launch"
	"github.com/pepgo/pep/internal/command"
)

var program = command.Program{Name: "pep", Verbs: []command.Verb{{Name: "run", Usage: "pep run", Lists: true}}}

// Flags of the command may have their value behind them; all others are for the build. What is behind the package is
// the program's.
func TestParse(t *testing.T) {
	for _, c := range []struct{ line, build, rest, err string }{
		{"-tags=x --n 5 -race -on -n=6 -json ./app -n 7 -x", "-tags=x -race", "./app -n 7 -x", ""},
		{"-n 5 -- -app", "", "-app", ""},
		{"-on=false - -race", "", "- -race", ""},
		{"-race -n", "-race", "", "flag needs an argument: -n"},
		{"-race", "-race", "", "wrong number of arguments"},
		{"-h ./app", "", "./app", "help requested"},
	} {
		call := program.Call(program.Verbs[0], strings.Fields(c.line)...)
		call.Flags.Int("n", 0, "")
		call.Flags.Bool("on", false, "")
		build, err := launch.Parse(call, 1)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: got %v, want %s", c.line, err, c.err)
			}
		} else if err != nil || strings.Join(build, " ") != c.build || strings.Join(call.Args, " ") != c.rest {
			t.Errorf("%s: got %q, %q and %v, want %s, %s", c.line, build, call.Args, err, c.build, c.rest)
		}
	}
}

func TestSplit(t *testing.T) {
	for line, want := range map[string]int{"./app x.go": 1, "a.go": 1, "a.go b.go c x.go": 2, "a.go -n b.go": 1} {
		args := strings.Fields(line)
		if pkg, rest := launch.Split(args); !slices.Equal(pkg, args[:want]) || !slices.Equal(rest, args[want:]) {
			t.Errorf("%s: got %q and %q", line, pkg, rest)
		}
	}
}
