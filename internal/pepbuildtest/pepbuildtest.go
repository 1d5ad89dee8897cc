// Package pepbuildtest builds pepbuild for tests that run it.
//
//	pepbuild, err := pepbuildtest.Build(t.TempDir())
package pepbuildtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build builds pepbuild into a directory, and returns its name. All tests get the same file, byte by byte,
// so they share the packages that it compiles: their keys in the go command's cache have a hash of it.
//
// The go command takes the result of a test from its cache unless a file has changed that the test has
// opened. It does not know what commands open that the test runs, nor what TestMain opens. So Build opens all files of
// this module that pepbuild is built from, and has to be called in the test.
//
// Where the user's cache directory cannot be written, pepbuild gets one in dir.
func Build(dir string) (exe string, err error) {
	root, err := run("", "list", "-m", "-f", "{{.Dir}}", "github.com/pepgo/pep")
	if err != nil {
		return "", err
	}
	root = strings.TrimSpace(root)
	if cache, err := os.UserCacheDir(); err != nil || os.MkdirAll(filepath.Join(cache, "pepbuild"), 0o777) != nil {
		os.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	}
	exe = filepath.Join(dir, "pepbuild")
	if _, err := run(root, "build", "-o", exe, "./cmd/pepbuild"); err != nil {
		return "", err
	}
	files, err := run(root, "list", "-deps", "-f", `{{if .Module}}{{if eq .Module.Path "github.com/pepgo/pep"}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}
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
}

func run(dir string, args ...string) (stdout string, err error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", cmd, err, &stderr)
	}
	return string(out), err
}
