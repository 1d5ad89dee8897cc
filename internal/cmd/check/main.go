// Command check runs every check of the project and ends with a line that says
// how many passed and how many failed:
//
//	$ go run ./internal/cmd/check
//	ok    gofmt
//	ok    go vet
//	ok    github.com/pepgo/pep/runtime/wire  0.41s  23 passed
//	…
//	ok    fuzz github.com/pepgo/pep/runtime/wire FuzzReadPackage  4.1s  80123 executions
//	…
//	431 passed, 0 failed
//
// The command passes its arguments on to go test. Without arguments it tests all packages,
// and runs each fuzz test for a second. If the first argument is -fuzzeach=10m, it only
// runs the fuzz tests of the packages named after it, each for ten minutes. The exit code
// is 0 if everything passed.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/pepgo/pep/internal/check"
)

func main() {
	count := run(os.Args[1:], os.Stdout)
	if count.Skipped > 0 {
		fmt.Printf("%d skipped, see SKIP above\n", count.Skipped)
	}
	fmt.Println(count)
	if count.Failed > 0 {
		os.Exit(1)
	}
}

// short is how long each fuzz test runs beside the other checks.
const short = time.Second

func run(args []string, w io.Writer) check.Count {
	all := len(args) == 0
	if all {
		// The packages whose tests take longest begin first, so that no processor waits for one of them at the end.
		args = []string{"./cmd/pepbuild", "./runtime/core", "./lab/torture", "./..."}
	}
	if each, ok := strings.CutPrefix(args[0], "-fuzzeach="); ok {
		d, err := time.ParseDuration(each)
		if err != nil {
			fmt.Fprintf(w, "FAIL  fuzz\n      %v\n", err)
			return check.Count{Failed: 1}
		}
		return fuzzing(w, args[1:], d)
	}
	var count check.Count
	count.Add(silent(w, "gofmt", "gofmt", append([]string{"-l"}, sources()...)...))
	count.Add(silent(w, "go vet", "go", "vet", "./..."))
	count.Add(tests(w, args))
	if all {
		count.Add(fuzzing(w, args, short))
	}
	return count
}

// sources returns the directories that have source. In build/ is what commands make, such as the
// programs of an interrupted make torture. If there are none, it returns the current directory.
func sources() (dirs []string) {
	entries, _ := os.ReadDir(".") // gofmt says what is wrong with the current directory
	for _, e := range entries {
		if e.IsDir() && e.Name() != "build" && e.Name() != "bin" && !strings.HasPrefix(e.Name(), ".") {
			dirs = append(dirs, e.Name())
		}
	}
	if len(dirs) == 0 {
		return []string{"."}
	}
	return dirs
}

// fuzzing runs the fuzz tests of packages.
func fuzzing(w io.Writer, packages []string, each time.Duration) check.Count {
	targets, err := check.Targets(packages...)
	if err == nil && len(targets) == 0 {
		err = errors.New("no fuzz tests")
	}
	if err != nil {
		fmt.Fprintf(w, "FAIL  fuzz\n      %v\n", err)
		return check.Count{Failed: 1}
	}
	return check.Fuzz(w, targets, each)
}

// silent runs a command that prints nothing if all is well. Its messages on standard error
// count only if it fails, because the go command lists there what it downloads.
func silent(w io.Writer, what, name string, args ...string) check.Count {
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil && len(out) == 0 {
		fmt.Fprintf(w, "ok    %s\n", what)
		return check.Count{Passed: 1}
	}
	fmt.Fprintf(w, "FAIL  %s\n%s%s", what, out, stderr.Bytes())
	if err != nil {
		fmt.Fprintf(w, "      %v\n", err)
	}
	return check.Count{Failed: 1}
}

// tests runs go test, without the checks of go vet that it would do again.
func tests(w io.Writer, args []string) check.Count {
	cmd := exec.Command("go", append([]string{"test", "-json", "-vet=off", "-timeout=60m"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintf(w, "FAIL  go test\n      %v\n", err)
		return check.Count{Failed: 1}
	}
	count, err := check.Tests(w, out)
	io.Copy(io.Discard, out)
	if waitErr := cmd.Wait(); err == nil && count.Failed == 0 {
		err = waitErr
	}
	if err != nil {
		fmt.Fprintf(w, "FAIL  go test\n      %v\n", err)
		count.Failed++
	}
	return count
}
