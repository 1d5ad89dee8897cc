package compiler

// This file builds a program with and without its profiles.

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pepgo/pep/analyze/speedup"
	"github.com/pepgo/pep/cmd/pep/launch"
	"github.com/pepgo/pep/internal/command"
)

// measureProfiles is the command pgo -check.
func measureProfiles(c *command.Call, check *bool, rounds *int) error {
	flags, err := launch.Parse(c, 1)
	switch {
	case err != nil:
		return err
	case !*check:
		return command.Usagef("pgo: -check stands behind the package: usage: %s", c.Synopsis())
	case set(c, "o", "n", "cut", "source_path") != "":
		return command.Usagef("pgo: -%s makes profiles, and -check measures those that are there",
			set(c, "o", "n", "cut", "source_path"))
	case *rounds < speedup.LeastRounds && set(c, "rounds") != "":
		return command.Usagef("pgo: -rounds=%d: intervals need %d rounds", *rounds, speedup.LeastRounds)
	}
	input, err := fileOf(c.Stdin)
	if err != nil {
		return err
	}
	pkg, args := launch.Split(c.Args)
	b := &builder{call: c, pkg: pkg}
	b.pgo, flags = take(flags, "pgo")
	b.opt, b.flags = take(flags, "pepopt")
	defer b.remove()
	builds, programs, err := b.all()
	if err != nil {
		return err
	}
	m := &measurement{builds: builds, programs: programs, rounds: *rounds, note: c.Note,
		run: runner(input, c.Stderr, args)}
	return c.Print(m.table(strings.Join(pkg, " ")))
}

// fileOf returns the file that programs have as their standard input, each from its beginning on; nil is no input.
func fileOf(r io.Reader) (*os.File, error) {
	f, ok := r.(*os.File)
	if !ok {
		return nil, nil
	}
	switch info, err := f.Stat(); {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return f, nil
	case info.Mode()&fs.ModeCharDevice != 0: // a terminal, or no input
		return nil, nil
	}
	return nil, command.Usagef("pgo: -check runs the program many times, and the standard input can be read only once: give it a file, as in < FILE, or < %s", os.DevNull)
}

// take takes the values of a flag out of a list of flags. The last one counts.
func take(flags []string, name string) (value string, rest []string) {
	value = "auto"
	for _, arg := range flags {
		if v, ok := strings.CutPrefix(strings.TrimLeft(arg, "-"), name+"="); ok {
			value = v
		} else {
			rest = append(rest, arg)
		}
	}
	return value, rest
}

// layouts is how many orders of functions the linker makes. The place of code changes how fast it is by some percent,
// and no measurement of one executable tells that from what a profile brings.
const layouts = 3

// inLayout adds an order of functions to the linker's flags. The last flag of several counts.
func inLayout(flags []string, layout int) []string {
	flags = slices.Clone(flags)
	value := fmt.Sprintf("-randlayout=%d", layout+1)
	for i, arg := range slices.Backward(flags) {
		if strings.HasPrefix(strings.TrimLeft(arg, "-"), "ldflags=") {
			flags[i] += " " + value
			return flags
		}
	}
	return append(flags, "-ldflags="+value)
}

// A builder builds a program in several ways.
type builder struct {
	call     *command.Call
	pkg      []string
	flags    []string // of all builds
	pgo, opt string   // values of -pgo and -pepopt
	dirs     []string // to be removed
}

func (b *builder) remove() {
	for _, dir := range b.dirs {
		os.RemoveAll(dir)
	}
}

// all builds the programs, by build and layout. The build that takes both profiles is the first, because its errors say
// what is missing. What the tools print is shown once.
func (b *builder) all() (builds []*speedup.Build, programs [][]string, err error) {
	pgo, opt := "-pgo="+b.pgo, "-pepopt="+b.opt
	flags := [][]string{{"-pgo=off"}, {pgo}, {"-pgo=off", opt}, {pgo, opt}}
	builds = []*speedup.Build{{Name: "plain"}, {Name: "pgo"}, {Name: "branches"}, {Name: "both"}}
	programs = make([][]string, len(builds))
	b.call.Note("%s is built in four ways, each in %d layouts", strings.Join(b.pkg, " "), layouts)
	for i, f := range slices.Backward(flags) {
		tool := "go"
		if slices.Contains(f, opt) {
			tool = "pepbuild"
		}
		shown := slices.DeleteFunc(slices.Clone(f), func(arg string) bool { return arg == "-pgo=auto" })
		builds[i].Command = strings.Join(append([]string{tool, "build"}, shown...), " ")
		for layout := range layouts {
			program, err := b.build(tool == "pepbuild", append(inLayout(b.flags, layout), f...))
			if err == nil && layout == 0 && slices.Contains(f, pgo) {
				err = b.hasProfile(program)
			}
			if err != nil {
				return nil, nil, err
			}
			programs[i] = append(programs[i], program)
		}
	}
	return builds, programs, nil
}

// build builds a program.
func (b *builder) build(layout bool, flags []string) (program string, err error) {
	var text bytes.Buffer
	out := io.Writer(&text)
	if len(b.dirs) == 0 {
		out = b.call.Stderr
	}
	s, err := launch.New(nil, out, out)
	if err != nil {
		return "", err
	}
	b.dirs = append(b.dirs, s.Dir)
	program, code, err := s.Faster(layout, append(flags, b.pkg...))
	if err == nil && code != 0 {
		b.call.Stderr.Write(text.Bytes())
		err = command.Exit(code)
	}
	return program, err
}

// hasProfile reports an error if the compiler has used no profile of calls for a program.
func (b *builder) hasProfile(program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	for _, s := range info.Settings {
		if s.Key == "-pgo" && s.Value != "off" {
			return nil
		}
	}
	return fmt.Errorf("-pgo=%s: go build takes no profile: pep pgo -o DIR makes one, in the directory of the package that it builds", b.pgo)
}

// A runFunc runs a program.
type runFunc func(program string, stdout io.Writer, shown bool) (cpu time.Duration, code int, err error)

// runner returns a function that runs programs with arguments. It shows what they print on standard error, or does not.
func runner(input *os.File, stderr io.Writer, args []string) runFunc {
	return func(program string, stdout io.Writer, shown bool) (cpu time.Duration, code int, err error) {
		cmd := exec.Command(program, args...)
		cmd.Stdout = stdout
		if shown {
			cmd.Stderr = stderr
		}
		if input != nil {
			if _, err := input.Seek(0, io.SeekStart); err != nil {
				return 0, 0, err
			}
			cmd.Stdin = input
		}
		var stop atomic.Bool
		code, err = launch.Exec(cmd, func() { stop.Store(true) })
		switch {
		case err != nil:
			return 0, 0, err
		case stop.Load():
			return 0, 0, command.Exit(cmp.Or(code, 1))
		case !cmd.ProcessState.Exited():
			return 0, 0, fmt.Errorf("%s: %v", strconv.Quote(strings.Join(cmd.Args, " ")), cmd.ProcessState)
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), code, nil
	}
}
