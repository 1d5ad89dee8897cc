package gobuild

// This file makes the command line of the go command.

import (
	"maps"
	"os"
	"slices"

	"github.com/pepgo/pep/gobuild/internal/plan"
)

// goArgs returns the arguments of the go command that builds. Our flags stand behind
// those of the user, because the go command takes the last of several.
func (b *build) goArgs(exe string, tags map[string]plan.Tag) ([]string, error) {
	self, err := quoted(exe)
	if err != nil {
		return nil, err
	}
	args := append([]string{b.args.Verb}, b.args.GoFlags...)
	if _, i := last(b.flags(), "count"); b.args.Verb == "test" && i < 0 {
		// A result from the cache leaves no profile.
		args = append(args, "-count=1")
	}
	b.toolFlags = append([]string{toolexecFlag(self)}, b.gcflags(slices.Sorted(maps.Keys(tags)), tags)...)
	args = append(args, b.toolFlags...)
	if b.args.Verb == "test" {
		args = append(args, b.args.Patterns...)
		if len(b.args.Rest) > 0 {
			args = append(append(args, "-args"), b.args.Rest...)
		}
		return args, nil
	}
	if len(b.args.Patterns) > 0 {
		args = append(append(args, "--"), b.args.Patterns...)
	}
	return append(args, b.args.Rest...), nil
}

// toolEnv returns the environment in which Tool finds the plan.
func (b *build) toolEnv() []string { return append(os.Environ(), b.args.Environment()) }
