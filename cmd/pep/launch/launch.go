// Package launch builds programs and tests with pepbuild, and runs them.
//
//	flags, err := launch.Parse(c, 1)
//	pkg, args := launch.Split(c.Args)
//	s, err := launch.New(os.Stdin, os.Stdout, os.Stderr)
//	program, code, err := s.Build([]string{"-tags=demo", "./cmd/app"})
//	code, err = s.Run(program, []string{"-n", "10"})
//	runs, err := s.Runs() // {Program: "/tmp/pep-71/app", Profiles: {"/tmp/pep-71/app.72.….paths.pb.gz"}}
package launch

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pepgo/pep/analyze/profile"
	"github.com/pepgo/pep/format/facts"
	"github.com/pepgo/pep/format/schema"
	"github.com/pepgo/pep/internal/command"
	"github.com/pepgo/pep/internal/terminal"
)

// Parse parses flags and counts arguments as c.Parse does. Flags that c does not define are flags of pepbuild, in the
// form -flag or -flag=value.
func Parse(c *command.Call, least int) (build []string, err error) {
	var own []string
	for len(c.Args) > 0 && len(c.Args[0]) > 1 && c.Args[0][0] == '-' && c.Args[0] != "--" {
		arg := c.Args[0]
		c.Args = c.Args[1:]
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		f := c.Flags.Lookup(name)
		switch {
		case f != nil && !isBool(f) && !hasValue && len(c.Args) > 0:
			own = append(own, arg, c.Args[0])
			c.Args = c.Args[1:]
		case f != nil || name == "h" || name == "help":
			own = append(own, arg)
		default:
			build = append(build, arg)
		}
	}
	c.Args = append(own, c.Args...)
	return build, c.Parse(least, -1)
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// Split splits a package off its program's arguments. As for go run, several Go files are one program.
func Split(args []string) (pkg, rest []string) {
	n := 1
	for n < len(args) && strings.HasSuffix(args[n-1], ".go") && strings.HasSuffix(args[n], ".go") {
		n++
	}
	return args[:n], args[n:]
}

// A Session runs programs in a directory of its own. Their files and profiles stay there, for further
// commands.
type Session struct {
	Dir string

	stdin          io.Reader
	stdout, stderr io.Writer
	pepbuild       string // file of the command
}

// New makes the directory. Programs have the given streams.
func New(stdin io.Reader, stdout, stderr io.Writer) (*Session, error) {
	pepbuild, err := find("pepbuild")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pep-")
	return &Session{dir, stdin, stdout, stderr, pepbuild}, err
}

// find finds another command: in the directory of this one, in PATH, or among the tools of the module.
func find(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if file, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return file, nil
		}
	}
	if file, err := exec.LookPath(name); err == nil {
		return file, nil
	}
	if file, err := exec.Command("go", "tool", "-n", name).Output(); err == nil {
		return strings.TrimSpace(string(file)), nil
	}
	return "", fmt.Errorf("%s is neither beside pep nor in PATH: go install github.com/pepgo/pep/cmd/%s@latest", name,
		name)
}

// Build builds a program, with flags and a package, or Go files, for pepbuild. If that fails, it has
// said why, and code is its exit code.
func (s *Session) Build(args []string) (program string, code int, err error) {
	return s.build(s.pepbuild, args)
}

// Faster is Build for a program with nothing instrumented in it: of the go command, or one that pepbuild lays out, for
// which args have -pepopt.
func (s *Session) Faster(layout bool, args []string) (program string, code int, err error) {
	if layout {
		return s.build(s.pepbuild, args)
	}
	return s.build("go", args)
}

// build builds a program with a tool.
func (s *Session) build(tool string, args []string) (program string, code int, err error) {
	args = append([]string{"build", "-o", s.Dir + string(filepath.Separator)}, args...)
	if code, err = s.exec(tool, args...); code != 0 || err != nil {
		return "", code, errors.Join(err, os.RemoveAll(s.Dir))
	}
	files, err := os.ReadDir(s.Dir)
	if err != nil {
		return "", 0, err
	}
	if len(files) != 1 {
		return "", 0, errors.Join(fmt.Errorf("%d programs: name one", len(files)), os.RemoveAll(s.Dir))
	}
	return filepath.Join(s.Dir, files[0].Name()), 0, nil
}

// Run runs a program. It returns the exit code, of one that a signal has killed as shells do. Ctrl-C and
// signals end the program, but not Run.
func (s *Session) Run(program string, args []string) (code int, err error) {
	return s.exec(program, args...)
}

// Test runs tests, with the arguments of pepbuild test. It returns the exit code.
func (s *Session) Test(args []string) (code int, err error) {
	own := []string{"test", "-o", s.Dir + string(filepath.Separator)}
	if slices.Contains(args, "-pepmode="+facts.ModeCover) {
		own = own[:1] // the programs are not needed
	}
	return s.exec(s.pepbuild, append(own, args...)...)
}

func (s *Session) exec(name string, args ...string) (code int, err error) {
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.stdin, s.stdout, s.stderr
	cmd.Env = append(os.Environ(), "PEPDIR="+s.Dir)
	return Exec(cmd, func() {})
}

// Exec runs a program as Run does, and calls a function at each signal that was to end it.
func Exec(cmd *exec.Cmd, signalled func()) (code int, err error) {
	if err = cmd.Start(); err != nil {
		return 0, err
	}
	stop := terminal.Forward(cmd, signalled)
	defer stop()
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exitCode(exit.ProcessState), nil
	}
	return 0, err
}

// A Run is a program that ran, perhaps several times, or all programs that were built for coverage.
type Run struct {
	Program  string   // its file; "" if that is not in Dir
	Name     string   // of the file
	Profiles []string // of paths, and site tables of packages in no program
}

// coverage is the Name of the Run of all programs that were built for coverage.
const coverage = "coverage"

// Runs returns the programs that wrote profiles. If there is none, it returns an error and removes
// Dir, unless that has counts of a program that was killed.
func (s *Session) Runs() (runs []*Run, err error) {
	names, err := filepath.Glob(filepath.Join(s.Dir, "*."+string(schema.Paths)+".pb.gz"))
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*Run)
	for _, name := range names {
		f, err := profile.Open(name)
		if err != nil {
			return nil, err
		}
		base := filepath.Base(f.Binary)
		if slices.ContainsFunc(f.Facts, func(l facts.List) bool { return l.Text(facts.Mode) == facts.ModeCover }) {
			base = coverage
		}
		r := byName[base]
		if r == nil {
			r = &Run{Program: filepath.Join(s.Dir, base), Name: base}
			if _, err := os.Stat(r.Program); errors.Is(err, fs.ErrNotExist) {
				r.Program = ""
			}
			byName[base] = r
			runs = append(runs, r)
		}
		r.Profiles = append(r.Profiles, name)
	}
	if all := byName[coverage]; all != nil {
		untested, err := filepath.Glob(filepath.Join(s.Dir, "untested.*."+schema.Sites))
		if err != nil {
			return nil, err
		}
		all.Profiles = append(all.Profiles, untested...)
	}
	if len(runs) > 0 {
		return runs, nil
	}
	counts, err := filepath.Glob(filepath.Join(s.Dir, "*.pep"))
	if err == nil && len(counts) > 0 {
		program, _, _ := strings.Cut(counts[0], ".")
		return nil, fmt.Errorf("the program was killed and wrote no profile: PEP_WRITE=%s %s makes profiles of what it had counted", counts[0], program)
	}
	return nil, errors.Join(errors.New("nothing wrote a profile: a program has none if it ends before its first tick, which comes after some milliseconds of CPU time"), os.RemoveAll(s.Dir))
}
