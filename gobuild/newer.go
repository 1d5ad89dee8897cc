package gobuild

// This file builds pepbuild with a newer release of Go.

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// modulePath is the module that pepbuild is a command of.
const modulePath = "github.com/pepgo/pep"

// envNewer is set for the pepbuild that has been built with a newer release.
const envNewer = "PEPBUILD_NEWER"

// runNewer runs the command line with a pepbuild that the selected toolchain has built. dir is where the user has
// called pepbuild. The packages of go/types are compiled into pepbuild, and refuse source of a release that is newer
// than the one they are of.
func (b *build) runNewer(dir string, stdin io.Reader, stdout, stderr io.Writer) (code int, err error) {
	exe, err := b.buildNewer()
	if err != nil {
		version := "latest"
		if info, ok := debug.ReadBuildInfo(); ok && released(info.Main.Version) {
			version = info.Main.Version
		}
		return 1, fmt.Errorf("this pepbuild was built with %s and cannot read packages for %s; it has tried to build itself with that, but: %w\nrun: GOTOOLCHAIN=%s go install %s/cmd/pepbuild@%s",
			runtime.Version(), b.release.name, err, b.release.name, modulePath, version)
	}
	cmd := exec.Command(exe, b.args.line...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PWD="+dir, envNewer+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, fmt.Errorf("running %s: %w", exe, err)
	}
	return 0, nil
}

// buildNewer returns the pepbuild that the selected toolchain builds from the source of this one. It is kept in the
// cache.
func (b *build) buildNewer() (exe string, err error) {
	_, key, err := self()
	if err != nil {
		return "", err
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(key + "\n" + b.release.name + "\n" + b.env["GOROOT"]))
	target := filepath.Join(cache, fmt.Sprintf("pepbuild-%.8x", sum), "pepbuild"+exeSuffix())
	if _, err := os.Stat(target); err == nil {
		return target, nil
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return "", err
	}
	// A concurrent build never sees part of the executable, because a rename puts it in its place.
	work, err := os.MkdirTemp(cache, "pepbuild-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	made := filepath.Join(work, "made")
	if err := os.Mkdir(made, 0o777); err != nil {
		return "", err
	}
	cmd := b.newerCommand(made)
	fmt.Fprintf(b.stderr, "pepbuild: building pepbuild with %s, because this one was built with %s: once for it\n",
		b.release.name, runtime.Version())
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(string(out)))
	}
	if err := os.Rename(made, filepath.Dir(target)); err != nil {
		if _, statErr := os.Stat(target); statErr == nil {
			return target, nil // a concurrent build was faster
		}
		return "", err
	}
	return target, nil
}

// newerCommand returns the command that builds pepbuild into a directory: from the source that this executable was
// built from, or, if that is not there, by its version.
func (b *build) newerCommand(dir string) *exec.Cmd {
	gocmd := filepath.Join(b.env["GOROOT"], "bin", "go"+exeSuffix())
	args := []string{"install", modulePath + "/cmd/pepbuild@latest"}
	if info, ok := debug.ReadBuildInfo(); ok && released(info.Main.Version) {
		args[1] = modulePath + "/cmd/pepbuild@" + info.Main.Version
	}
	work := dir
	if root, ok := sourceRoot(); ok {
		args = []string{"build", "-o", dir + string(filepath.Separator), "./cmd/pepbuild"}
		work = root
	}
	cmd := exec.Command(gocmd, args...)
	// Settings of the user's build are not for pepbuild: it may be for another system, and have other flags.
	for _, s := range os.Environ() {
		switch name, _, _ := strings.Cut(s, "="); name {
		case "GOOS", "GOARCH", "GOFLAGS", "GOWORK", "GOEXPERIMENT", "GOROOT", "GOTOOLCHAIN", "CGO_ENABLED", "GOBIN", "PWD":
		default:
			cmd.Env = append(cmd.Env, s)
		}
	}
	cmd.Env = append(cmd.Env, "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "GOBIN="+dir, "PWD="+work)
	cmd.Dir = work
	return cmd
}

// sourceRoot returns the directory of the module that this executable was built from. It reports false if it is not
// there, or the executable does not know it.
func sourceRoot() (root string, ok bool) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", false // built with -trimpath
	}
	root = filepath.Dir(filepath.Dir(file))
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", false
	}
	first, _, _ := strings.Cut(string(mod), "\n")
	return root, strings.TrimSpace(first) == "module "+modulePath
}

// released reports whether a version of the main module is one that the go command can install.
func released(version string) bool {
	return strings.HasPrefix(version, "v") && !strings.Contains(version, "+dirty")
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
