// Package inlining compares what the compiler inlines in a plain and in an instrumented
// build of the same program.
//
//	plain, err := inlining.Build("testprogs/lua", "go")
//	same, err := inlining.Build("testprogs/lua", "bin/pepbuild", "-peppkg=all", "-pepinline=same")
//	lost, gained := plain.Diff(same)
//
// It reads what -gcflags=all=-m prints. A call is known by file, line and callee: columns
// differ, because pepbuild inserts text on the lines of the source.
package inlining

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Call is a call that the compiler has inlined.
type Call struct {
	Package string // import path of the package that was compiled
	File    string // without its directory
	Line    int
	Callee  string
}

func (c Call) String() string {
	return fmt.Sprintf("%s %s:%d %s", c.Package, c.File, c.Line, c.Callee)
}

// A Log says how often each call is inlined: a line may have several calls, and a generic
// function several instances.
type Log map[Call]int

// Total returns the number of inlined calls.
func (l Log) Total() (n int) {
	for _, k := range l {
		n += k
	}
	return n
}

// Diff returns the calls that l has more often than other, and those that other has more
// often than l, as often as they differ, sorted.
func (l Log) Diff(other Log) (lost, gained []Call) {
	for c, n := range l {
		for range n - other[c] {
			lost = append(lost, c)
		}
	}
	for c, n := range other {
		for range n - l[c] {
			gained = append(gained, c)
		}
	}
	for _, list := range [][]Call{lost, gained} {
		slices.SortFunc(list, func(a, b Call) int {
			return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.File, b.File), a.Line-b.Line, cmp.Compare(a.Callee, b.Callee))
		})
	}
	return lost, gained
}

var inlined = regexp.MustCompile(`^(\S+\.go):(\d+)(?::\d+)?: inlining call to (.*)$`)

// Parse reads what the go command prints with -gcflags=all=-m. It leaves out calls that
// pepbuild has inserted.
func Parse(text []byte) (Log, error) {
	log, pkg := Log{}, ""
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		if p, ok := strings.CutPrefix(s.Text(), "# "); ok {
			pkg = p
			continue
		}
		m := inlined.FindStringSubmatch(s.Text())
		if m == nil || slices.Contains([]string{"core.Poll", "core.pollArmed", "core.Count"}, m[3]) {
			continue
		}
		line, err := strconv.Atoi(m[2])
		if err != nil {
			return nil, err
		}
		log[Call{pkg, filepath.Base(m[1]), line, m[3]}]++
	}
	return log, s.Err()
}

// Build builds the main package in dir, without C code, with the go command or another one
// and the given flags, and returns what is inlined in it.
func Build(dir, command string, flags ...string) (Log, error) {
	work, err := os.MkdirTemp("", "inlining-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	args := append([]string{"build", "-gcflags=all=-m", "-o", filepath.Join(work, "prog")}, flags...)
	cmd := exec.Command(command, append(args, ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, out[max(0, len(out)-2000):])
	}
	return Parse(out)
}

// Std writes a module with a program that imports all packages of std that programs may
// import, into dir.
func Std(dir string) error {
	out, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("package main\n\n")
	for path := range strings.FieldsSeq(string(out)) {
		if !slices.ContainsFunc(strings.Split(path, "/"), func(e string) bool { return e == "internal" || e == "vendor" }) &&
			!slices.Contains([]string{"runtime/cgo", "runtime/race", "plugin"}, path) {
			fmt.Fprintf(&b, "import _ %q\n", path)
		}
	}
	b.WriteString("\nfunc main() {}\n")
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(b.String()), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/std\n\ngo 1.26\n"), 0o666)
}
