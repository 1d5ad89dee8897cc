// Package pepbuildtest is for tests of programs that pepbuild builds.
//
//	dir := t.TempDir()
//	pepbuildtest.Write(t, filepath.Join(dir, "go.mod"), "module example.com/prog\n\ngo 1.26\n")
//	pepbuildtest.Write(t, filepath.Join(dir, "main.go"), text)
//	prog := pepbuildtest.Program(t, dir, "-pepmode=exact")
package pepbuildtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Pepbuild returns the name of a pepbuild that is built of this module.
func Pepbuild(t testing.TB) (exe string) {
	t.Helper()
	exe, err := Build()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// Build is Pepbuild for commands. All tests get the same file. It is in build/, and the go command links it again only
// if it is out of date. So tests share the packages that it compiles, whose keys in the go command's cache have a hash
// of it, too.
//
// The go command takes the result of a test from its cache unless a file has changed that the test has
// opened. It does not know what commands open that the test runs, nor what TestMain opens. So Build opens all files of
// this module that pepbuild is built from, and has to be called in the test.
//
// Where the user's cache directory cannot be written, pepbuild gets one beside it.
var Build = sync.OnceValues(func() (exe string, err error) {
	root, err := run("", "", "list", "-m", "-f", "{{.Dir}}", "github.com/pepgo/pep")
	if err != nil {
		return "", err
	}
	root = strings.TrimSpace(root)
	// The go command looks for packages in no directory that begins with a dot.
	dir := filepath.Join(root, "build", ".pepbuild", runtime.Version())
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("tests keep pepbuild in build/: %w", err)
	}
	if cache, err := os.UserCacheDir(); err != nil || os.MkdirAll(filepath.Join(cache, "pepbuild"), 0o777) != nil {
		os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	}
	// The stamp of version control would make it another file after each commit.
	exe = filepath.Join(dir, "pepbuild")
	if _, err := run(root, dir, "build", "-buildvcs=false", "-o", exe, "./cmd/pepbuild"); err != nil {
		return "", err
	}
	files, err := run(root, "", "list", "-deps", "-f",
		`{{if .Module}}{{if eq .Module.Path "github.com/pepgo/pep"}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}
{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}
{{end}}{{end}}{{end}}`, "./cmd/pepbuild")
	if err != nil {
		return "", err
	}
	for name := range strings.Lines(files) {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		f.Close()
	}
	return exe, nil
})

// run runs the go command in dir. With temporary files in the directory of its output, it renames the output at the
// end, so that a test that runs at the same time has a whole file.
func run(dir, temp string, args ...string) (stdout string, err error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if temp != "" {
		cmd.Env = append(os.Environ(), "GOTMPDIR="+temp)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", cmd, err, &stderr)
	}
	return string(out), err
}
