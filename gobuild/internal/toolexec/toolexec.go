// Package toolexec stands between the go command and its tools.
//
// The go command runs with -toolexec, and calls
//
//	pepbuild toolexec /path/to/compile -o $WORK/b002/_pkg_.a … -pep=rewrite,mode=polls,… x.go
//
// for every tool that it needs. This package passes most calls on as they are. If a
// compile command has a -pep tag, it compiles instrumented copies of the files instead,
// and stores the package's site table in the archive. (The tag comes through -gcflags,
// so it is part of the build cache's key.) A package without a tag that imports such packages is compiled by
// the same compiler, because that may inline their functions into it. For a link command it gathers the site
// tables of all packages, compiles the package of the runtime that holds them, and
// links the runtime in.
//
// Package gobuild tags only packages that may be instrumented, and builds the linked
// runtime before.
package toolexec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/pepgo/pep/gobuild/internal/plan"
)

// Run runs the tool args[0] with the given arguments and returns its exit code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	if len(args) == 0 {
		return 2, errors.New("toolexec: no tool: the go command calls this verb, users do not")
	}
	collectLate(128 << 20) // as the Go compiler does; most packages need less
	p, err := plan.FromEnvironment()
	if err != nil {
		return 1, err
	}
	t := &tool{path: args[0], args: args[1:], plan: p, stdin: stdin, stdout: stdout, stderr: stderr}
	switch strings.TrimSuffix(filepath.Base(t.path), ".exe") {
	case "compile":
		return t.compile()
	case "link":
		return t.link()
	}
	return t.become()
}

// collectLate has the garbage collector run first with a heap of some bytes. What the user sets in the environment
// stands.
func collectLate(heap int64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	const minHeap = 4 << 20 // with which the collector begins at 100 percent
	debug.SetGCPercent(int(heap / minHeap * 100))
	type first struct{ _ *byte } // A value without a pointer may share memory with one that stays.
	runtime.AddCleanup(new(first), func(percent int) { debug.SetGCPercent(percent) }, 200)
}

// A tool is a call of a tool of the go command.
type tool struct {
	path           string
	args           []string
	plan           *plan.Plan
	stdin          io.Reader
	stdout, stderr io.Writer
}

// sibling returns the path of another tool of the same toolchain.
func (t *tool) sibling(name string) string {
	return filepath.Join(filepath.Dir(t.path), name+filepath.Ext(t.path))
}

// become runs the tool in place of this process, which has nothing more to do: the go command asks each tool for its
// version in each build. Where that is not possible, it runs the tool and returns its exit code.
func (t *tool) become() (int, error) {
	if t.stdin == os.Stdin && t.stdout == os.Stdout && t.stderr == os.Stderr {
		if err := syscall.Exec(t.path, append([]string{t.path}, t.args...), os.Environ()); !errors.Is(err,
			errors.ErrUnsupported) && runtime.GOOS != "windows" {
			return 1, fmt.Errorf("running %s: %w", t.path, err)
		}
	}
	return t.run(t.args)
}

// run runs the tool and returns its exit code.
func (t *tool) run(args []string) (int, error) {
	cmd := exec.Command(t.path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.stdin, t.stdout, t.stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, fmt.Errorf("running %s: %w", t.path, err)
	}
	return 0, nil
}

// flag returns the value of a flag on the tool's command line and the index of the
// value, -1 if the flag is missing.
func (t *tool) flag(name string) (value string, index int) {
	for i, a := range t.args {
		if v, ok := strings.CutPrefix(a, name+"="); ok {
			return v, i
		}
		if a == name && i+1 < len(t.args) {
			return t.args[i+1], i + 1
		}
	}
	return "", -1
}

// lastFlag returns the last value of a flag, which is the one that counts: users may
// set flags that the go command sets too.
func (t *tool) lastFlag(name string) (value string) {
	for i, a := range t.args {
		if v, ok := strings.CutPrefix(a, name+"="); ok {
			value = v
		} else if a == name && i+1 < len(t.args) {
			value = t.args[i+1]
		}
	}
	return value
}

// withFlag returns args with the value at index i, as flag found it, replaced.
func withFlag(args []string, i int, name, value string) []string {
	args = append([]string(nil), args...)
	if strings.HasPrefix(args[i], name+"=") {
		args[i] = name + "=" + value
	} else {
		args[i] = value
	}
	return args
}

// join writes a file that has the lines of others, and then those of text.
func join(to, text string, files ...string) error {
	var all []byte
	for _, name := range files {
		lines, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if all = append(all, lines...); len(all) > 0 && all[len(all)-1] != '\n' {
			all = append(all, '\n')
		}
	}
	return os.WriteFile(to, append(all, text...), 0o666)
}
